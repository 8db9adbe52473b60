package io.chainkeeper.server.storage;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.server.persistence.Util;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Log files are deleted by one thread while another one begins new ones. */
public class PurgedLogsTest {
    private static final int FILES = 3_000;
    private static final int KEPT = 50;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path log(long zxid) {
        return folder.getRoot().toPath().resolve(Util.makeLogName(zxid));
    }

    @Test
    public void filesBegunMeanwhile_stay() throws Exception {
        AtomicLong begun = new AtomicLong();
        CountDownLatch purged = new CountDownLatch(1);
        Files.createFile(log(1));
        begun.set(1);
        Thread executor = new Thread(() -> {
            try {
                for (long zxid = 2; zxid <= FILES; zxid++) {
                    if (zxid == FILES / 2) {
                        purged.await();
                    }
                    Files.createFile(log(zxid));
                    begun.set(zxid);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        executor.start();
        long oldest = 1;
        while (executor.isAlive()) {
            oldest = Math.max(1, begun.get() - KEPT);
            SnapshotWriter.purgeLogs(folder.getRoot().toPath(), oldest);
            if (!Files.exists(log(1))) {
                purged.countDown();
            }
        }
        executor.join();
        assertEquals(FILES, begun.get());
        for (long zxid = oldest; zxid <= FILES; zxid++) {
            assertTrue("log of " + zxid, Files.exists(log(zxid)));
        }
        assertFalse("nothing was deleted", Files.exists(log(1)));
    }

    @Test
    public void noFileIsNeeded_noneIsDeleted() throws Exception {
        SnapshotWriter.purgeLogs(folder.getRoot().toPath(), 5);
        Files.createFile(log(3));
        SnapshotWriter.purgeLogs(folder.getRoot().toPath(), 5);
        assertTrue("transactions up to 5 and beyond may be in it", Files.exists(log(3)));
    }
}
