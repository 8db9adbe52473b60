package io.chainkeeper.server.transfer;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.release.BinaryHead;
import io.chainkeeper.release.NewerFormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a member offers: a snapshot, its checkpoint, and as much of the transaction log as the fuzzy snapshot needs.
 * None of these bytes changes any more, so a transfer can be continued at any of them. Immutable.
 *
 * <pre>
 * magic         long   "CKSTATE3": the last byte is the format version
 * release       24 bytes, see {@link io.chainkeeper.release.Release#putName}; not in version 2
 * position      long
 * snapshotZxid  long
 * coveredZxid   long
 * promise       its length (byte), then what the sender has promised
 * fileCount     int    then per file: kind (byte), length (long), name length (byte), name (ASCII)
 * crc32c        int    of everything before it
 * </pre>
 *
 * @param position that the checkpoint stands for; the order is needed from the next one on
 * @param snapshotZxid names the snapshot
 * @param coveredZxid the transactions reach up to it
 * @param promise what the sender has promised, as its protocol records it; at most {@link #MAX_PROMISE_BYTES}
 * @param files the files, at most {@link #MAX_FILES}
 */
record StateManifest(long position, long snapshotZxid, long coveredZxid, ByteSlice promise, List<StateFile> files) {
    /** Bounds the length of a manifest well below that of an answer. */
    static final int MAX_FILES = 1024;

    /** Bounds the length of a promise; it has to fit into a byte. */
    static final int MAX_PROMISE_BYTES = 127;

    private static final BinaryHead HEAD = new BinaryHead(0x434b535441544500L, 3, 3);
    private static final int OLDEST_VERSION = 2;
    private static final int FIXED_BYTES = 3 * Long.BYTES + 1 + 2 * Integer.BYTES;
    private static final int FILE_BYTES = 2 + Long.BYTES;

    /** Where a file belongs. */
    enum Kind {
        CHECKPOINT("checkpoint"),
        SNAPSHOT("snapshot"),
        TRANSACTIONS("log");

        private final Pattern names;

        Kind(String prefix) {
            names = Pattern.compile(prefix + "\\.[0-9a-f]{1,16}(\\.(gz|snappy))?");
        }
    }

    /**
     * One file.
     *
     * @param kind where it belongs
     * @param name its name, without directory
     * @param length how many of its bytes belong to the state
     */
    record StateFile(Kind kind, String name, long length) {}

    StateManifest {
        InvariantViolated.check(
                promise.length() <= MAX_PROMISE_BYTES, "a promise of %d bytes goes with a state", promise.length());
        files = List.copyOf(files);
    }

    /** Bytes of all files. */
    long totalBytes() {
        return files.stream().mapToLong(StateFile::length).sum();
    }

    StateFile find(Kind kind) {
        return files.stream().filter(file -> file.kind() == kind).findFirst().orElseThrow();
    }

    boolean names(String name) {
        return files.stream().anyMatch(file -> file.name().equals(name));
    }

    byte[] encode() {
        int nameBytes = files.stream().mapToInt(file -> file.name().length()).sum();
        ByteBuffer out = ByteBuffer.allocate(
                BinaryHead.BYTES + FIXED_BYTES + promise.length() + files.size() * FILE_BYTES + nameBytes);
        HEAD.put(out);
        out.putLong(position).putLong(snapshotZxid).putLong(coveredZxid);
        out.put((byte) promise.length()).put(promise.asByteBuffer());
        out.putInt(files.size());
        for (StateFile file : files) {
            byte[] name = file.name().getBytes(StandardCharsets.US_ASCII);
            out.put((byte) file.kind().ordinal()).putLong(file.length());
            out.put((byte) name.length).put(name);
        }
        BinaryHead.putChecksum(out);
        return out.array();
    }

    /**
     * Reads back what {@link #encode} wrote. Names that could lead out of a directory are refused.
     *
     * @param name of the file, or who has sent it, for messages
     * @throws MalformedMessageException if it is anything else
     * @throws NewerFormatException if a later release wrote it
     */
    static StateManifest decode(ByteSlice bytes, String name) throws MalformedMessageException, NewerFormatException {
        byte[] content = bytes.toByteArray();
        ByteBuffer in = ByteBuffer.wrap(content);
        try {
            if (HEAD.version(in, name) < OLDEST_VERSION) {
                throw new MalformedMessageException("is no manifest of a state, or one of an earlier version");
            }
            long position = in.getLong();
            long snapshotZxid = in.getLong();
            long coveredZxid = in.getLong();
            byte[] promise = new byte[in.get()];
            in.get(promise);
            int count = in.getInt();
            if (count < 2 || count > MAX_FILES) {
                throw new MalformedMessageException("names " + count + " files");
            }
            List<StateFile> files = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                files.add(file(in));
            }
            StateManifest manifest =
                    new StateManifest(position, snapshotZxid, coveredZxid, ByteSlice.of(promise), files);
            manifest.check(in.remaining());
            return manifest;
        } catch (BufferUnderflowException | IndexOutOfBoundsException | NegativeArraySizeException e) {
            throw new MalformedMessageException("is cut short");
        }
    }

    private static StateFile file(ByteBuffer in) throws MalformedMessageException {
        int kind = in.get();
        long length = in.getLong();
        byte[] name = new byte[Byte.toUnsignedInt(in.get())];
        in.get(name);
        String text = new String(name, StandardCharsets.US_ASCII);
        Kind[] kinds = Kind.values();
        if (kind < 0
                || kind >= kinds.length
                || length < 0
                || !kinds[kind].names.matcher(text).matches()) {
            throw new MalformedMessageException(
                    "names '" + text + "' as a file of kind " + kind + ", length " + length);
        }
        return new StateFile(kinds[kind], text, length);
    }

    private void check(int remaining) throws MalformedMessageException {
        long checkpoints = count(Kind.CHECKPOINT);
        long snapshots = count(Kind.SNAPSHOT);
        long names = files.stream().map(StateFile::name).distinct().count();
        if (remaining != Integer.BYTES || checkpoints != 1 || snapshots != 1 || names != files.size()) {
            throw new MalformedMessageException("names " + checkpoints + " checkpoints, " + snapshots
                    + " snapshots and " + names + " different files");
        }
    }

    private long count(Kind kind) {
        return files.stream().filter(file -> file.kind() == kind).count();
    }
}
