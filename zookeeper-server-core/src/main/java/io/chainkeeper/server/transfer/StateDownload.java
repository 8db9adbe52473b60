package io.chainkeeper.server.transfer;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.transfer.StateManifest.Kind;
import io.chainkeeper.server.transfer.StateManifest.StateFile;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.UUID;

/**
 * One attempt to fetch a state over one connection, in steps of one call each. Before anything is fetched, what an
 * earlier attempt left is compared with the sender's files by checksums; it may be of another sender or damaged by a
 * crash. The same comparison at the end shows that a file has arrived whole. Used by one thread at a time.
 */
final class StateDownload {
    /** A checksum that is wrong so often is no accident. */
    private static final int MAX_REPEATS = 3;

    private final String sender;
    private final StateChannel channel;
    private final IncomingState incoming;
    private final long neededPosition;
    private final UUID ownCluster;
    private final TransferProgress progress;
    private final TransferBounds bounds;

    private Phase phase = Phase.ASKING;
    private long preferredSnapshotZxid;
    private int attempts;
    private int damagedAnswers;
    private StateManifest manifest;

    /** Which file of the manifest, how often it was read, and how much the files before it have. */
    private int index;

    private int repeats;
    private long before;

    /** Bytes of the file that were there when its comparison began, that are equal or fetched, and that are forced. */
    private long present;

    private long offset;
    private long forced;

    private boolean fetched;

    private enum Phase {
        /** For a manifest. */
        ASKING,
        /** What is there of a file with the sender's. */
        COMPARING,
        /** What is missing of a file. */
        READING
    }

    /**
     * @param sender names the member, for messages
     * @param channel open connection to it
     * @param incoming where the files go
     * @param neededPosition the position that this replica needs next
     * @param ownCluster the cluster that this replica belongs to, null if none yet
     * @param progress told of every step
     * @param bounds how much is asked for at once
     * @throws IOException if what an earlier attempt left cannot be read
     */
    StateDownload(
            String sender,
            StateChannel channel,
            IncomingState incoming,
            long neededPosition,
            UUID ownCluster,
            TransferProgress progress,
            TransferBounds bounds)
            throws IOException {
        this.sender = sender;
        this.channel = channel;
        this.incoming = incoming;
        this.neededPosition = neededPosition;
        this.ownCluster = ownCluster;
        this.progress = progress;
        this.bounds = bounds;
        StateManifest begun = incoming.begun();
        this.preferredSnapshotZxid = begun == null || tooOld(begun) ? StateRequest.NEWEST : begun.snapshotZxid();
    }

    /**
     * Makes one call, and does what follows from its answer. At the end the state is marked as complete.
     *
     * @return what has been fetched, once it is complete; null while further steps are needed
     * @throws IOException if it broke off, with the reason; what has arrived stays
     */
    StateManifest step() throws IOException {
        try {
            StateRequest request = request();
            StateAnswer answer = StateAnswer.decode(channel.call(request.encode()));
            if (answer.isIntact()) {
                damagedAnswers = 0;
                return answered(request, answer);
            }
        } catch (MalformedMessageException e) {
            throw new IOException(e.getMessage(), e);
        }
        damagedAnswers++;
        if (damagedAnswers > MAX_REPEATS) {
            throw new IOException("the same answer was damaged on its way " + MAX_REPEATS
                    + " times in a row; check the network and the memory of both servers");
        }
        return null;
    }

    /** Whether this attempt has brought anything. */
    boolean hasFetched() {
        return fetched;
    }

    /** Whether the sender has offered nothing that could be fetched, or takes back what it has offered. */
    boolean waitsForOffer() {
        return phase == Phase.ASKING;
    }

    private StateRequest request() {
        if (phase == Phase.ASKING) {
            return StateRequest.manifest(preferredSnapshotZxid, neededPosition - 1);
        }
        boolean comparing = phase == Phase.COMPARING;
        long rest = (comparing ? present : file().length()) - offset;
        return new StateRequest(
                comparing ? StateRequest.Kind.CHECKSUM : StateRequest.Kind.READ,
                manifest.snapshotZxid(),
                index,
                offset,
                (int) Math.min(comparing ? bounds.checksumBytes() : bounds.chunkBytes(), rest));
    }

    private StateFile file() {
        return manifest.files().get(index);
    }

    private StateManifest answered(StateRequest request, StateAnswer answer) throws IOException {
        if (phase == Phase.ASKING) {
            return offered(answer);
        }
        if (answer.kind() == StateAnswer.Kind.GONE) {
            senderHasClosedIt();
            return null;
        }
        return phase == Phase.COMPARING ? compared(request, answer) : arrived(request, answer);
    }

    /** The sender has closed the files that the manifest names. */
    private void senderHasClosedIt() throws IOException {
        attempts++;
        if (attempts == MAX_REPEATS) {
            throw new IOException("it had closed what it offered " + MAX_REPEATS + " times");
        }
        phase = Phase.ASKING;
        preferredSnapshotZxid = StateRequest.NEWEST;
    }

    // ---------------------------------------------------------------- what the state is

    private boolean tooOld(StateManifest offer) {
        return offer.position() < neededPosition - 1;
    }

