package io.chainkeeper.simulation.disk;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.LoggedFiles;
import io.chainkeeper.server.storage.Recovery;
import io.chainkeeper.server.storage.SnapshotWriter;
import io.chainkeeper.server.storage.TxnLogTail;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.After;
import org.junit.Test;

/** What a start has gone on from is still there after a loss of power, whatever the life before it left unforced. */
public class ServerFilesPowerLossTest {
    private static final int RUNS = 40;
    private static final int OPERATIONS = 12;
    private static final int TXNS = 3;
    private static final int DATA_BYTES = 1000;

    private final RunDirectory run = new RunDirectory();

    @After
    public void filesAreRemoved() {
        run.close();
    }

    private static CheckpointStore checkpoints(SimulatedDisk disk) throws IOException {
        return new CheckpointStore(disk.root().resolve("checkpoints"));
    }

    private static LoggedFiles filesWithLargeWrites(SimulatedDisk disk) throws IOException {
        return new LoggedFiles(
                disk.root().resolve("log"),
                disk.root().resolve("data"),
                ThreadScheduler.INSTANCE,
                "transaction-log",
                DATA_BYTES);
    }

    private static LoggedFiles files(SimulatedDisk disk) throws IOException {
        return new LoggedFiles(
                disk.root().resolve("log"),
                disk.root().resolve("data"),
                ThreadScheduler.INSTANCE,
                "transaction-log",
                LoggedFiles.LARGE_WRITE_BYTES);
    }

    private static Checkpoint checkpoint() {
        return new Checkpoint(0, 0, 0, 0, ByteSlice.of(new byte[] {1}), ByteSlice.of(new byte[] {2}));
    }

    private static void append(LoggedFiles files) throws IOException {
        appendFrom(files, 1);
    }

    private static void appendFrom(LoggedFiles files, int first) throws IOException {
        for (int zxid = first; zxid < first + TXNS; zxid++) {
            TxnHeader header = new TxnHeader(7, zxid, zxid, 1000 + zxid, OpCode.setData);
            SetDataTxn txn = new SetDataTxn("/a", new byte[DATA_BYTES], 1);
            files.append(new Request(7, zxid, OpCode.setData, header, txn, zxid));
        }
        files.commit();
    }

    @Test
    public void transactionsWhoseForceFailed_areOnStableStorageOnceTheNextLifeHasForcedThem() throws IOException {
        for (int seed = 0; seed < RUNS; seed++) {
            SimulatedDisk disk = run.newDisk(new SplittableRandom(seed));
            checkpoints(disk).write(checkpoint());
            LoggedFiles files = files(disk);
            Path directory = files.logDirectory();
            append(files);
            disk.failForces(1);
            assertThrows(IOException.class, () -> SnapshotWriter.forceLogs(directory, 0));
            files.close();
            disk.kill();
            Path log = directory.resolve("log.1");
            byte[] left = Files.readAllBytes(log);

            LoggedFiles next = files(disk);
            Recovery.repair(next, checkpoints(disk), null);
            SnapshotWriter.forceLogs(directory, 0);
            next.close();
            disk.losePower();

            assertArrayEquals("seed " + seed, left, Files.readAllBytes(log));
        }
    }

    @Test
    public void checkpointThatAStartHasFound_isThereAfterALossOfPower() throws IOException {
        for (int operations = 0; operations < OPERATIONS; operations++) {
            for (int seed = 0; seed < RUNS; seed++) {
                SimulatedDisk disk = run.newDisk(new SplittableRandom(seed));
                disk.stopAfter(operations);
                try {
                    checkpoints(disk).write(checkpoint());
                } catch (IOException e) {
                    // The process ends here.
                }
                disk.kill();
                List<Checkpoint> found = checkpoints(disk).readForStart();
                disk.losePower();
                assertEquals(
                        "stops after " + operations + ", seed " + seed,
                        found,
                        checkpoints(disk).readForStart());
            }
        }
    }

    /** Past the cache as through it: what was not forced may be lost or torn, and what was forced is there. */
    @Test
    public void largeWritesOfTheLog_areCutAtALossOfPowerBehindWhatWasForced() throws IOException {
        int cut = 0;
        for (int seed = 0; seed < RUNS; seed++) {
            SimulatedDisk disk = run.newDisk(new SplittableRandom(seed));
            LoggedFiles files = filesWithLargeWrites(disk);
            Path log = files.logDirectory().resolve("log.1");
            append(files);
            SnapshotWriter.forceLogs(files.logDirectory(), 0);
            byte[] forced = Files.readAllBytes(log);
            appendFrom(files, TXNS + 1);
            disk.losePower();

            TxnLogTail.cut(files.logDirectory(), 0, TXNS);
            byte[] left = Files.readAllBytes(log);
            int end = forced.length;
            while (forced[end - 1] == 0) {
                end--;
            }
            assertArrayEquals("seed " + seed, Arrays.copyOf(forced, end), Arrays.copyOf(left, end));
            cut += left.length < 2 * end ? 1 : 0;
        }
        assertTrue("nothing was ever lost", cut > 0);
    }

    @Test
    public void diskIsFull_whoeverAppendsNextIsTold() throws IOException {
        SimulatedDisk disk = run.newDisk(new SplittableRandom(1));
        LoggedFiles files = filesWithLargeWrites(disk);
        append(files);
        disk.setFull(true);
        assertThrows(IOException.class, () -> appendFrom(files, TXNS + 1));
        disk.setFull(false);
        assertThrows("its file may be torn", IOException.class, () -> appendFrom(files, 2 * TXNS + 1));
        assertThrows(IOException.class, files::rollLog);
        files.close();
    }
}
