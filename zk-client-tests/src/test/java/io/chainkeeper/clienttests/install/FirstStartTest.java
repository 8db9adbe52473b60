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
    /** It is made with the little that a busy machine has left: by a program that stands back behind all others. */
    static final Duration ARCHIVE_LIMIT = Duration.ofSeconds(240);

    private static final Duration SERVING_LIMIT = Duration.ofSeconds(60);

    @Test
    public void firstStart_makesAClassArchiveThatTheSecondUses() throws Exception {
        Path archive = root.resolve("classes.jsa");
        // of another JVM
        Files.writeString(archive, "no archive");
        assertSays("Starting zookeeper ... STARTED", server("start"));
        awaitServing();
        assertSays("Mode: leader", server("status"));
        String address = "127.0.0.1:" + clientPort;
        assertSays("", run("zkCli.sh", "-server", address, "create", "/greeting", "hello"));
        Await.until("class archive", ARCHIVE_LIMIT, () -> Files.size(archive) > 1 << 20 && liesAlone(archive));
        assertFalse(hasMappedArchive());
        assertSays("Stopping zookeeper ... STOPPED", server("stop"));

        assertSays("Starting zookeeper ... STARTED", server("start"));
        assertTrue(hasMappedArchive());
        awaitServing();
        assertSays("hello", run("zkCli.sh", "-server", address, "get", "/greeting"));
        assertSays("Chainkeeper, version " + ReleaseArchive.version(), server("version"));
        assertSays("Stopping zookeeper ... STOPPED", server("stop"));
        assertTrue(liesAlone(archive));
    }

    /** On a busy machine a start counts as done some seconds before clients are served. */
    private void awaitServing() throws Exception {
        Await.until("the server serves", SERVING_LIMIT, () -> server("status").exitCode() == 0);
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
