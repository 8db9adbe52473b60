package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Scripts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.AfterClass;
import org.junit.Assume;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The image, built on a base made of Debian's packages, run alone and as the three of the compose file. */
public class ImageTest {
    private static final long LIMIT_SECONDS = 600;
    private static final Duration SERVING_LIMIT = Duration.ofSeconds(120);
    private static final String BASE = "localhost/base";
    private static final String IMAGE = "localhost/chainkeeper";
    private static final String SERVER = "zkServer.sh";

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static Path directory;

    @BeforeClass
    public static void buildImage() throws Exception {
        for (String command : List.of("buildah", "podman", "runc")) {
            Assume.assumeTrue("there is no " + command + " here", ReleaseArchive.hasCommand(command));
        }
        Path archive = DebianRoot.archive();
        directory = FOLDER.getRoot().toPath();
        // limits that are no more than this machine's, and nothing that outlives the test
        Files.writeString(directory.resolve("containers.conf"), """
                [containers]
                default_ulimits=["nofile=1024:1024","nproc=4096:4096"]
                [engine]
                runtime="runc"
                cgroup_manager="cgroupfs"
                events_logger="file"
                [network]
                network_config_dir="%s"
                """.formatted(
                        Files.createDirectory(directory.resolve("networks"))));
        Files.writeString(
                directory.resolve("storage.conf"),
                "[storage]\ndriver=\"overlay\"\ngraphroot=\"%s/g\"\nrunroot=\"%s/r\"\n"
                        .formatted(directory, directory));
        Path context = Files.createDirectory(directory.resolve("base"));
        Files.copy(archive, context.resolve("root.tar"));
        Files.writeString(context.resolve("Containerfile"), "FROM scratch\nADD root.tar /\n");
        Scripts.Result base = tool("buildah", "bud", "-q", "-t", BASE, context.toString());
        Assume.assumeTrue("buildah makes no images here: " + base, base.exitCode() == 0);
        Scripts.Result nothing = tool("podman", "run", "--rm", BASE, "true");
        Assume.assumeTrue("podman runs no containers here: " + nothing, nothing.exitCode() == 0);
        Path home = Scripts.home();
        succeeds(
                "buildah",
                "bud",
                "-q",
                "--isolation=chroot",
                "--network=host",
                "--build-arg=BASE_IMAGE=" + BASE,
                "--build-arg=JDK_IMAGE=" + BASE,
                "-t",
                IMAGE,
                "-f",
                home.resolve("container/Containerfile").toString(),
                home.toString());
    }

    @AfterClass
    public static void removeAll() throws Exception {
        if (directory != null && Files.exists(directory.resolve("storage.conf"))) {
            tool("podman", "rm", "--all", "--force", "--time=0");
            tool("podman", "rmi", "--all", "--force");
        }
    }

