package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.rules.TemporaryFolder;

/** Tests of the archive, unpacked into a directory whose path has a space, used as its reader is told. */
abstract class UnpackedArchive {
    static final long LIMIT_SECONDS = 60;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    Path root;
    Path own;
    Path config;
    int clientPort;

    @Before
    public void unpack() throws Exception {
        Path programs = folder.newFolder("a user's programs").toPath();
        root = ReleaseArchive.unpack(programs);
        own = folder.newFolder("own files").toPath();
        ReleaseArchive.openTo(programs, folder.getRoot().toPath());
        clientPort = FreePorts.next();
        config = Files.createDirectory(own.resolve("conf"));
        Files.writeString(
                config.resolve("zoo.cfg"),
                String.join(
                        "\n",
                        "tickTime=2000",
                        "initLimit=10",
                        "syncLimit=5",
                        "dataDir=" + own.resolve("data"),
                        "clientPort=" + clientPort,
                        "clientPortAddress=127.0.0.1",
                        "standaloneEnabled=false",
                        "admin.enableServer=false",
                        "server.1=127.0.0.1:" + FreePorts.next() + ":" + FreePorts.next(),
                        ""));
    }

    @After
    public void stop() throws Exception {
        server("stop");
    }

    Scripts.Result server(String command) throws Exception {
        return run("zkServer.sh", "--config", config.toString(), command);
    }

    Scripts.Result run(String script, String... arguments) throws Exception {
        return Scripts.run(LIMIT_SECONDS, Scripts.commandOf(root, own, script, arguments));
    }

    static void assertSays(String text, Scripts.Result result) {
        assertEquals(result.toString(), 0, result.exitCode());
        assertTrue(result.toString(), (result.output() + result.errors()).contains(text));
    }

    List<Path> installed() throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.sorted().toList();
        }
    }

    /** Whether the running server has its classes from the class archive, which its JVM has mapped into memory. */
    boolean hasMappedArchive() throws IOException {
        String pid = Files.readString(own.resolve("data/zookeeper_server.pid")).strip();
        String archive = root.resolve("classes.jsa").toString();
        return Files.readString(Path.of("/proc", pid, "maps")).contains(archive);
    }
}
