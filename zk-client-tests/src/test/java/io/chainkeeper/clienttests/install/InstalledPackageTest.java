package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.Scripts;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The Debian package in a system made of Debian's packages: installed, run as its user, removed, purged. */
public class InstalledPackageTest {
    private static final long LIMIT_SECONDS = 300;
    private static final Duration SERVING_LIMIT = Duration.ofSeconds(90);
    private static final String SERVER = "/usr/share/chainkeeper/bin/zkServer.sh";

    /** What a JVM returns that a signal has ended. */
    private static final int TERMINATED = 143;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path system;
    private String client;
    private Process server;

    @Before
    public void makeSystem() throws Exception {
        Path archive = DebianRoot.archive();
        system = folder.newFolder("system").toPath();
        ReleaseArchive.openTo(system, folder.getRoot().toPath());
        ReleaseArchive.run(system, "tar", "-xf", archive.toString(), "-C", system.toString());
        Files.copy(ReleaseArchive.debianPackage(), system.resolve("chainkeeper.deb"));
    }

    @After
    public void stop() throws Exception {
        if (server != null) {
            server.destroyForcibly().waitFor();
        }
    }

    /** A command in the system; its process is the command itself. */
    private ProcessBuilder command(String user, String... words) {
        List<String> command = new ArrayList<>(List.of(
                "unshare",
                "--mount",
                "bash",
                "-c",
                "mount -t proc proc \"$0/proc\" && exec chroot --userspec=\"$1\" \"$0\" \"${@:2}\"",
                system.toString(),
                user + ":"));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.getRoot());
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        builder.environment().put("TMPDIR", "/tmp");
        builder.environment().put("ZK_SERVER_HEAP", "192");
        return builder;
    }

    private Scripts.Result run(String user, String... words) throws Exception {
        return Scripts.run(LIMIT_SECONDS, command(user, words));
    }

    private String succeeds(String user, String... words) throws Exception {
        Scripts.Result result = run(user, words);
        assertEquals(List.of(words) + ": " + result, 0, result.exitCode());
        return result.output();
    }

    private boolean exists(String path) {
        return Files.exists(system.resolve(path.substring(1)), LinkOption.NOFOLLOW_LINKS);
    }

    private void usePortsThatAreFree() throws Exception {
        Path file = system.resolve("etc/chainkeeper/zoo.cfg");
        int clientPort = FreePorts.next();
        client = "127.0.0.1:" + clientPort;
        String text = Files.readString(file)
                .replace("clientPort=2181", "clientPort=" + clientPort)
                .replace(":2888:3888", ":" + FreePorts.next() + ":" + FreePorts.next())
                .replace("admin.serverPort=8080", "admin.serverPort=" + FreePorts.next());
        Files.writeString(file, text);
    }

    private void startAsTheUnitDoes() throws Exception {
        String unit = Files.readString(system.resolve("usr/lib/systemd/system/chainkeeper.service"));
        assertTrue(unit, unit.contains("\nUser=chainkeeper\n"));
        assertTrue(unit, unit.contains("\nExecStart=" + SERVER + " start-foreground\n"));
        server = command("chainkeeper", SERVER, "start-foreground")
                .redirectErrorStream(true)
                .redirectOutput(folder.newFile("output"))
                .redirectInput(new File("/dev/null"))
                .start();
    }

    @Test
    public void package_isInstalledRunRemovedAndPurged() throws Exception {
        succeeds("root", "dpkg", "-i", "/chainkeeper.deb");
        String owners = succeeds(
                "root",
                "stat",
                "-c",
                "%n %U:%G %a",
                "/var/lib/chainkeeper",
                "/var/log/chainkeeper",
                "/etc/chainkeeper",
                "/etc/chainkeeper/zoo.cfg",
                "/etc/chainkeeper/zookeeper-env.sh",
                "/usr/share/chainkeeper/lib");
        assertEquals("""
                /var/lib/chainkeeper chainkeeper:chainkeeper 750
                /var/log/chainkeeper chainkeeper:chainkeeper 750
                /etc/chainkeeper root:chainkeeper 1775
                /etc/chainkeeper/zoo.cfg chainkeeper:chainkeeper 644
                /etc/chainkeeper/zookeeper-env.sh root:root 644
                /usr/share/chainkeeper/lib root:root 755
                """, owners);
        usePortsThatAreFree();
        startAsTheUnitDoes();
        Await.until("status", SERVING_LIMIT, () -> {
            assertTrue(Files.readString(folder.getRoot().toPath().resolve("output")), server.isAlive());
            return run("nobody", SERVER, "status").output().contains("Mode: leader");
        });
        String cli = "/usr/share/chainkeeper/bin/zkCli.sh";
        succeeds("nobody", cli, "-server", client, "create", "/greeting", "hello");
        String answer = succeeds("nobody", cli, "-server", client, "get", "/greeting");
        assertTrue(answer, answer.contains("hello"));
        Await.until("class archive", FirstStartTest.ARCHIVE_LIMIT, () -> exists("/var/cache/chainkeeper/classes.jsa"));
        // root does not run what the service could have written
        assertTrue(succeeds("chainkeeper", SERVER, "print-cmd").contains("SharedArchiveFile"));
        assertFalse(succeeds("root", SERVER, "print-cmd").contains("SharedArchiveFile"));

        server.destroy();
        assertTrue(server.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS));
        assertEquals(TERMINATED, server.exitValue());
        String demo = succeeds(
                "nobody", "/usr/share/chainkeeper/bin/zkEnsemble.sh", "demo", "--protocol", Ensemble.defaultProtocol());
        assertTrue(demo, demo.contains("Every step succeeded"));
        String configuration = Files.readString(system.resolve("etc/chainkeeper/zoo.cfg"));
        succeeds("root", "dpkg", "-i", "/chainkeeper.deb");
        assertEquals(configuration, Files.readString(system.resolve("etc/chainkeeper/zoo.cfg")));

        succeeds("root", "dpkg", "-r", "chainkeeper");
        assertFalse(exists("/usr/share/chainkeeper"));
        assertTrue(exists("/etc/chainkeeper/zoo.cfg"));
        assertTrue(exists("/var/lib/chainkeeper/ordering"));
        succeeds("root", "dpkg", "-P", "chainkeeper");
        for (String path : List.of("/etc", "/var/lib", "/var/log", "/var/cache")) {
            assertFalse(path, exists(path + "/chainkeeper"));
        }
        assertNotEquals(0, run("root", "getent", "passwd", "chainkeeper").exitCode());
    }
}