    private static Scripts.Result tool(String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).directory(FOLDER.getRoot());
        builder.environment().keySet().removeIf(name -> name.startsWith("ZOO") || name.startsWith("ZK_"));
        builder.environment()
                .put("CONTAINERS_CONF", directory.resolve("containers.conf").toString());
        builder.environment()
                .put(
                        "CONTAINERS_STORAGE_CONF",
                        directory.resolve("storage.conf").toString());
        builder.environment().put("CHAINKEEPER_IMAGE", IMAGE);
        return Scripts.run(LIMIT_SECONDS, builder);
    }

    private static String succeeds(String... command) throws Exception {
        Scripts.Result result = tool(command);
        assertEquals(List.of(command) + ": " + result, 0, result.exitCode());
        return result.output();
    }

    private static void awaitServing(String container) throws Exception {
        Await.until(container + " serves", SERVING_LIMIT, () -> {
            Scripts.Result status = tool("podman", "exec", container, SERVER, "status");
            if (status.exitCode() != 0) {
                String state = tool("podman", "inspect", "-f", "{{.State.Status}}", container)
                        .output();
                assertEquals(tool("podman", "logs", container).toString(), "running\n", state);
            }
            return status.output().contains("Mode: ");
        });
    }

    @Test
    public void container_servesAsNobodySpecialWithAShareOfItsMemory() throws Exception {
        succeeds("podman", "run", "-d", "--name=one", "--memory=400m", "-e", "ZOO_CFG_EXTRA=tickTime=500", IMAGE);
        awaitServing("one");
        assertEquals("1000\n", succeeds("podman", "exec", "one", "id", "-u"));
        String command = succeeds("podman", "exec", "one", "bash", "-c", "tr '\\0' ' ' </proc/1/cmdline");
        assertTrue(command, command.contains(" -Xmx200m "));
        String maps = succeeds("podman", "exec", "one", "cat", "/proc/1/maps");
        assertTrue(maps, maps.contains("/opt/chainkeeper/classes.jsa"));
        succeeds("podman", "exec", "one", "zkCli.sh", "create", "/greeting", "hello");
        succeeds("podman", "restart", "--time=30", "one");
        awaitServing("one");
        Scripts.Result read = tool("podman", "exec", "one", "zkCli.sh", "get", "/greeting");
        assertTrue(read.toString(), read.output().contains("hello"));
        succeeds("podman", "stop", "--time=30", "one");
        assertEquals("143\n", succeeds("podman", "inspect", "-f", "{{.State.ExitCode}}", "one"));
    }

    @Test
    public void contradiction_endsTheContainer() throws Exception {
        Scripts.Result result = tool("podman", "run", "--rm", "-e", "ZOO_MY_ID=2", IMAGE);
        assertEquals(result.toString(), 1, result.exitCode());
        assertTrue(result.toString(), result.errors().contains("ZOO_SERVERS is not set"));
    }

    @Test
    public void composeFile_threeServersServeOneTree() throws Exception {
        Assume.assumeTrue("there is no podman-compose here", ReleaseArchive.hasCommand("podman-compose"));
        String text = Files.readString(Scripts.home().resolve("container/docker-compose.yaml"));
        for (int port = 2181; port <= 2183; port++) {
            String published = "127.0.0.1:" + port + ":2181";
            assertTrue(text, text.contains(published));
            text = text.replace(published, "127.0.0.1:" + FreePorts.next() + ":2181");
        }
        Path file = directory.resolve("docker-compose.yaml");
        Files.writeString(file, text);
        String project = "chainkeeper" + ProcessHandle.current().pid();
        String[] compose = {"podman-compose", "-p", project, "-f", file.toString()};
        Scripts.Result up = tool(with(compose, "up", "-d"));
        try {
            assertEquals(up.toString(), 0, up.exitCode());
            List<String> names = IntStream.rangeClosed(1, 3)
                    .mapToObj(id -> project + "_zoo" + id + "_1")
                    .toList();
            for (String name : names) {
                awaitServing(name);
            }
            succeeds(
                    "podman", "exec", names.get(0), "zkCli.sh", "-server", "zoo1:2181", "create", "/greeting", "hello");
            succeeds("podman", "kill", names.get(0));
            awaitGreeting(names.get(2), "zoo3:2181");
        } finally {
            Scripts.Result down = tool(with(compose, "down", "-v"));
            assertFalse(down.toString(), down.exitCode() != 0);
        }
    }

    /** A server that misses its leader may close connections; the command asks once, so its user asks again. */
    private static void awaitGreeting(String container, String server) throws Exception {
        Await.until(server + " answers with the greeting", SERVING_LIMIT, () -> {
            Scripts.Result read = tool("podman", "exec", container, "zkCli.sh", "-server", server, "get", "/greeting");
            boolean lost = read.exitCode() != 0 && read.toString().contains("ConnectionLoss");
            if (lost) {
                System.err.println(server + " closed the connection before it answered; asking again: " + read);
                return false;
            }
            assertEquals(read.toString(), 0, read.exitCode());
            assertTrue(read.toString(), read.output().contains("hello"));
            return true;
        });
    }

    private static String[] with(String[] command, String... more) {
        String[] whole = Arrays.copyOf(command, command.length + more.length);
        System.arraycopy(more, 0, whole, command.length, more.length);
        return whole;
    }
}
