package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.Test;

/** A server and a client from the unpacked archive, and what the first start leaves to the second. */
public class FirstStartTest extends UnpackedArchive {
    private static final Duration ARCHIVE_LIMIT = Duration.ofSeconds(90);

    @Test
    public void firstStart_makesAClassArchiveThatTheSecondUses() throws Exception {
        Path archive = root.resolve("classes.jsa");
        // of another JVM
        Files.writeString(archive, "no archive");
        assertSays("Starting zookeeper ... STARTED", server("start"));
        assertSays("Mode: leader", server("status"));
        String address = "127.0.0.1:" + clientPort;
        assertSays("", run("zkCli.sh", "-server", address, "create", "/greeting", "hello"));
        Await.until("class archive", ARCHIVE_LIMIT, () -> Files.size(archive) > 1 << 20 && liesAlone(archive));
        assertFalse(hasMappedArchive());
        assertSays("Stopping zookeeper ... STOPPED", server("stop"));

        assertSays("Starting zookeeper ... STARTED", server("start"));
        assertTrue(hasMappedArchive());
        assertSays("hello", run("zkCli.sh", "-server", address, "get", "/greeting"));
        assertSays("Chainkeeper, version " + ReleaseArchive.version(), server("version"));
        assertSays("Stopping zookeeper ... STOPPED", server("stop"));
        assertTrue(liesAlone(archive));
    }

    /** Whether nothing but the archive itself lies there. */
    private static boolean liesAlone(Path archive) throws IOException {
        try (Stream<Path> files = Files.list(archive.getParent())) {
            return files.filter(file -> file.getFileName().toString().startsWith("classes.jsa"))
                            .count()
                    == 1;
        }
    }
}
