package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.StoredFiles;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Starts that go on from a checkpoint of the transaction log alone, and what damage does to them. */
public class LogCheckpointTest {
    private static final int VALUE_BYTES = 10_000;
    private static final int CHECKPOINTS = 5;

    /** More than {@link OrderingConfig#MIN_CHECKPOINT_BYTES}. */
    private static final int WRITES_EACH = 8;

    private static final int WRITES = CHECKPOINTS * WRITES_EACH;

    /** Inside the first entry of a log file. */
    private static final int FIRST_ENTRY_BYTE = 40;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private Path checkpointFile;

    @Before
    public void startEnsembleAndWrite() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3, ReadConsistency.LINEARIZABLE, Map.of());
        ensemble.checkpointEvery(OrderingConfig.MIN_CHECKPOINT_BYTES);
        ensemble.startAll();
        checkpointFile = checkpointDirectory().resolve("checkpoint.log");
        for (int i = 0; i < CHECKPOINTS; i++) {
            long before = position();
            write(i * WRITES_EACH, WRITES_EACH);
            TestEnsemble.await("a checkpoint between snapshots", () -> position() > before);
        }
        assertTrue(Files.exists(checkpointFile));
    }

    @After
    public void stopEnsemble() throws Exception {
        try (TestEnsemble closed = ensemble) {
            EnsembleChecks.assertReplicasEqual(closed, 3);
        }
    }

    private Path checkpointDirectory() {
        return ensemble.orderingDirectory(3).resolve("checkpoints");
    }

    private Path logDirectory() {
        return ensemble.dataDirectory(3).resolve("version-2");
    }

    private void write(int first, int count) throws Exception {
        ZooKeeper client = ensemble.client(1);
        for (int i = first; i < first + count; i++) {
            client.create("/n" + i, value(i), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        ensemble.awaitEqualPositions();
    }

    private static byte[] value(int number) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) number);
        return value;
    }

    private void restart() throws Exception {
        ensemble.start(3);
        ensemble.awaitServing(3);
    }

    private Checkpoint newest() throws IOException {
        return new CheckpointStore(checkpointDirectory()).readForStart().get(0);
    }

    private File[] logs() {
        return FileTxnLog.getLogFiles(logDirectory().toFile().listFiles(), 0);
    }

    @Test
    public void checkpointBetweenSnapshots_startGoesOnFromIt() throws Exception {
        ensemble.stop(3);
        List<Checkpoint> ofSnapshots = new CheckpointStore(checkpointDirectory()).readAll();
        Checkpoint newest = newest();
        assertTrue(newest.position() > ofSnapshots.get(0).position());
        assertEquals(newest.zxid(), newest.coveredZxid());
        assertTrue("the log is rolled behind each: " + logs().length, logs().length >= CHECKPOINTS);
        restart();
        assertArrayEquals(value(WRITES - 1), ensemble.client(3).getData("/n" + (WRITES - 1), false, null));
        write(WRITES, 1);
        TestEnsemble.await("one more behind what the start brought back", () -> position() > newest.position());
    }

    private long position() {
        try {
            return newest().position();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void everythingBehindItLost_orderBringsItBack() throws Exception {
        ensemble.stop(3);
        StoredFiles.loseUnforced(logDirectory(), checkpointDirectory());
        restart();
        assertArrayEquals(value(WRITES - 1), ensemble.client(3).getData("/n" + (WRITES - 1), false, null));
    }

    @Test
    public void tornWhileItWasWritten_startGoesOnFromTheOneBefore() throws Exception {
        ensemble.stop(3);
        byte[] content = Files.readAllBytes(checkpointFile);
        Files.write(checkpointFile.resolveSibling("checkpoint.log.tmp"), Arrays.copyOf(content, content.length / 2));
        restart();
    }

    @Test
    public void damaged_startGoesOnFromTheSnapshots() throws Exception {
        ensemble.stop(3);
        Files.write(checkpointFile, new byte[] {1, 2, 3});
        restart();
        assertArrayEquals(value(0), ensemble.client(3).getData("/n0", false, null));
    }

    private void assertRefused(File log) throws Exception {
        byte[] damaged = Files.readAllBytes(log.toPath());
        IOException refusal = assertThrows(IOException.class, () -> ensemble.start(3));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains(log.getPath()));
        assertArrayEquals("nothing is modified", damaged, Files.readAllBytes(log.toPath()));
    }

    @Test
    public void logBeforeItDamaged_isRefusedWithTheFilesName() throws Exception {
        ensemble.stop(3);
        File log = logs()[1];
        byte[] content = Files.readAllBytes(log.toPath());
        byte[] damaged = content.clone();
        damaged[FIRST_ENTRY_BYTE] ^= 1;
        Files.write(log.toPath(), damaged);
        assertRefused(log);
        Files.write(log.toPath(), content);
        restart();
    }

    /** ZooKeeper's reader takes zeroes for the end of a file, and goes on with the next. */
    @Test
    public void logBeforeItHasLostItsEnd_isRefusedWithTheNextFilesName() throws Exception {
        ensemble.stop(3);
        File log = logs()[1];
        byte[] content = Files.readAllBytes(log.toPath());
        try (RandomAccessFile file = new RandomAccessFile(log, "rw")) {
            int header = 16;
            file.seek(header);
            file.write(new byte[content.length - header]);
        }
        assertRefused(logs()[2]);
        Files.write(log.toPath(), content);
        restart();
    }

    @Test
    public void logWithItMissing_isRefused() throws Exception {
        ensemble.stop(3);
        File log = logs()[1];
        byte[] content = Files.readAllBytes(log.toPath());
        Files.delete(log.toPath());
        IOException refusal = assertThrows(IOException.class, () -> ensemble.start(3));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains(logs()[1].getPath()));
        assertFalse(log.exists());
        Files.write(log.toPath(), content);
        restart();
    }
}
