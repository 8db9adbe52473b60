package io.chainkeeper.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A directory in memory that behaves like a disk when the power fails: of the bytes written since the last force any
 * sectors may be there, of the entries changed since the last directory sync any may be. Faults are injected before
 * each operation.
 */
final class SimulatedDisk implements LogFiles {
    /** Sectors are small, so that tests with small records see torn ones. */
    private static final int SECTOR_BYTES = 32;

    static final int DIRECT_BLOCK_BYTES = 2 * SECTOR_BYTES;

    /** What can happen to an operation. */
    interface Fault {
        /**
         * @param operation {@code create}, {@code open}, {@code write}, {@code force}, {@code truncate}, {@code
         *     rename}, {@code delete} or {@code syncDirectory}
         * @throws IOException if it is to fail, with nothing done
         */
        void before(String operation) throws IOException;
    }

    private static final class Inode {
        byte[] bytes = new byte[0];
        byte[] forced = new byte[0];
        /** Sectors that the system still has to write. */
        BitSet dirty = new BitSet();
    }

    private TreeMap<String, Inode> entries = new TreeMap<>();
    private TreeMap<String, Inode> syncedEntries = new TreeMap<>();
    private Fault fault = operation -> {};
    private int longestWriteBytes = Integer.MAX_VALUE;
    private final int blockBytes;
    private boolean forgetOnFailedForce;

    /** A disk that is written past the system's cache. */
    SimulatedDisk() {
        this(DIRECT_BLOCK_BYTES);
    }

    /** @param blockBytes see {@link LogFiles#blockBytes} */
    SimulatedDisk(int blockBytes) {
        this.blockBytes = blockBytes;
    }

    synchronized void setFault(Fault next) {
        fault = next;
    }

    /** Writes take so many bytes at most from now on. */
    synchronized void setLongestWrite(int bytes) {
        longestWriteBytes = bytes;
    }

    /** A force that fails makes the system forget, from now on, that the bytes have to be written; Linux does that. */
    synchronized void forgetOnFailedForce() {
        forgetOnFailedForce = true;
    }

    /** The power fails and comes back. */
    synchronized void crash(Random random) {
        TreeMap<String, Inode> survivors = new TreeMap<>(syncedEntries);
        TreeMap<String, Inode> touched = new TreeMap<>(entries);
        touched.putAll(syncedEntries);
        for (String name : touched.keySet()) {
            Inode now = entries.get(name);
            if (now != syncedEntries.get(name) && random.nextBoolean()) {
                if (now == null) {
                    survivors.remove(name);
                } else {
                    survivors.put(name, now);
                }
            }
        }
        for (Inode inode : survivors.values()) {
            inode.bytes = torn(inode, random);
            inode.forced = inode.bytes;
            inode.dirty.clear();
        }
        entries = survivors;
        syncedEntries = new TreeMap<>(survivors);
        fault = operation -> {};
    }

    private static byte[] torn(Inode inode, Random random) {
        int shortest = Math.min(inode.forced.length, inode.bytes.length);
        int longest = Math.max(inode.forced.length, inode.bytes.length);
        byte[] result = Arrays.copyOf(inode.forced, shortest + random.nextInt(longest - shortest + 1));
        for (int from = 0; from < result.length; from += SECTOR_BYTES) {
            int to = Math.min(from + SECTOR_BYTES, result.length);
            boolean dirty = inode.dirty.get(from / SECTOR_BYTES);
            if (dirty && from < inode.bytes.length && random.nextBoolean()) {
                Arrays.fill(result, from, to, (byte) 0);
                System.arraycopy(inode.bytes, from, result, from, Math.min(to, inode.bytes.length) - from);
            }
        }
        return result;
    }

    synchronized byte[] contents(String name) {
        return entries.get(name).bytes.clone();
    }

    synchronized void setContents(String name, byte[] bytes) {
        Inode inode = new Inode();
        inode.bytes = bytes.clone();
        inode.forced = inode.bytes;
        entries.put(name, inode);
        syncedEntries.put(name, inode);
    }

    synchronized void remove(String name) {
        entries.remove(name);
        syncedEntries.remove(name);
    }

    /** Names and contents of all files. */
    synchronized Map<String, ByteBuffer> image() {
        Map<String, ByteBuffer> image = new TreeMap<>();
        entries.forEach((name, inode) -> image.put(name, ByteBuffer.wrap(inode.bytes.clone())));
        return image;
    }

