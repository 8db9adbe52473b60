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
 * One attempt to fetch a state over one connection. Before anything is fetched, what an earlier attempt left is
 * compared with the sender's files by checksums; it may be of another sender or damaged by a crash. The same comparison
 * at the end shows that a file has arrived whole. Used by one thread.
 */
final class StateDownload {
    /** A checksum that is wrong so often is no accident. */
    private static final int MAX_REPEATS = 3;

    /** Forced from time to time: at the end of a large file it would take long enough to count as idle. */
    private static final long FORCE_BYTES = 32 << 20;

    private final String sender;
    private final StateChannel channel;
    private final IncomingState incoming;
    private final long neededPosition;
    private final UUID ownCluster;
    private final TransferProgress progress;
    private final int checksumBytes;

    /** The sender has closed the files that the manifest names. */
    private static final class StateGoneException extends Exception {
        private static final long serialVersionUID = 1;
    }

    /**
     * @param sender names the member, for messages
     * @param channel open connection to it
     * @param incoming where the files go
     * @param neededPosition the position that this replica needs next
     * @param ownCluster the cluster that this replica belongs to, null if none yet
     * @param progress told of every step
     * @param checksumBytes how much of a file is compared at once, at most {@link SnapshotSender#MAX_CHECKSUM_BYTES}
     */
    StateDownload(
            String sender,
            StateChannel channel,
            IncomingState incoming,
            long neededPosition,
            UUID ownCluster,
            TransferProgress progress,
            int checksumBytes) {
        this.sender = sender;
        this.channel = channel;
        this.incoming = incoming;
        this.neededPosition = neededPosition;
        this.ownCluster = ownCluster;
        this.progress = progress;
        this.checksumBytes = checksumBytes;
    }

    /**
     * Fetches what is missing and marks the state as complete.
     *
     * @return what has been fetched
     * @throws IOException if it broke off, with the reason; what has arrived stays
     */
    StateManifest run() throws IOException {
        StateManifest begun = incoming.begun();
        long preferred = begun == null || tooOld(begun) ? StateRequest.NEWEST : begun.snapshotZxid();
        for (int attempt = 1; attempt <= MAX_REPEATS; attempt++) {
            StateManifest manifest = manifest(preferred);
            if (tooOld(manifest) && preferred != StateRequest.NEWEST) {
                manifest = manifest(StateRequest.NEWEST);
            }
            if (tooOld(manifest)) {
                throw new IOException("its newest snapshot is of position " + manifest.position()
                        + " but this server needs that of position " + (neededPosition - 1) + " or later");
            }
            try {
                fetch(manifest);
                verify(manifest);
                incoming.complete();
                progress.end();
                return manifest;
            } catch (StateGoneException e) {
                preferred = StateRequest.NEWEST;
            }
        }
        throw new IOException("it had closed what it offered " + MAX_REPEATS + " times");
    }

    private boolean tooOld(StateManifest manifest) {
        return manifest.position() < neededPosition - 1;
    }

    private StateManifest manifest(long preferredSnapshotZxid) throws IOException {
        while (true) {
            StateAnswer answer = ask(StateRequest.manifest(preferredSnapshotZxid, neededPosition - 1));
            if (answer.kind() == StateAnswer.Kind.NOTHING) {
                throw new IOException(new String(answer.body().toByteArray(), StandardCharsets.UTF_8));
            }
            // While its log is looked through the sender says so at least every few seconds; that is progress.
            if (answer.kind() != StateAnswer.Kind.PREPARING) {
                requireKind(answer, StateAnswer.Kind.MANIFEST);
                try {
                    return StateManifest.decode(answer.body());
                } catch (MalformedMessageException e) {
                    throw new IOException("its manifest " + e.getMessage(), e);
                }
            }
        }
    }

    private void fetch(StateManifest manifest) throws IOException, StateGoneException {
        incoming.begin(manifest);
        long present = 0;
        for (StateFile file : manifest.files()) {
            present += incoming.length(file);
        }
        requireSpace(manifest.totalBytes() - present);
        progress.begin(sender, manifest, present);
        long before = 0;
        for (int index = 0; index < manifest.files().size(); index++) {
            fetch(manifest, index, before);
            before += manifest.files().get(index).length();
        }
        progress.at(before);
    }

