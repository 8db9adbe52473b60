package io.chainkeeper.simulation.disk;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One file, whatever its name: what processes see of it, unless that is in a real file, what is on stable storage, and
 * where the two may differ.
 */
final class DiskFile implements DiskNode {
    /** What a disk writes whole or not at all. */
    static final int SECTOR_BYTES = 512;

    private static final byte[] NOTHING = new byte[0];

    /** A forced file up to this size is kept once, without the zeros at its end: some runs have 100,000 of them. */
    private static final int MOST_PACKED_BYTES = 8 << 10;

    private byte[] durable = NOTHING;

    /** What was written since the last force, from and to; nothing if it is not below. */
    private int dirtyFrom = Integer.MAX_VALUE;

    private int dirtyTo;

    /** Something else may differ, too: pages that a failed force has dropped, or what came in by another way. */
    private boolean mayDiffer;

    /** What processes see, and zeros behind it; null once it is in a real file. */
    private byte[] content;

    /** Whether all is durable, and kept once: content and durable are one array, without the zeros at the end. */
    private boolean isPacked;

    /** Of what processes see, as far as it came by way of {@link DiskChannel}. */
    private long length;

    /** Whether a channel holds a lock on it. */
    boolean isLocked;

    /** @param inMemory whether its content is kept here */
    DiskFile(boolean inMemory) {
        content = inMemory ? NOTHING : null;
    }

    // ---------------------------------------------------------------- what processes see

    /** Whether {@link #read} and {@link #write} are to be used, and not a real file. */
    boolean isInMemory() {
        return content != null;
    }

    /** As that of a channel. */
    int read(ByteBuffer target, long position) {
        int bytes = (int) Math.min(target.remaining(), length - position);
        if (bytes <= 0) {
            return target.hasRemaining() ? -1 : 0;
        }
        target.put(isPacked ? bytes() : content, (int) position, bytes);
        return bytes;
    }

    /** As that of a channel. */
    int write(ByteBuffer source, long position) {
        int bytes = source.remaining();
        int end = Math.toIntExact(position + bytes);
        unpack();
        if (end > content.length) {
            content = Arrays.copyOf(content, Math.max(end, 2 * content.length));
        }
        source.get(content, (int) position, bytes);
        wrote(position, end);
        return bytes;
    }

    /** Length of what is in memory. */
    long length() {
        return length;
    }

    /** What is in memory. */
    byte[] bytes() {
        return Arrays.copyOf(content, (int) length);
    }

    /** What was in memory, and is in a real file from now on. */
    byte[] moveOut() {
        byte[] moved = bytes();
        unpack();
        content = null;
        return moved;
    }

    /** All that processes see is durable: it is kept in memory from now on, or in a real file. */
    void keepInMemory(boolean whether) {
        if (whether != isInMemory()) {
            unpack();
            content = whether ? durable.clone() : null;
        }
    }

    /** A range of the real file was written. */
    void wrote(long from, long to) {
        if (from < to) {
            length = Math.max(length, to);
            touch(from, to);
        }
    }

    /** The file was cut, or would have been if it were longer. */
    void cut(long to) {
        if (to < length) {
            if (isInMemory()) {
                unpack();
                Arrays.fill(content, (int) to, (int) length, (byte) 0);
            }
            touch(to, length);
            length = to;
        }
    }

    private void touch(long from, long to) {
        dirtyFrom = (int) Math.min(dirtyFrom, from);
        dirtyTo = (int) Math.max(dirtyTo, to);
    }

    /** Whether a power loss leaves the file as processes see it, if nobody has written it by another way. */
    boolean isForced() {
        return isPacked || dirtyFrom >= dirtyTo && !mayDiffer && durable.length == length;
    }

    // ---------------------------------------------------------------- what is on the disk

    /** A force of what is in memory has succeeded. */
    void forced() {
        unpack();
        fitDurable((int) length);
        int to = Math.min(dirtyTo, durable.length);
        if (dirtyFrom < to) {
            System.arraycopy(content, dirtyFrom, durable, dirtyFrom, to - dirtyFrom);
        }
        clean();
        if (length <= MOST_PACKED_BYTES && !mayDiffer) {
            pack();
        }
    }

