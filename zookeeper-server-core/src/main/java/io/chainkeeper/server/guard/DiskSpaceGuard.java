package io.chainkeeper.server.guard;

import io.chainkeeper.server.background.Background;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches how much space this replica's file systems have left. While it is less than the reserve, this replica's
 * clients may not write, so that the reserve is there for what must be logged although nobody asked this replica: what
 * others have accepted, and the end of sessions. Between two measurements every write is counted against the space that
 * was found, and what others do is not: where all replicas share a file system, as on one machine, they use it up as
 * many times as fast. So it is measured again whenever a small part of it has been counted, however fast that is.
 */
public final class DiskSpaceGuard implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskSpaceGuard.class);
    private static final long PERIOD_MILLIS = 500;

    /** While so much room is left, a look every few seconds notices early enough what else fills the file systems. */
    private static final long AMPLE_BYTES = 4L << 30;

    private static final int AMPLE_PERIODS = 10;

    /** A write goes to the acceptor log and to the transaction log. */
    private static final int LOGS = 2;

    private static final int LARGEST_SHARE = 10;
    private static final int OVERHEAD_BYTES = 256;

    private final List<Path> directories;
    private final long reserveBytes;
    private final long copiesOfAWrite;
    private final int measurementsPerRoom;
    private final Probe probe;
    private final AtomicLong room = new AtomicLong(Long.MAX_VALUE);
    private final AtomicBoolean isMeasurementAsked = new AtomicBoolean();

    /** With less room than this it is measured again. */
    private volatile long measureBelow;

    private volatile boolean low;
    private volatile Path tightest;
    private volatile long usableBytes;
    private boolean failureSaid;
    private int periodsSinceMeasured;
    private volatile Background background;

    /**
     * What a file system says of itself.
     *
     * @param usableBytes what this process may still write
     * @param totalBytes its size
     */
    record Space(long usableBytes, long totalBytes) {}

    /** Asks the operating system. */
    @FunctionalInterface
    interface Probe {
        Space measure(Path directory) throws IOException;
    }

    /** Finds the file system of a directory only once, because that reads the table of all that are mounted. */
    private static final class FileStores implements Probe {
        private final Map<Path, FileStore> stores = new ConcurrentHashMap<>();

        @Override
        public Space measure(Path directory) throws IOException {
            FileStore store = stores.get(directory);
            if (store == null) {
                store = Files.getFileStore(directory);
                stores.put(directory, store);
            }
            return new Space(store.getUsableSpace(), store.getTotalSpace());
        }
    }

    /**
     * Measures once; {@link #start} makes it a habit.
     *
     * @param directories existing directories on the file systems to watch
     * @param reserveBytes {@code ordering.diskReserveBytes}; of a small file system a tenth at most
     * @param members how many replicas may accept writes at the same time
     */
    public DiskSpaceGuard(List<Path> directories, long reserveBytes, int members) {
        this(directories, reserveBytes, members, new FileStores());
    }

    DiskSpaceGuard(List<Path> directories, long reserveBytes, int members, Probe probe) {
        this.directories = List.copyOf(new TreeSet<>(directories));
        this.reserveBytes = reserveBytes;
        this.copiesOfAWrite = (long) LOGS * members;
        this.measurementsPerRoom = 2 * members;
        this.probe = probe;
        measure();
    }

    /**
     * Begins to measure twice a second, or, while there is ample room, every five seconds.
     *
     * @param measuring does it
     * @param beside what else is looked at twice a second, by the same thread
     */
    void start(Background measuring, Runnable beside) {
        background = measuring;
        measuring.everyMillis(PERIOD_MILLIS, () -> {
            measureIfDue();
            beside.run();
        });
    }

    /**
     * Asks for a client's write; any thread.
     *
     * @param bytes size of its request
     * @return whether it may be ordered
     */
    public boolean admits(long bytes) {
        if (low) {
            return false;
        }
        long left = room.addAndGet(-copiesOfAWrite * (bytes + OVERHEAD_BYTES));
        if (left < measureBelow) {
            measureSoon();
        }
        return left >= 0;
    }

    private void measureSoon() {
        Background measuring = background;
        if (measuring != null && isMeasurementAsked.compareAndSet(false, true)) {
            measuring.execute(this::measure);
        }
    }

    /**
     * Asks for a file that need not be written now; any thread.
     *
     * @param directory where to
     * @param bytes its size
     * @return null if it leaves the reserve untouched, else why not, one line
     */
    public String refusalOfFile(Path directory, long bytes) {
        try {
            Space space = probe.measure(directory);
            return space.usableBytes() - bytes >= reserve(space)
                    ? null
                    : directory + " has " + space.usableBytes() + " bytes left, " + bytes + " are to be written and "
                            + reserve(space) + " must remain (ordering.diskReserveBytes)";
        } catch (IOException e) {
            return directory + ": its free space cannot be found out: " + e.getMessage();
        }
    }

    private long reserve(Space space) {
        return Math.min(reserveBytes, space.totalBytes() / LARGEST_SHARE);
    }

    /** Called every period; by one thread at a time. */
    void measureIfDue() {
        // The room shrinks with every write, so that many of them bring the next measurement nearer.
        boolean ample = !low && room.get() >= AMPLE_BYTES;
        periodsSinceMeasured++;
        if (!ample || periodsSinceMeasured >= AMPLE_PERIODS) {
            measure();
        }
    }

    /** Looks at all file systems; called by one thread at a time. */
    void measure() {
        periodsSinceMeasured = 0;
        long leastAbove = Long.MAX_VALUE;
        Path least = tightest;
        long leastUsable = Long.MAX_VALUE;
        boolean enough = true;
        boolean tooLittle = false;
        for (Path directory : directories) {
            Space space;
            try {
                space = probe.measure(directory);
            } catch (IOException e) {
                sayFailure(directory, e);
                continue;
            }
            long reserve = reserve(space);
            // Opening a little later than closing keeps a file system at the brink from switching all the time.
            long enoughBytes = reserve + reserve / 4;
            leastUsable = Math.min(leastUsable, space.usableBytes());
            if (space.usableBytes() - reserve < leastAbove) {
                leastAbove = space.usableBytes() - reserve;
                least = directory;
            }
            enough &= space.usableBytes() >= enoughBytes;
            tooLittle |= space.usableBytes() < reserve;
            if (!low && space.usableBytes() < reserve) {
                LOG.warn(
                        "Refusing client writes: {} has {} bytes left and the reserve is {} bytes"
                                + " (ordering.diskReserveBytes). Reads and sessions go on. Free space there; writes"
                                + " are accepted again from {} bytes on",
                        directory,
                        space.usableBytes(),
                        reserve,
                        enoughBytes);
            }
        }
        tightest = least;
        measureBelow = leastAbove - leastAbove / measurementsPerRoom;
        room.set(leastAbove);
        isMeasurementAsked.set(false);
        usableBytes = leastUsable;
        if (tooLittle) {
            low = true;
        } else if (low && enough) {
            low = false;
            LOG.warn("Accepting client writes again: {} bytes are left", leastUsable);
        }
    }

    private void sayFailure(Path directory, IOException failure) {
        if (!failureSaid) {
            failureSaid = true;
            LOG.warn(
                    "{}: its free space cannot be found out ({}), so nothing is refused when it runs out; check its"
                            + " file system",
                    directory,
                    failure.getMessage());
        }
    }

    /** @return whether clients' writes are refused; any thread */
    public boolean isLow() {
        return low;
    }

    /** @return where there is too little space while writes are refused, and what to do, one line; any thread */
    String usedUp() {
        return "the disk reserve of " + tightest + " is used up (ordering.diskReserveBytes); free space there";
    }

    /** Numbers for monitoring, without the prefix. */
    public Map<String, LongSupplier> gauges() {
        return Map.of("disk_low", () -> low ? 1 : 0, "disk_usable_bytes", () -> usableBytes);
    }

    @Override
    public void close() {
        if (background != null) {
            background.close();
        }
    }
}
