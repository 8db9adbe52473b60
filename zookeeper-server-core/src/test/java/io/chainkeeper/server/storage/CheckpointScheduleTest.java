package io.chainkeeper.server.storage;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.server.storage.Checkpoints.Due;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.persistence.SnapshotInfo;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class CheckpointScheduleTest {
    private static final String SNAP_COUNT = "zookeeper.snapCount";
    private static final String SNAP_SIZE = "zookeeper.snapSizeLimitInKb";
    private static final int KIB = 1024;
    private static final int SNAPSHOTS = 3;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final List<String> failures = new ArrayList<>();
    private LoggedFiles files;
    private ZKDatabase database;
    private CheckpointStore store;
    private CheckpointSchedule schedule;
    private Runnable whenTaken = () -> {};
    private long zxid;
    private long bytes;

    @Before
    public void openFiles() throws IOException {
        files = new LoggedFiles(
                folder.newFolder("log").toPath(),
                folder.newFolder("snapshots").toPath(),
                ThreadScheduler.INSTANCE,
                "transaction-log",
                LoggedFiles.LARGE_WRITE_BYTES);
        database = new ZKDatabase(files);
        store = new CheckpointStore(folder.getRoot().toPath().resolve("checkpoints"));
    }

    @After
    public void close() throws IOException {
        System.clearProperty(SNAP_COUNT);
        System.clearProperty(SNAP_SIZE);
        schedule.close();
        files.close();
        assertEquals(List.of(), failures);
    }

    private void begin(String snapCount, String snapSizeKib, long checkpointBytes) {
        System.setProperty(SNAP_COUNT, snapCount);
        System.setProperty(SNAP_SIZE, snapSizeKib);
        SnapshotWriter writer = new SnapshotWriter(
                files,
                database,
                store,
                new SnapshotWriter.Retention(SNAPSHOTS, false, () -> true),
                position -> whenTaken.run(),
                (directory, bytes) -> null,
                System::nanoTime,
                0);
        schedule = new CheckpointSchedule(
                database,
                () -> bytes,
                writer,
                (message, cause) -> failures.add(message),
                0,
                CheckpointSchedule.Intervals.configured(checkpointBytes),
                ThreadScheduler.INSTANCE,
                1);
    }

    private void log(int transactionBytes) {
        zxid++;
        bytes += transactionBytes;
    }

    private void start(Due what) throws IOException {
        ByteSlice nothing = ByteSlice.of(new byte[0]);
        schedule.start(what, new CheckpointRequest(zxid * 10, zxid, nothing, nothing));
        // Behind it on its thread.
        schedule.take(new CheckpointRequest(1, 0, nothing, nothing)).join();
    }

    @Test
    public void fewTransactionsOfManyBytes_snapshotIsDueLikeZooKeepers() throws Exception {
        begin("100000", "64", Long.MAX_VALUE / 2);
        int writes = 0;
        while (schedule.due(zxid) == Due.NOTHING) {
            log(KIB);
            writes++;
        }
        assertEquals(Due.SNAPSHOT, schedule.due(zxid));
        assertTrue("between half of it and all: " + writes, writes >= 32 && writes <= 64);
        start(Due.SNAPSHOT);
        assertEquals("counted anew", Due.NOTHING, schedule.due(zxid));
    }

    /** {@code autopurge.purgeInterval=0}: the order is cut all the same, so nothing starts from older ones. */
    @Test
    public void oldSnapshotsStay_theirCheckpointsDoNot() throws Exception {
        begin("20", "0", Long.MAX_VALUE / 2);
        ByteSlice nothing = ByteSlice.of(new byte[0]);
        for (int i = 1; i <= 10; i++) {
            database.getDataTree().lastProcessedZxid = i;
            schedule.take(new CheckpointRequest(i, i, nothing, nothing)).join();
        }
        assertEquals(10, DataFiles.snapshots(files.snapshotDirectory()).size());
        assertEquals(
                List.of(10L, 9L, 8L),
                store.readAll().stream().map(Checkpoint::position).toList());
    }

    /** The AdminServer's {@code last_snapshot} shows it. */
    @Test
    public void snapshotIsTaken_itIsTheLastOne() throws Exception {
        begin("20", "0", Long.MAX_VALUE / 2);
        ByteSlice nothing = ByteSlice.of(new byte[0]);
        for (int i = 7; i <= 8; i++) {
            database.getDataTree().lastProcessedZxid = i;
            Path file =
                    schedule.take(new CheckpointRequest(i, i, nothing, nothing)).join();
            SnapshotInfo last = files.getLastSnapshotInfo();
            assertEquals(i, last.zxid);
            assertEquals(Files.getLastModifiedTime(file).toMillis() / 1000, last.timestamp);
        }
    }

    /** As one whose tree is too deep for its stack. */
    @Test
    public void writerEndsWithAnError_isToldAndHoldsUpNobody() throws Exception {
        begin("20", "0", Long.MAX_VALUE / 2);
        whenTaken = () -> {
            throw new StackOverflowError("too deep");
        };
        ByteSlice nothing = ByteSlice.of(new byte[0]);
        for (int i = 1; i <= 2; i++) {
            CompletableFuture<Path> taken = schedule.take(new CheckpointRequest(i, 0, nothing, nothing));
            assertThrows(CompletionException.class, taken::join);
        }
        schedule.close();
        assertEquals(2, failures.size());
        assertTrue(failures.get(0), failures.get(0).contains("too deep"));
        failures.clear();
    }

    @Test
    public void manyTransactions_snapshotIsDueByTheirNumber() throws Exception {
        begin("20", "0", Long.MAX_VALUE / 2);
        int writes = 0;
        while (schedule.due(zxid) == Due.NOTHING) {
            log(1);
            writes++;
        }
        assertEquals(Due.SNAPSHOT, schedule.due(zxid));
        assertTrue("between half of it and all: " + writes, writes >= 10 && writes <= 20);
    }

    @Test
    public void bytesBetweenSnapshots_checkpointOfTheLogIsDueAndWritten() throws Exception {
        begin("100000", "0", 8 * KIB);
        for (int i = 0; i < 7; i++) {
            log(KIB);
            assertEquals(Due.NOTHING, schedule.due(zxid));
        }
        log(KIB);
        assertEquals(Due.LOG, schedule.due(zxid));
        start(Due.LOG);
        assertEquals(Due.NOTHING, schedule.due(zxid));
        Checkpoint written = store.readForStart().get(0);
        assertEquals(zxid, written.zxid());
        assertEquals(zxid, written.coveredZxid());
        assertEquals(zxid * 10, written.position());
    }

    @Test
    public void startThatBroughtTransactionsBack_isFollowedByACheckpointOfTheLog() throws Exception {
        database.getDataTree().lastProcessedZxid = 5;
        begin("100000", "0", 8 * KIB);
        assertEquals("they are still compared", Due.NOTHING, schedule.due(4));
        assertEquals(Due.LOG, schedule.due(5));
        zxid = 5;
        start(Due.LOG);
        assertEquals(Due.NOTHING, schedule.due(6));
    }

    /** A later force would succeed without what this one has lost, and a checkpoint would count on it. */
    /** The snapshot may hold a part of it; whoever is sent the state must get the rest with it. */
    @Test
    public void transactionIsAppendedAndNotAppliedYet_snapshotCoversIt() throws Exception {
        begin("100000", "64", Long.MAX_VALUE / 2);
        TxnHeader header = new TxnHeader(7, 1, 5, 1000, OpCode.setData);
        files.append(new Request(7, 1, OpCode.setData, header, new SetDataTxn("/a", new byte[20], 1), 5));
        start(Due.SNAPSHOT);
        assertEquals(5, store.readAll().get(0).coveredZxid());
        try (TxnLogScanner scanner = new TxnLogScanner(files.logDirectory().resolve("log.5"))) {
            assertEquals("the system has it", 5, scanner.next());
        }
    }

    @Test
    public void snapshotThatSomebodyAsksFor_cannotForceTheLog_serverStops() throws Exception {
        begin("100000", "0", 8 * KIB);
        Files.createDirectory(files.logDirectory().resolve("log.1"));
        ByteSlice nothing = ByteSlice.of(new byte[0]);
        CompletableFuture<Path> taken = schedule.take(new CheckpointRequest(1, 0, nothing, nothing));
        assertThrows(CompletionException.class, taken::join);
        schedule.close();
        assertEquals(failures.toString(), 1, failures.size());
        assertTrue(failures.get(0), failures.get(0).startsWith("snapshot could not be written: "));
        failures.clear();
    }
}
