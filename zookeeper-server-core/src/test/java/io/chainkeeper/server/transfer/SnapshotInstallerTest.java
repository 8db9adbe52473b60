package io.chainkeeper.server.transfer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.server.transfer.SnapshotInstaller.Move;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Crashes between any two steps of an installation, and the next start goes on. */
public final class SnapshotInstallerTest {
    private static final Move OTHER_DEVICE = (from, to) -> {
        throw new AtomicMoveNotSupportedException(from.toString(), to.toString(), "another device");
    };

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private int names;

    private static final class Crash extends IOException {
        private static final long serialVersionUID = 1;
    }

    /** A receiver with old files into which a state has arrived. */
    private MemberFiles withArrivedState(UUID cluster, int ownExecuted) throws IOException {
        MemberFiles sender = new MemberFiles(directory(), 1);
        sender.execute(30);
        sender.snapshot(5);
        MemberFiles receiver = new MemberFiles(directory(), 3);
        receiver.belongTo(cluster);
        receiver.execute(ownExecuted);
        receiver.snapshot(3);
        receiver.execute(2);
        Files.writeString(receiver.files.getSnapDir().toPath().resolve("currentEpoch"), "0");
        try (SnapshotSender source = sender.source(4096);
                IncomingState incoming = new IncomingState(receiver.ordering)) {
            StateChannel channel = new StateChannel() {
                @Override
                public ByteSlice call(ByteSlice request) throws IOException {
                    return source.answer(3, request, () -> MemberFiles.PROMISE);
                }

                @Override
                public void close() {}
            };
            TransferProgress progress = new TransferProgress(System::nanoTime);
            MemberFiles.fetch(
                    new StateDownload("server 1", channel, incoming, 1, null, progress, TransferBounds.DEFAULT));
        }
        sender.close();
        receiver.close();
        return receiver;
    }

    private Path directory() {
        return folder.getRoot().toPath().resolve("member" + ++names);
    }

    /** Crashes before step {@code n}; returns whether there were so many. */
    private static boolean crashBefore(MemberFiles receiver, int n, Move move) throws IOException {
        int[] steps = new int[1];
        try {
            receiver.installation(
                            () -> {
                                if (++steps[0] == n) {
                                    throw new Crash();
                                }
                            },
                            move)
                    .run();
            return false;
        } catch (Crash e) {
            return true;
        }
    }

    private static void assertInstalled(MemberFiles receiver, boolean newDirectory) throws IOException {
        assertTrue(receiver.recovered(), receiver.recovered().startsWith("35 "));
        assertEquals(1, receiver.checkpoints.readAll().size());
        assertEquals(30, receiver.checkpoints.readAll().get(0).position());
        assertEquals(Map.of(), receiver.incoming());
        for (Path directory : new Path[] {
            receiver.files.getSnapDir().toPath(),
            receiver.files.getDataLogDir().toPath(),
            receiver.checkpoints.directory()
        }) {
            assertFalse(Files.exists(directory.resolve(SnapshotInstaller.REPLACED)));
        }
        assertEquals(new InstalledState(30, newDirectory, MemberFiles.PROMISE), InstalledState.read(receiver.ordering));
        UUID named = newDirectory ? null : MemberFiles.CLUSTER;
        assertEquals(new ClusterIdentity(3, named, "chain"), ClusterIdentity.read(receiver.ordering));
        assertFalse(Files.exists(receiver.files.getSnapDir().toPath().resolve("currentEpoch")));
    }

    private void crashEverywhere(Move move, UUID cluster) throws IOException {
        boolean crashed = true;
        int n = 0;
        while (crashed) {
            MemberFiles receiver = withArrivedState(cluster, 10);
            crashed = crashBefore(receiver, ++n, move);
            receiver.installation(() -> {}, move).run();
            assertInstalled(receiver, cluster == null);
        }
        assertTrue("only " + n + " steps", n > 20);
    }

    @Test
    public void crashBeforeAnyStep_theNextStartGoesOn() throws Exception {
        crashEverywhere(AtomicFile::rename, MemberFiles.CLUSTER);
    }

    @Test
    public void crashBeforeAnyStepOnTwoDevices_theNextStartGoesOn() throws Exception {
        crashEverywhere(OTHER_DEVICE, MemberFiles.CLUSTER);
    }

    @Test
    public void crashBeforeAnyStepInANewDirectory_itKnowsThatItWasNew() throws Exception {
        crashEverywhere(AtomicFile::rename, null);
    }

    @Test
    public void crashAtEveryStepInTurn_endsInstalled() throws Exception {
        MemberFiles receiver = withArrivedState(MemberFiles.CLUSTER, 10);
        int starts = 0;
        // Each start gets two steps further than its own beginning needs.
        for (int n = 1; crashBefore(receiver, n, OTHER_DEVICE); n++) {
            starts++;
        }
        assertTrue("only " + starts + " starts", starts > 5);
        assertInstalled(receiver, false);
    }

    @Test
    public void ownStateIsNewerByNow_isKept() throws Exception {
        MemberFiles receiver = withArrivedState(MemberFiles.CLUSTER, 60);
        String before = receiver.recovered();
        assertFalse(receiver.installation(() -> {}, AtomicFile::rename).run());
        assertEquals(before, receiver.recovered());
        assertEquals(Map.of(), receiver.incoming());
        assertNull(InstalledState.read(receiver.ordering));
    }

    @Test
    public void ownCheckpointsAreDamaged_areReplaced() throws Exception {
        MemberFiles receiver = withArrivedState(MemberFiles.CLUSTER, 60);
        long snapshotZxid = receiver.checkpoints.readAll().get(0).snapshotZxid();
        Files.write(receiver.checkpoints.file(snapshotZxid), new byte[] {1, 2, 3});
        assertTrue(receiver.installation(() -> {}, AtomicFile::rename).run());
        assertInstalled(receiver, false);
    }

    @Test
    public void nothingHasArrived_nothingHappens() throws Exception {
        MemberFiles receiver = new MemberFiles(directory(), 3);
        receiver.execute(10);
        receiver.snapshot(1);
        receiver.close();
        assertFalse(receiver.installation(() -> {}, AtomicFile::rename).run());
        assertNotNull(receiver.recovered());
        assertNull(InstalledState.read(receiver.ordering));
    }
}
