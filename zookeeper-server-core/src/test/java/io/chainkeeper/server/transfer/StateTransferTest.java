package io.chainkeeper.server.transfer;

import static io.chainkeeper.server.transfer.MemberFiles.PROMISE;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.server.transfer.StateManifest.Kind;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A state goes from one member's files to another's, whatever breaks on the way. */
public final class StateTransferTest {
    private static final int CHUNK_BYTES = 4096;
    private static final int CHECKSUM_BYTES = 3 * CHUNK_BYTES;
    private static final int RECEIVER = 3;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private MemberFiles sender;
    private MemberFiles receiver;
    private SnapshotSender source;
    private long bytesRead;

    @Before
    public void open() throws IOException {
        sender = new MemberFiles(folder.getRoot().toPath().resolve("sender"), 1);
        sender.execute(300);
        sender.snapshot(50);
        sender.execute(20);
        receiver = new MemberFiles(folder.getRoot().toPath().resolve("receiver"), RECEIVER);
        source = sender.source(CHUNK_BYTES);
    }

    @After
    public void close() throws IOException {
        source.close();
        sender.close();
        receiver.close();
    }

    /** Counts what is read, and lets a test change or refuse answers. */
    private StateChannel channel(SnapshotSender asked, Faults faults) {
        return new StateChannel() {
            @Override
            public ByteSlice call(ByteSlice request) throws IOException {
                ByteSlice answer = asked.answer(RECEIVER, request, () -> PROMISE);
                if (request.get(0) == StateRequest.Kind.READ.ordinal()) {
                    answer = faults.onRead(answer);
                    bytesRead += answer.length() - StateAnswer.HEAD_BYTES;
                }
                return answer;
            }

            @Override
            public void close() {}
        };
    }

    private interface Faults {
        ByteSlice onRead(ByteSlice answer) throws IOException;
    }

    private StateManifest fetch(SnapshotSender asked, long neededPosition, UUID cluster, Faults faults)
            throws IOException {
        try (IncomingState incoming = new IncomingState(receiver.ordering)) {
            TransferBounds usual = TransferBounds.DEFAULT;
            return MemberFiles.fetch(new StateDownload(
                    "server 1",
                    channel(asked, faults),
                    incoming,
                    neededPosition,
                    cluster,
                    new TransferProgress(System::nanoTime),
                    new TransferBounds(usual.chunkBytes(), CHECKSUM_BYTES, usual.forcedBytes(), usual.receivers())));
        }
    }

    private StateManifest fetch() throws IOException {
        return fetch(source, 1, null, answer -> answer);
    }

    private boolean install() throws IOException {
        return receiver.installation(() -> {}, AtomicFile::rename).run();
    }

    private Path incoming(StateManifest manifest, Kind kind) {
        return receiver.ordering.resolve("incoming").resolve(manifest.find(kind).name());
    }

