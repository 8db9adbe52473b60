package io.chainkeeper.shareddisk;

import io.chainkeeper.ordering.ByteSlice;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The shared disks of a process, in which a server may begin anew: each of them is used by one start at a time. A write
 * that a former start waits for may happen at any time until it is answered, also over what a later start has written.
 * So as long as somebody has a disk open, it cannot be opened by anybody else, and counts as one that does not answer.
 * No other process gets the server's directory before.
 *
 * <p>Safe for use by any thread.
 */
public final class DiskTurns {
    private final Directory directory;

    /** By disk: what keeps the directory from other processes while the disk is open. */
    private final Map<Integer, Closeable> taken = new HashMap<>();

    private int starts;

    /** The directory of the server, which says to which process it belongs. */
    @FunctionalInterface
    public interface Directory {
        /**
         * Keeps the directory from other processes, also when this server has stopped.
         *
         * @return to be closed when they may have it
         * @throws IOException if this process does not have it any more
         */
        Closeable hold() throws IOException;
    }

    /**
     * Nobody uses any disk.
     *
     * @param directory of the server
     */
    public DiskTurns(Directory directory) {
        this.directory = directory;
    }

    /**
     * What opens the disks, for one start. From now on nothing is opened for former ones.
     *
     * @param sources open the disks, in the order of their numbers, which are the same for all starts
     * @return the same for who takes turns; fails while a former user has not closed the disk
     */
    public synchronized List<DiskSource> of(List<DiskSource> sources) {
        int start = ++starts;
        List<DiskSource> inTurn = new ArrayList<>();
        for (DiskSource source : sources) {
            int number = inTurn.size();
            inTurn.add(() -> open(start, number, source));
        }
        return inTurn;
    }

    private SharedDisk open(int start, int number, DiskSource source) throws IOException {
        take(start, number);
        SharedDisk disk = null;
        try {
            disk = source.open();
        } finally {
            if (disk == null) {
                giveBack(number);
            }
        }
        return new InTurn(number, disk);
    }

    private synchronized void take(int start, int number) throws IOException {
        if (start != starts) {
            throw new IOException("this server has begun anew since");
        }
        if (taken.containsKey(number)) {
            throw new IOException("it has not answered what it was asked before this server began anew");
        }
        taken.put(number, directory.hold());
    }

    private synchronized void giveBack(int number) throws IOException {
        notifyAll();
        taken.remove(number).close();
    }

    /**
     * Waits until nobody has a disk open: nothing that any start has asked of one is under way any more.
     *
     * @throws InterruptedException if the waiting thread is interrupted
     */
    public synchronized void awaitNoneOpen() throws InterruptedException {
        while (!taken.isEmpty()) {
            wait();
        }
    }

    private final class InTurn implements SharedDisk {
        private final int number;
        private final SharedDisk disk;
        private boolean isClosed;

        private InTurn(int number, SharedDisk disk) {
            this.number = number;
            this.disk = disk;
        }

        @Override
        public void write(long offset, ByteSlice bytes) throws IOException {
            disk.write(offset, bytes);
        }

        @Override
        public void force() throws IOException {
            disk.force();
        }

        @Override
        public ByteSlice read(long offset, int length) throws IOException {
            return disk.read(offset, length);
        }

        @Override
        public long length() throws IOException {
            return disk.length();
        }

        @Override
        public void close() throws IOException {
            try {
                disk.close();
            } finally {
                giveBackOnce();
            }
        }

        private synchronized void giveBackOnce() throws IOException {
            if (!isClosed) {
                isClosed = true;
                giveBack(number);
            }
        }
    }
}
