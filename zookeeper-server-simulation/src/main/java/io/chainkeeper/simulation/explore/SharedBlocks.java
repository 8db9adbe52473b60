package io.chainkeeper.simulation.explore;

import io.chainkeeper.disk.layout.DamagedBlockException;
import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.disk.layout.ServerHeader;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DiskLabel;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.ordering.SharedDisks;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * Numbers what is asked of shared disks, what lies on them, and what is read, so that a state can name it. Disks that
 * hold the same have the same number: all bear one id, and what tells them apart, their labels, is kept aside.
 */
final class SharedBlocks {
    private static final int BLOCK = SharedDisks.BLOCK_BYTES;
    private static final long CLUSTER = 0x4449534BL;
    private static final long DISK_ID = 7;
    private static final ByteSlice ZEROS = ByteSlice.of(new byte[BLOCK]);

    /** @param written null if this is a read */
    record Request(long offset, int length, ByteSlice written) {
        boolean isWrite() {
            return written != null;
        }

        private int firstBlock() {
            return (int) (offset / BLOCK);
        }

        private int endBlock() {
            return (int) ((offset + length) / BLOCK);
        }

        /** Whether it matters which of the two is carried out first. */
        boolean isInConflictWith(Request other) {
            return (isWrite() || other.isWrite()) && firstBlock() < other.endBlock() && other.firstBlock() < endBlock();
        }
    }

    /**
     * What a replica is told.
     *
     * @param read number of the blocks that were read; {@link #NOTHING_READ} if it was a write
     */
    record Answer(Request request, int read) {}

    private record Change(int content, int request, boolean isTorn) {}

    private record Held(long position, int value) {}

    static final int NOTHING_READ = -1;

    private final DiskLayout layout;
    private final Bytes values;
    private final Bytes blocks = new Bytes();
    private final Numbered<Request> requests = new Numbered<>();
    private final Numbered<Answer> answers = new Numbered<>();

    /** By block: the number of its bytes; blocks of zeros are not there. */
    private final Numbered<Map<Integer, Integer>> contents = new Numbered<>();

    /** By disk: the blocks in which it differs from the others. */
    private final List<Map<Integer, ByteSlice>> labels = new ArrayList<>();

    private final Map<Change, Integer> changes = new HashMap<>();
    private final Map<Integer, Set<Held>> held = new HashMap<>();

    /**
     * Formats disks.
     *
     * @param layout of each
     * @param values numbers what is proposed
     */
    SharedBlocks(SharedDiskFormat format, Map<String, String> settings, int disks, DiskLayout layout, Bytes values) {
        this.layout = layout;
        this.values = values;
        Map<Integer, Integer> common = new TreeMap<>();
        for (int disk = 0; disk < disks; disk++) {
            Map<Integer, ByteSlice> formatted = new TreeMap<>();
            DiskLabel label = new DiskLabel(CLUSTER, disk, Collections.nCopies(disks, DISK_ID), 0, true);
            format.format(new Formatted(formatted), settings, label);
            Map<Integer, ByteSlice> own = new TreeMap<>();
            for (int block : List.of(0, (int) (layout.secondSuperblockOffset() / BLOCK))) {
                own.put(block, formatted.remove(block));
            }
            labels.add(own);
            Map<Integer, Integer> rest = new TreeMap<>();
            formatted.forEach((block, bytes) -> put(rest, block, bytes));
            InvariantViolated.check(disk == 0 || rest.equals(common), "disks differ in more than their labels");
            common.putAll(rest);
        }
        contents.numberOf(common);
    }

    private record Formatted(Map<Integer, ByteSlice> bytes) implements SharedDiskFormat.Blocks {
        @Override
        public ByteSlice read(long offset, int length) {
            byte[] read = new byte[length];
            for (int at = 0; at < length; at += BLOCK) {
                ByteSlice block = bytes.get((int) ((offset + at) / BLOCK));
                if (block != null) {
                    System.arraycopy(block.array(), block.offset(), read, at, BLOCK);
                }
            }
            return ByteSlice.of(read);
        }

        @Override
        public void write(long offset, ByteSlice written) {
            for (int at = 0; at < written.length(); at += BLOCK) {
                bytes.put((int) ((offset + at) / BLOCK), written.slice(at, BLOCK));
            }
        }
    }

    private void put(Map<Integer, Integer> content, int block, ByteSlice bytes) {
        if (bytes.equals(ZEROS)) {
            content.remove(block);
        } else {
            content.put(block, blocks.numberOf(bytes));
        }
    }

    // ---------------------------------------------------------------- requests

    int numberOf(Request request) {
        return requests.numberOf(request);
    }

    Request request(int number) {
        return requests.get(number);
    }

    int numberOf(Answer answer) {
        return answers.numberOf(answer);
    }

    Answer answer(int number) {
        return answers.get(number);
    }