    private static void flip(Path file, long offset) throws IOException {
        try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
            content.seek(offset);
            int before = content.read();
            content.seek(offset);
            content.write(before ^ 1);
        }
    }

    @Test
    public void receiverNeedsMoreThanTheNewestSnapshotHolds_senderTakesOne() throws Exception {
        StateManifest manifest = fetch(source, 366, null, answer -> answer);
        assertEquals(370, manifest.position());
        assertTrue(install());
        assertTrue(receiver.recovered(), receiver.recovered().endsWith(" 370"));
        assertEquals(1, sender.snapshotsOnDemand);
        fetch(source, 366, null, answer -> answer);
        assertEquals("that one is good enough", 1, sender.snapshotsOnDemand);
    }

    @Test
    public void receiversNeedEverNewerStates_snapshotsDoNotFollowEachOther() throws Exception {
        fetch(source, 366, null, answer -> answer);
        sender.execute(20);
        IOException refusal = assertThrows(IOException.class, () -> fetch(source, 390, null, answer -> answer));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("has just taken a snapshot"));
        assertEquals(1, sender.snapshotsOnDemand);
    }

    @Test
    public void senderHasNoRoomForASnapshot_receiverIsToldWhy() throws Exception {
        sender.noRoomForSnapshots = "no room in /there";
        for (int i = 0; i < 2; i++) {
            IOException refusal = assertThrows(IOException.class, () -> fetch(source, 366, null, answer -> answer));
            assertEquals("no room in /there", refusal.getMessage());
        }
        assertEquals(300, fetch().position());
    }

    @Test
    public void receiverNeedsMoreThanTheSenderHas_noSnapshotIsTaken() throws Exception {
        IOException refusal = assertThrows(IOException.class, () -> fetch(source, 372, null, answer -> answer));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("reaches only position 370"));
        assertEquals(0, sender.snapshotsOnDemand);
    }

    @Test
    public void wholeState_isFetchedOnceAndStartsFromWhereTheSenderWas() throws Exception {
        StateManifest manifest = fetch();
        assertEquals(manifest.totalBytes(), bytesRead);
        assertEquals(300, manifest.position());
        assertTrue(install());
        // The snapshot and the transactions that it needs, not the 20 that came later.
        assertTrue(receiver.recovered(), receiver.recovered().startsWith("350 "));
        assertTrue(receiver.recovered(), receiver.recovered().endsWith(" 300"));
        assertEquals(Map.of(), receiver.incoming());
        assertEquals(new InstalledState(300, true, PROMISE), InstalledState.read(receiver.ordering));
        assertFalse("nothing more to install", install());
    }

    @Test
    public void brokenAfterEveryChunk_isContinuedAndFetchesNothingTwice() throws Exception {
        int[] breaks = new int[1];
        StateManifest manifest = null;
        while (manifest == null) {
            boolean[] delivered = new boolean[1];
            try {
                manifest = fetch(source, 1, null, answer -> {
                    if (delivered[0]) {
                        throw new IOException("connection reset");
                    }
                    delivered[0] = true;
                    return answer;
                });
            } catch (IOException e) {
                assertEquals("connection reset", e.getMessage());
                breaks[0]++;
            }
        }
        assertTrue("broke " + breaks[0] + " times", breaks[0] > 10);
        assertEquals(manifest.totalBytes(), bytesRead);
        assertTrue(install());
        assertTrue(receiver.recovered().startsWith("350 "));
    }

    @Test
    public void senderPurgesMeanwhile_theTransferGoesOn() throws Exception {
        int[] reads = new int[1];
        StateManifest manifest = fetch(source, 1, null, answer -> {
            if (++reads[0] == 3) {
                sender.purge();
            }
            return answer;
        });
        assertEquals(manifest.totalBytes(), bytesRead);
        assertEquals(300, source.lowestPositionInUse());
        assertTrue(install());
        assertTrue(receiver.recovered().startsWith("350 "));
    }

    @Test
    public void senderHasReleasedItsFiles_itsNewestStateIsFetched() throws Exception {
        int[] reads = new int[1];
        StateManifest manifest = fetch(source, 1, null, answer -> {
            if (++reads[0] == 3) {
                sender.purge();
                sender.snapshot(0);
                source.release(System.nanoTime());
            }
            return answer;
        });
        assertEquals(370, manifest.position());
        assertTrue(install());
        assertTrue(receiver.recovered().startsWith("370 "));
        source.release(System.nanoTime());
        assertEquals(Long.MAX_VALUE, source.lowestPositionInUse());
    }

    @Test
    public void senderIsInterruptedWhileItReads_theNextAttemptGoesOn() throws Exception {
        int[] reads = new int[1];
        StateManifest manifest = fetch(source, 1, null, answer -> {
            if (++reads[0] == 3) {
                interruptedRead();
            }
            return answer;
        });
        assertEquals(manifest.totalBytes(), bytesRead);
        assertTrue(install());
    }

    /** Java closes a file whose reader is interrupted. */
    private void interruptedRead() throws IOException {
        StateManifest begun = new IncomingState(receiver.ordering).begun();
        Thread.currentThread().interrupt();
        ByteSlice answer = source.answer(
                RECEIVER,
                new StateRequest(StateRequest.Kind.READ, begun.snapshotZxid(), 1, 0, 10).encode(),
                () -> PROMISE);
        assertTrue(Thread.interrupted());
        assertEquals(StateAnswer.Kind.GONE.ordinal(), answer.get(0));
    }

    @Test
    public void newerSnapshotTakenBeforeTheBreak_theOlderOneIsContinued() throws Exception {
        assertThrows(
                IOException.class,
                () -> fetch(source, 1, null, answer -> {
                    throw new IOException("connection reset");
                }));
        sender.snapshot(10);
        source.release(System.nanoTime());
        assertEquals(300, fetch().position());
        assertEquals("nothing newer is preferred to what has begun", 300, source.lowestPositionInUse());
    }

    @Test
    public void olderStateDoesNotReachFarEnough_theNewestIsFetched() throws Exception {
        assertThrows(
                IOException.class,
                () -> fetch(source, 1, null, answer -> {
                    throw new IOException("connection reset");
                }));
        sender.snapshot(10);
        assertEquals(370, fetch(source, 350, null, answer -> answer).position());
        IOException tooOld = assertThrows(IOException.class, () -> fetch(source, 400, null, answer -> answer));
        assertTrue(tooOld.getMessage(), tooOld.getMessage().contains("position 399"));
    }

    @Test
    public void chunkDamagedOnItsWay_isFetchedAgain() throws Exception {
        int[] reads = new int[1];
        StateManifest manifest = fetch(source, 1, null, answer -> ++reads[0] % 2 == 1 ? damaged(answer) : answer);
        assertTrue(bytesRead > manifest.totalBytes());
        assertTrue(install());
        assertTrue(receiver.recovered().startsWith("350 "));
    }

    private static ByteSlice damaged(ByteSlice answer) {
        byte[] bytes = answer.toByteArray();
        bytes[bytes.length - 1] ^= 1;
        return ByteSlice.of(bytes);
    }

    @Test
    public void everyChunkDamaged_saysSoAndGivesUp() {
        IOException refusal = assertThrows(IOException.class, () -> fetch(source, 1, null, StateTransferTest::damaged));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("damaged on its way"));
    }

    @Test
    public void receiverDiesInTheMiddleAndLosesUnforcedBytes_onlyTheseAreFetchedAgain() throws Exception {
        int[] reads = new int[1];
        assertThrows(
                IOException.class,
                () -> fetch(source, 1, null, answer -> {
                    if (++reads[0] == 8) {
                        throw new IOException("process killed");
                    }
                    return answer;
                }));
        StateManifest begun = new IncomingState(receiver.ordering).begun();
        Path snapshot = incoming(begun, Kind.SNAPSHOT);
        assertTrue(Files.size(snapshot) > CHECKSUM_BYTES);
        flip(snapshot, CHECKSUM_BYTES + 10);
        long before = Files.size(snapshot);
        long readBefore = bytesRead;
        StateManifest manifest = fetch();
        assertEquals(begun, manifest);
        long again = before - CHECKSUM_BYTES;
        assertEquals(manifest.totalBytes() - readBefore + again, bytesRead - readBefore);
        assertTrue(install());
        assertTrue(receiver.recovered().startsWith("350 "));
    }

    @Test
    public void otherMemberTakesOver_onlyWhatDiffersIsFetched() throws Exception {
        assertThrows(
                IOException.class,
                () -> fetch(source, 1, null, answer -> {
                    if (bytesRead > 5 * CHUNK_BYTES) {
                        throw new IOException("sender died");
                    }
                    return answer;
                }));
        // The same commands give the same snapshot; the log of this member begins elsewhere.
        MemberFiles other = new MemberFiles(folder.getRoot().toPath().resolve("other"), 2);
        other.execute(300);
        other.snapshot(30);
        long readBefore = bytesRead;
        try (SnapshotSender second = other.source(CHUNK_BYTES)) {
            StateManifest manifest = fetch(second, 1, null, answer -> answer);
            assertTrue(
                    "read " + (bytesRead - readBefore) + " of " + manifest.totalBytes(),
                    bytesRead - readBefore <= manifest.totalBytes() - 4 * CHUNK_BYTES);
        }
        other.close();
        assertTrue(install());
        assertTrue(receiver.recovered(), receiver.recovered().startsWith("330 "));
    }

    @Test
    public void fileDamagedOnTheReceiversDisk_isFoundBeforeItIsInstalled() throws Exception {
        int[] reads = new int[1];
        StateManifest[] begun = new StateManifest[1];
        StateManifest manifest = fetch(source, 1, null, answer -> {
            if (++reads[0] == 6) {
                begun[0] = new IncomingState(receiver.ordering).begun();
                flip(incoming(begun[0], Kind.SNAPSHOT), 100);
            }
            return answer;
        });
        assertTrue(bytesRead > manifest.totalBytes());
        assertTrue(install());
        assertTrue(receiver.recovered().startsWith("350 "));
    }

    @Test
    public void stateOfAnotherCluster_isRefused() throws Exception {
        IOException refusal = assertThrows(IOException.class, () -> fetch(source, 1, new UUID(1, 1), answer -> answer));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains(MemberFiles.CLUSTER.toString()));
        assertFalse(install());
    }

    @Test
    public void memberWithoutSnapshot_saysThatItHasNone() throws Exception {
        try (SnapshotSender empty = receiver.source(CHUNK_BYTES)) {
            IOException refusal = assertThrows(IOException.class, () -> fetch(empty, 1, null, answer -> answer));
            assertTrue(refusal.getMessage(), refusal.getMessage().contains("no snapshot"));
        }
    }

    /** Two of five may have diverged: the one must not get its state from the other. */
    @Test
    public void memberThatHasDiverged_givesItsStateToNobody() throws Exception {
        ByteSlice request = StateRequest.manifest(StateRequest.NEWEST, 0).encode();
        StateManifest manifest = StateManifest.decode(
                StateAnswer.decode(source.answer(10, request, () -> PROMISE)).body(), "a manifest");
        ByteSlice part = new StateRequest(StateRequest.Kind.READ, manifest.snapshotZxid(), 0, 0, 10).encode();
        assertEquals(StateAnswer.Kind.BYTES, answer(10, part));
        sender.isWrong = true;
        assertEquals("of a transfer that had begun", StateAnswer.Kind.GONE, answer(10, part));
        IOException refusal = assertThrows(IOException.class, () -> fetch(source, 1, null, answer -> answer));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("differs from that of a majority"));
        sender.isWrong = false;
        assertEquals(StateAnswer.Kind.BYTES, answer(10, part));
    }

    /** One of before may be lower than what the state rests on. */
    @Test
    public void promise_isAskedForWhenTheStateHasBeenChosen() throws Exception {
        ByteSlice request = StateRequest.manifest(StateRequest.NEWEST, 0).encode();
        ByteSlice answer = source.answer(10, request, () -> {
            try {
                sender.snapshot(0);
                return PROMISE;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        StateManifest manifest = StateManifest.decode(StateAnswer.decode(answer).body(), "a manifest");
        assertEquals("chosen before the newer one was there", 300, manifest.position());
        assertEquals(PROMISE, manifest.promise());
    }

    @Test
    public void tooManyReceivers_areRefusedUntilOneIsReleased() throws Exception {
        // Who does not ask for a second gives its place away: in the test's time none passes.
        source.close();
        source = sender.source(CHUNK_BYTES, new OwnClock(new AtomicLong()));
        ByteSlice request = StateRequest.manifest(StateRequest.NEWEST, 0).encode();
        for (int peer = 10; peer < 14; peer++) {
            assertEquals(StateAnswer.Kind.MANIFEST, answer(peer, request));
        }
        assertEquals(StateAnswer.Kind.NOTHING, answer(14, request));
        assertEquals(StateAnswer.Kind.MANIFEST, answer(13, request));
        source.release(0);
        assertEquals(StateAnswer.Kind.MANIFEST, answer(14, request));
    }

    private StateAnswer.Kind answer(int peer, ByteSlice request) throws Exception {
        return StateAnswer.decode(source.answer(peer, request, () -> PROMISE)).kind();
    }

    @Test
    public void requestOutsideOfFiles_isRefused() throws Exception {
        StateManifest manifest = fetch();
        long zxid = manifest.snapshotZxid();
        long length = manifest.files().get(1).length();
        for (StateRequest wrong : List.of(
                new StateRequest(StateRequest.Kind.READ, zxid, 9, 0, 1),
                new StateRequest(StateRequest.Kind.READ, zxid, -1, 0, 1),
                new StateRequest(StateRequest.Kind.READ, zxid, 1, -1, 1),
                new StateRequest(StateRequest.Kind.READ, zxid, 1, 0, -1),
                new StateRequest(StateRequest.Kind.READ, zxid, 1, length, 1),
                new StateRequest(StateRequest.Kind.READ, zxid, 1, Long.MAX_VALUE, 1),
                new StateRequest(StateRequest.Kind.CHECKSUM, zxid, 1, 0, Integer.MAX_VALUE))) {
            assertThrows(
                    wrong.toString(), IOException.class, () -> source.answer(RECEIVER, wrong.encode(), () -> PROMISE));
        }
        assertThrows(IOException.class, () -> source.answer(RECEIVER, ByteSlice.of(new byte[3]), () -> PROMISE));
    }

    @Test
    public void everyCutAndEveryFlippedBitOfAManifest_isRefused() throws Exception {
        byte[] content = fetch().encode();
        assertEquals(fetch(), StateManifest.decode(ByteSlice.of(content), "a manifest"));
        for (int length = 0; length < content.length; length++) {
            ByteSlice cut = ByteSlice.of(content, 0, length);
            assertThrows(Exception.class, () -> StateManifest.decode(cut, "a manifest"));
        }
        for (int bit = 0; bit < content.length * 8; bit++) {
            byte[] flipped = content.clone();
            flipped[bit / 8] ^= 1 << bit % 8;
            assertThrows(Exception.class, () -> StateManifest.decode(ByteSlice.of(flipped), "a manifest"));
        }
    }

    @Test
    public void namesThatLeadElsewhere_areRefused() {
        for (String name : List.of("../snapshot.5", "snapshot.5/../x", "snapshot.", "myid", "log.5", "snapshot.xyz")) {
            StateManifest manifest = new StateManifest(
                    1,
                    5,
                    5,
                    PROMISE,
                    List.of(
                            new StateManifest.StateFile(Kind.CHECKPOINT, "checkpoint.5", 1),
                            new StateManifest.StateFile(Kind.SNAPSHOT, name, 1)));
            assertThrows(
                    name, Exception.class, () -> StateManifest.decode(ByteSlice.of(manifest.encode()), "a manifest"));
        }
    }

    @Test
    public void limitedSender_takesTheTimeThatTheLimitAsks() {
        long[] now = {1_000};
        RateLimit limit = new RateLimit(1_000_000, () -> now[0], nanos -> now[0] += nanos);
        for (int i = 0; i < 11; i++) {
            limit.acquire(100_000);
        }
        assertEquals(1_000_001_000L, now[0]);
        now[0] += 10_000_000_000L;
        limit.acquire(100_000);
        limit.acquire(100_000);
        assertNotEquals("idle time is not made up for", 11_000_001_000L, now[0]);
    }
}
