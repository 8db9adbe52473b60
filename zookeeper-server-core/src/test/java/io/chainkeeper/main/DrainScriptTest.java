package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/** What {@code zkServer.sh drain} writes for the server, which the test stands in for. */
public class DrainScriptTest extends DistributionScripts {
    private Path request() {
        return data.resolve("ordering/drain");
    }

    private void awaitRequest(Process script) throws Exception {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.isRegularFile(request())) {
            assertTrue("nobody is asked", script.isAlive() && System.nanoTime() < deadlineNanos);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private Path linkTo(Path target, String name) throws IOException {
        return Files.createSymbolicLink(data.resolve("ordering").resolve(name), target);
    }

    /** Root may ask, in a directory of the server's user. */
    @Test
    public void linksInTheWay_areNotFollowed() throws Exception {
        Files.createDirectories(data.resolve("ordering"));
        Path file = Files.writeString(folder.newFile().toPath(), "root's");
        Path directory = folder.newFolder("elsewhere").toPath();
        linkTo(file, "drain.tmp");
        linkTo(directory, "drain");
        Process script = start("zkServer.sh", "drain", "--seconds", "7");
        awaitRequest(script);
        assertEquals("7\n", Files.readString(request()));
        Files.writeString(data.resolve("ordering/drain-answer"), "refused: not now\n");
        assertTrue(script.waitFor(60, TimeUnit.SECONDS));
        assertEquals(1, script.exitValue());
        assertEquals("root's", Files.readString(file));
        assertEquals(0, directory.toFile().list().length);
    }
}