    /** An independent disk with the same files, all on stable storage. */
    synchronized SimulatedDisk copy() {
        SimulatedDisk copy = new SimulatedDisk(blockBytes);
        entries.forEach((name, inode) -> copy.setContents(name, inode.bytes));
        return copy;
    }

    @Override
    public int blockBytes() {
        return blockBytes;
    }

    @Override
    public String directory() {
        return "/disk/ordering";
    }

    @Override
    public String path(String name) {
        return directory() + "/" + name;
    }

    @Override
    public synchronized List<String> list() {
        return new ArrayList<>(entries.descendingKeySet());
    }

    @Override
    public synchronized LogFile create(String name) throws IOException {
        fault.before("create");
        Inode inode = new Inode();
        entries.put(name, inode);
        return new SimulatedFile(inode);
    }

    @Override
    public synchronized LogFile openForWriting(String name) throws IOException {
        return openForReading(name);
    }

    @Override
    public synchronized LogFile openForReading(String name) throws IOException {
        fault.before("open");
        Inode inode = entries.get(name);
        if (inode == null) {
            throw new IOException(name + " is missing");
        }
        return new SimulatedFile(inode);
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
        fault.before("rename");
        entries.put(to, entries.remove(from));
    }

    @Override
    public synchronized void delete(String name) throws IOException {
        fault.before("delete");
        entries.remove(name);
    }

    @Override
    public synchronized void syncDirectory() throws IOException {
        fault.before("syncDirectory");
        syncedEntries = new TreeMap<>(entries);
    }

    private final class SimulatedFile implements LogFile {
        private final Inode inode;

        SimulatedFile(Inode inode) {
            this.inode = inode;
        }

        @Override
        public int write(ByteBuffer source, long offset) throws IOException {
            synchronized (SimulatedDisk.this) {
                fault.before("write");
                if ((offset | source.remaining()) % blockBytes != 0
                        || (blockBytes > 1 && source.alignmentOffset(source.position(), blockBytes) != 0)) {
                    throw new AssertionError(
                            "a write of " + source.remaining() + " bytes at " + offset + " is of no blocks");
                }
                int longest = (int) Math.min(
                        Integer.MAX_VALUE, ((long) longestWriteBytes + blockBytes - 1) / blockBytes * blockBytes);
                int length = Math.min(source.remaining(), longest);
                byte[] bytes = Arrays.copyOf(inode.bytes, Math.max(inode.bytes.length, (int) offset + length));
                source.get(bytes, (int) offset, length);
                inode.bytes = bytes;
                inode.dirty.set((int) offset / SECTOR_BYTES, ((int) offset + length - 1) / SECTOR_BYTES + 1);
                return length;
            }
        }

        @Override
        public int read(ByteBuffer target, long offset) {
            synchronized (SimulatedDisk.this) {
                int length = Math.min(target.remaining(), inode.bytes.length - (int) offset);
                if (length <= 0) {
                    return -1;
                }
                target.put(inode.bytes, (int) offset, length);
                return length;
            }
        }

        @Override
        public void force() throws IOException {
            synchronized (SimulatedDisk.this) {
                try {
                    fault.before("force");
                } catch (IOException e) {
                    if (forgetOnFailedForce) {
                        inode.dirty.clear();
                    }
                    throw e;
                }
                byte[] forced = Arrays.copyOf(inode.forced, inode.bytes.length);
                for (int sector = inode.dirty.nextSetBit(0); sector >= 0; sector = inode.dirty.nextSetBit(sector + 1)) {
                    int from = sector * SECTOR_BYTES;
                    int length = Math.min(SECTOR_BYTES, inode.bytes.length - from);
                    if (length > 0) {
                        System.arraycopy(inode.bytes, from, forced, from, length);
                    }
                }
                inode.forced = forced;
                inode.dirty.clear();
            }
        }

        @Override
        public void truncate(long bytes) throws IOException {
            synchronized (SimulatedDisk.this) {
                fault.before("truncate");
                inode.bytes = Arrays.copyOf(inode.bytes, (int) bytes);
            }
        }

        @Override
        public long size() {
            synchronized (SimulatedDisk.this) {
                return inode.bytes.length;
            }
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