    private StateManifest offered(StateAnswer answer) throws IOException {
        if (answer.kind() == StateAnswer.Kind.NOTHING) {
            throw new IOException(new String(answer.body().toByteArray(), StandardCharsets.UTF_8));
        }
        if (answer.kind() == StateAnswer.Kind.PREPARING) {
            // While its log is looked through the sender says so at least every few seconds; that is progress.
            return null;
        }
        requireKind(answer, StateAnswer.Kind.MANIFEST);
        StateManifest offer = manifest(answer);
        if (!tooOld(offer)) {
            begin(offer);
            return compareNext();
        }
        if (preferredSnapshotZxid == StateRequest.NEWEST) {
            throw new IOException("its newest snapshot is of position " + offer.position()
                    + " but this server needs that of position " + (neededPosition - 1) + " or later");
        }
        preferredSnapshotZxid = StateRequest.NEWEST;
        return null;
    }

    private static StateManifest manifest(StateAnswer answer) throws IOException {
        try {
            return StateManifest.decode(answer.body(), "its manifest");
        } catch (MalformedMessageException e) {
            throw new IOException("its manifest " + e.getMessage(), e);
        }
    }

    private void begin(StateManifest offer) throws IOException {
        manifest = offer;
        incoming.begin(manifest);
        long found = 0;
        for (StateFile file : manifest.files()) {
            found += incoming.length(file);
        }
        requireSpace(manifest.totalBytes() - found);
        progress.begin(sender, manifest, found);
        index = 0;
        repeats = 0;
        before = 0;
    }

    private void requireSpace(long bytes) throws IOException {
        long usable = Files.getFileStore(incoming.directory()).getUsableSpace();
        if (usable < bytes) {
            throw new IOException(incoming.directory() + " has room for " + TransferProgress.megabytes(usable)
                    + " MB, but " + TransferProgress.megabytes(bytes) + " MB are to come; free some space");
        }
    }

    // ---------------------------------------------------------------- its files

    /** Begins with a file, or with the next that is not there whole; at the end of them the state is complete. */
    private StateManifest compareNext() throws IOException {
        while (index < manifest.files().size()) {
            present = incoming.length(file());
            offset = 0;
            phase = Phase.COMPARING;
            if (present > 0 || !isWhole(0)) {
                return null;
            }
        }
        progress.at(before);
        verify();
        incoming.complete();
        progress.end();
        return manifest;
    }

    private StateManifest compared(StateRequest request, StateAnswer answer) throws IOException {
        requireKind(answer, StateAnswer.Kind.CHECKSUM);
        if (answer.crc() == incoming.checksum(file(), offset, request.length())) {
            offset += request.length();
            if (offset < present) {
                return null;
            }
        }
        return isWhole(offset) ? compareNext() : null;
    }

    /** So much of a file is the sender's, as far as the steps of the comparison tell: the rest is read. */
    private boolean isWhole(long equal) throws IOException {
        incoming.truncate(file(), equal);
        if (equal == file().length()) {
            if (repeats == 0) {
                incoming.force(file()); // an attempt that a crash has ended may not have come to that
            }
            before += equal;
            index++;
            repeats = 0;
            return true;
        }
        if (repeats > MAX_REPEATS) {
            throw new IOException(file().name() + " differs from what was sent, " + MAX_REPEATS
                    + " times in a row; check the disks and the memory of both servers");
        }
        repeats++;
        progress.at(before + equal);
        phase = Phase.READING;
        offset = equal;
        forced = equal;
        return false;
    }

    private StateManifest arrived(StateRequest request, StateAnswer answer) throws IOException {
        requireKind(answer, StateAnswer.Kind.BYTES);
        ByteSlice chunk = answer.body();
        if (chunk.length() == 0 || chunk.length() > request.length()) {
            throw new IOException("it sent " + chunk.length() + " bytes instead of " + request.length());
        }
        incoming.write(file(), offset, chunk);
        fetched = true;
        offset += chunk.length();
        progress.fetched(chunk.length());
        boolean end = offset == file().length();
        if (end || offset - forced >= bounds.forcedBytes()) {
            incoming.force(file());
            forced = offset;
        }
        return end ? compareNext() : null;
    }

    private static void requireKind(StateAnswer answer, StateAnswer.Kind kind) throws IOException {
        if (answer.kind() != kind) {
            throw new IOException("it answered with " + answer.kind() + " instead of " + kind);
        }
    }

    /** Looks whether this replica may use the state. */
    private void verify() throws IOException {
        StateFile file = manifest.find(Kind.CHECKPOINT);
        try {
            Checkpoint checkpoint = Checkpoint.decode(incoming.content(file), "its " + file.name());
            if (checkpoint.position() != manifest.position() || checkpoint.snapshotZxid() != manifest.snapshotZxid()) {
                throw new IOException("its " + file.name() + " is that of another state than its manifest");
            }
            UUID cluster = ReplicatedState.decode(checkpoint.replicatedState()).clusterId();
            if (ownCluster != null && cluster != null && !ownCluster.equals(cluster)) {
                throw new IOException("its state is that of cluster " + cluster
                        + ", but this server belongs to cluster " + ownCluster);
            }
        } catch (MalformedMessageException e) {
            throw new IOException("its " + file.name() + " " + e.getMessage(), e);
        }
    }
}
