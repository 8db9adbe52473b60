package io.chainkeeper.server.storage;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class CheckpointTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static Checkpoint checkpoint(long position, long snapshotZxid) {
        return new Checkpoint(
                position,
                snapshotZxid - 1,
                snapshotZxid,
                snapshotZxid + 2,
                ByteSlice.of(new byte[] {1, 2, 3}),
                ByteSlice.of(new byte[] {4, 5, 6, 7}));
    }

    @Test
    public void checkpoint_decodesToItself() throws Exception {
        Checkpoint checkpoint = checkpoint(9, 0x100000007L);
        assertEquals(checkpoint, Checkpoint.decode(checkpoint.encode(), "a checkpoint"));
    }

    @Test
    public void everyCutAndEveryFlippedBit_isRefused() {
        byte[] content = checkpoint(9, 7).encode();
        for (int length = 0; length < content.length; length++) {
            byte[] cut = Arrays.copyOf(content, length);
            assertThrows(MalformedMessageException.class, () -> Checkpoint.decode(cut, "a checkpoint"));
        }
        for (int bit = 0; bit < content.length * 8; bit++) {
            byte[] flipped = content.clone();
            flipped[bit / 8] ^= 1 << bit % 8;
            assertThrows(MalformedMessageException.class, () -> Checkpoint.decode(flipped, "a checkpoint"));
        }
    }

    @Test
    public void store_returnsNewestFirstAndDeletesWithSnapshots() throws Exception {
        CheckpointStore store = new CheckpointStore(folder.getRoot().toPath().resolve("new"));
        assertEquals(List.of(), store.readAll());
        for (int i = 1; i <= 4; i++) {
            store.write(checkpoint(10L * i, 0x10L * i));
        }
        assertEquals(40, store.readAll().get(0).position());
        store.deleteBefore(0x30);
        assertEquals(
                List.of(40L, 30L),
                store.readAll().stream().map(Checkpoint::position).toList());
    }

    /** A snapshot may be taken before anything follows what a start has recovered. The older one's log may be gone. */
    @Test
    public void twoOfOnePosition_thatOfTheLaterSnapshotIsNewer() throws Exception {
        CheckpointStore store = new CheckpointStore(folder.getRoot().toPath());
        store.write(checkpoint(10, 0x12));
        store.write(checkpoint(10, 0x18));
        store.write(checkpoint(10, 0x9));
        assertEquals(0x18, store.readAll().get(0).snapshotZxid());
        store.writeOfLog(checkpoint(10, 0x11));
        assertEquals(0x18, store.readForStart().get(0).snapshotZxid());
        ByteSlice nothing = ByteSlice.of(new byte[0]);
        store.writeOfLog(new Checkpoint(10, 0x18, 0x18, 0x20, nothing, nothing));
        assertEquals(
                "what more is on stable storage",
                0x20,
                store.readForStart().get(0).coveredZxid());
    }

    @Test
    public void damagedCheckpoint_isPassedOverUnlessItIsTheOnlyOne() throws Exception {
        Path directory = folder.getRoot().toPath();
        CheckpointStore store = new CheckpointStore(directory);
        store.write(checkpoint(10, 0x10));
        Files.write(directory.resolve("checkpoint.20"), new byte[] {1, 2, 3});
        Files.write(directory.resolve("checkpoint.30.tmp"), new byte[] {1});
        assertEquals(10, store.readAll().get(0).position());
        Files.delete(directory.resolve("checkpoint.10"));
        IOException refusal = assertThrows(IOException.class, store::readAll);
        assertTrue(refusal.getMessage().contains("checkpoint.20"));
    }

    @Test
    public void checkpointOfTheLog_countsForAStartOnlyAndBesideOthers() throws Exception {
        Path directory = folder.getRoot().toPath();
        CheckpointStore store = new CheckpointStore(directory);
        store.writeOfLog(checkpoint(25, 0x25));
        assertEquals(List.of(), store.readForStart());
        store.write(checkpoint(10, 0x10));
        store.write(checkpoint(30, 0x30));
        assertEquals(
                List.of(30L, 25L, 10L),
                store.readForStart().stream().map(Checkpoint::position).toList());
        store.writeOfLog(checkpoint(40, 0x40));
        assertEquals(40, store.readForStart().get(0).position());
        assertEquals(30, store.readAll().get(0).position());
        store.deleteBefore(0x50);
        assertTrue(Files.exists(directory.resolve(CheckpointStore.OF_LOG)));
    }

    @Test
    public void damagedCheckpointOfTheLog_isPassedOver() throws Exception {
        Path directory = folder.getRoot().toPath();
        CheckpointStore store = new CheckpointStore(directory);
        store.write(checkpoint(10, 0x10));
        Files.write(directory.resolve(CheckpointStore.OF_LOG), new byte[] {1, 2, 3});
        assertEquals(10, store.readForStart().get(0).position());
    }
}