    private void pack() {
        int end = durable.length;
        while (end > 0 && durable[end - 1] == 0) {
            end--;
        }
        durable = Arrays.copyOf(durable, end);
        content = durable;
        isPacked = true;
    }

    private void unpack() {
        if (isPacked) {
            durable = bytes();
            content = durable.clone();
            isPacked = false;
        }
    }

    /** A force of the real file has succeeded. */
    void forced(FileChannel real) throws IOException {
        int size = Math.toIntExact(real.size());
        boolean isUntouched = dirtyFrom >= dirtyTo;
        if (size != length || isUntouched) { // written by another way, anew with the same length perhaps
            touch(0, size);
            length = size;
        }
        fitDurable(size);
        int to = Math.min(dirtyTo, size);
        if (dirtyFrom < to) {
            ByteBuffer target = ByteBuffer.wrap(durable, dirtyFrom, to - dirtyFrom);
            while (target.hasRemaining()) {
                if (real.read(target, target.position()) < 0) {
                    throw new EOFException("the real file became shorter");
                }
            }
        }
        clean();
    }

    private void fitDurable(int size) {
        if (durable.length != size) {
            durable = Arrays.copyOf(durable, size);
        }
    }

    /** A force has failed, and the system does not write by itself what it should have written. */
    void forceFailed() {
        unpack();
        clean();
        mayDiffer = true;
    }

    /** The bits of one byte on the disk change. */
    void rot(int offset, int bits) {
        unpack();
        if (isInMemory()) {
            content[offset] ^= (byte) bits;
        }
        if (offset < durable.length) {
            durable = durable.clone();
            durable[offset] ^= (byte) bits;
        }
    }

    private void clean() {
        dirtyFrom = Integer.MAX_VALUE;
        dirtyTo = 0;
    }

    /** Content of a file whose name is gone, but might come back. */
    byte[] durable() {
        unpack();
        return durable;
    }

    /**
     * The power is lost.
     *
     * @param now what processes see
     * @param random what is drawn
     * @return what processes see from now on, all of it on stable storage
     */
    byte[] losePower(byte[] now, SplittableRandom random) {
        unpack();
        if (!Arrays.equals(now, durable)) {
            durable = torn(now, random);
        }
        length = durable.length;
        if (isInMemory()) {
            content = durable.clone();
        }
        mayDiffer = false;
        isLocked = false;
        clean();
        return durable;
    }

    private byte[] torn(byte[] now, SplittableRandom random) {
        int sectors = (Math.max(now.length, durable.length) + SECTOR_BYTES - 1) / SECTOR_BYTES;
        int changed = 0;
        for (int sector = 0; sector < sectors; sector++) {
            changed += differs(now, sector) ? 1 : 0;
        }
        Survival survival = new Survival(random, changed);
        byte[] left = Arrays.copyOf(durable, survival.length(durable.length, now.length));
        int index = 0;
        for (int sector = 0; sector < sectors; sector++) {
            int from = sector * SECTOR_BYTES;
            if (differs(now, sector) && survival.keeps(index++) && from < left.length) {
                int to = Math.min(from + SECTOR_BYTES, left.length);
                Arrays.fill(left, from, to, (byte) 0);
                System.arraycopy(now, from, left, from, Math.max(0, Math.min(to, now.length) - from));
            }
        }
        return left;
    }

    /** Whether a sector of what processes see is not what is on the disk; behind its end there would be zeros. */
    private boolean differs(byte[] now, int sector) {
        int from = sector * SECTOR_BYTES;
        int to = from + SECTOR_BYTES;
        int nowTo = Math.min(to, now.length);
        int durableTo = Math.min(to, durable.length);
        if (from >= nowTo) {
            return false; // cut: only the length says so
        }
        return from >= durableTo || !Arrays.equals(now, from, nowTo, durable, from, durableTo);
    }
}