    /** What a write makes of a disk; if it is torn, half of the bytes that change are written, the rest is garbage. */
    int written(int content, int request, boolean isTorn) {
        return changes.computeIfAbsent(new Change(content, request, isTorn), this::change);
    }

    private int change(Change change) {
        Request write = requests.get(change.request());
        Map<Integer, Integer> after = new TreeMap<>(contents.get(change.content()));
        ByteSlice bytes = write.written();
        if (change.isTorn()) {
            bytes = torn(read(after, 0, write), bytes);
        }
        for (int at = 0; at < bytes.length(); at += BLOCK) {
            int block = write.firstBlock() + at / BLOCK;
            InvariantViolated.check(!labels.get(0).containsKey(block), "writes over the label of a shared disk");
            put(after, block, bytes.slice(at, BLOCK));
        }
        return contents.numberOf(after);
    }

    private static ByteSlice torn(ByteSlice before, ByteSlice after) {
        byte[] bytes = before.toByteArray();
        int changed = 0;
        for (int i = 0; i < bytes.length; i++) {
            changed += bytes[i] != after.get(i) ? 1 : 0;
        }
        int seen = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != after.get(i)) {
                bytes[i] = (byte) (2 * seen < changed ? after.get(i) : ~after.get(i));
                seen++;
            }
        }
        return ByteSlice.of(bytes);
    }

    /** Number of what a read finds. */
    int found(int content, int request) {
        Request read = requests.get(request);
        TreeMap<Integer, Integer> all = (TreeMap<Integer, Integer>) contents.get(content);
        return contents.numberOf(new TreeMap<>(all.subMap(read.firstBlock(), read.endBlock())));
    }

    /** The bytes that an answer to a read brings. */
    ByteSlice bytes(int disk, Answer answer) {
        return read(contents.get(answer.read()), disk, answer.request());
    }

    private ByteSlice read(Map<Integer, Integer> content, int disk, Request request) {
        byte[] bytes = new byte[request.length()];
        for (int block = request.firstBlock(); block < request.endBlock(); block++) {
            Integer number = content.get(block);
            ByteSlice own = labels.get(disk).get(block);
            ByteSlice there = own != null || number == null ? own : blocks.get(number);
            if (there != null) {
                int at = (block - request.firstBlock()) * BLOCK;
                System.arraycopy(there.array(), there.offset(), bytes, at, BLOCK);
            }
        }
        return ByteSlice.of(bytes);
    }

    // ---------------------------------------------------------------- what is on disks

    /** Whether a disk holds a value at a position, or says that all members have a checkpoint behind it. */
    boolean holds(int content, long position, int value) {
        Set<Held> all = held.computeIfAbsent(content, this::heldBy);
        return all.contains(new Held(position, value)) || all.contains(new Held(position, NOTHING_READ));
    }

    private Set<Held> heldBy(int content) {
        Request everything = new Request(0, (int) layout.diskBytes(), null);
        ByteSlice disk = read(contents.get(content), 0, everything);
        Set<Held> found = new HashSet<>();
        for (int slot = 0; slot < layout.slots(); slot++) {
            try {
                ByteSlice block = disk.slice((int) layout.headerOffset(slot), BLOCK);
                ServerHeader header = ServerHeader.decode(block, slot, DISK_ID);
                for (long position = 1; position <= header.freed(); position++) {
                    found.add(new Held(position, NOTHING_READ));
                }
                addRing(disk, slot, header.tail(), found);
            } catch (DamagedBlockException e) {
                throw new InvariantViolated("a header that was durable is damaged: " + e.getMessage());
            }
        }
        return found;
    }

    private void addRing(ByteSlice disk, int slot, long tail, Set<Held> found) {
        IntUnaryOperator onDisk = inRegion -> (int) layout.ringOffset(slot) + inRegion % layout.regionBytes();
        long offset = tail;
        while (offset - tail < layout.regionBytes()) {
            int at = onDisk.applyAsInt((int) (offset % layout.regionBytes()));
            int length = RingEntry.bytesAt(disk.slice(at, BLOCK), CLUSTER, slot, offset);
            RingEntry entry = length == 0 ? null : RingEntry.decode(disk.slice(at, length));
            if (entry == null) {
                return;
            }
            if (!entry.isSkip()) {
                found.add(new Held(entry.position(), values.numberOf(entry.value())));
            }
            offset = entry.end();
        }
    }

    /** A request in words. */
    String describe(int request) {
        Request asked = requests.get(request);
        String where = "its label and the headers";
        if (asked.offset() >= layout.headersBytes()) {
            long inRings = asked.offset() - layout.headersBytes();
            where = "the ring of " + (inRings / layout.regionBytes() + 1) + " at block "
                    + inRings % layout.regionBytes() / BLOCK;
        } else if (asked.isWrite()) {
            where = "the header of " + asked.offset() / BLOCK;
        }
        return (asked.isWrite() ? "write " : "read ") + where;
    }
}