    private void requireSpace(long bytes) throws IOException {
        long usable = Files.getFileStore(incoming.directory()).getUsableSpace();
        if (usable < bytes) {
            throw new IOException(incoming.directory() + " has room for " + TransferProgress.megabytes(usable)
                    + " MB, but " + TransferProgress.megabytes(bytes) + " MB are to come; free some space");
        }
    }

    private void fetch(StateManifest manifest, int index, long before) throws IOException, StateGoneException {
        StateFile file = manifest.files().get(index);
        for (int repeat = 0; ; repeat++) {
            long equal = equalBytes(manifest, index);
            incoming.truncate(file, equal);
            if (equal == file.length()) {
                return;
            }
            if (repeat > MAX_REPEATS) {
                throw new IOException(file.name() + " differs from what was sent, " + MAX_REPEATS
                        + " times in a row; check the disks and the memory of both servers");
            }
            progress.at(before + equal);
            long forced = equal;
            while (equal < file.length()) {
                int length = (int) Math.min(SnapshotSender.MAX_CHUNK_BYTES, file.length() - equal);
                ByteSlice chunk =
                        chunk(new StateRequest(StateRequest.Kind.READ, manifest.snapshotZxid(), index, equal, length));
                incoming.write(file, equal, chunk);
                equal += chunk.length();
                progress.fetched(chunk.length());
                if (equal - forced >= FORCE_BYTES) {
                    incoming.force(file);
                    forced = equal;
                }
            }
            incoming.force(file);
        }
    }

    /** How many bytes at the beginning of a file are the sender's, as far as the steps of the comparison tell. */
    private long equalBytes(StateManifest manifest, int index) throws IOException, StateGoneException {
        StateFile file = manifest.files().get(index);
        long present = incoming.length(file);
        for (long offset = 0; offset < present; offset += checksumBytes) {
            int length = (int) Math.min(checksumBytes, present - offset);
            StateAnswer answer = askAbout(
                    new StateRequest(StateRequest.Kind.CHECKSUM, manifest.snapshotZxid(), index, offset, length));
            requireKind(answer, StateAnswer.Kind.CHECKSUM);
            if (answer.crc() != incoming.checksum(file, offset, length)) {
                return offset;
            }
        }
        return present;
    }

    private ByteSlice chunk(StateRequest request) throws IOException, StateGoneException {
        StateAnswer answer = askAbout(request);
        requireKind(answer, StateAnswer.Kind.BYTES);
        if (answer.body().length() == 0 || answer.body().length() > request.length()) {
            throw new IOException("it sent " + answer.body().length() + " bytes instead of " + request.length());
        }
        return answer.body();
    }

    private StateAnswer askAbout(StateRequest request) throws IOException, StateGoneException {
        StateAnswer answer = ask(request);
        if (answer.kind() == StateAnswer.Kind.GONE) {
            throw new StateGoneException();
        }
        return answer;
    }

    private StateAnswer ask(StateRequest request) throws IOException {
        for (int repeat = 0; repeat <= MAX_REPEATS; repeat++) {
            try {
                StateAnswer answer = StateAnswer.decode(channel.call(request.encode()));
                if (answer.isIntact()) {
                    return answer;
                }
            } catch (MalformedMessageException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
        throw new IOException("the same answer was damaged on its way " + MAX_REPEATS
                + " times in a row; check the network and the memory of both servers");
    }

    private static void requireKind(StateAnswer answer, StateAnswer.Kind kind) throws IOException {
        if (answer.kind() != kind) {
            throw new IOException("it answered with " + answer.kind() + " instead of " + kind);
        }
    }

    /** Looks whether this replica may use the state. */
    private void verify(StateManifest manifest) throws IOException {
        StateFile file = manifest.find(Kind.CHECKPOINT);
        try {
            Checkpoint checkpoint = Checkpoint.decode(incoming.content(file));
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
