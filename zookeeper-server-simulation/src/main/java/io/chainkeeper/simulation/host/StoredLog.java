package io.chainkeeper.simulation.host;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.CorruptLogException;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.log.SyncStatistics;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import io.chainkeeper.replica.Replica;
import io.chainkeeper.simulation.disk.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A replica's acceptor log: the product's own, on a simulated disk, with what waits for the product's log writer. A
 * record is first queued, then handed to the log (readable), then forced. Each crash ends with the log being opened
 * again, so that what it holds is known while the replica is down. What is found must be what was forced, and of the
 * rest the first records at most.
 */
public final class StoredLog implements AcceptorLog, DurableRecords {
    private static final String DIRECTORY = "ordering";

    /** Records that say who a replica is, and nothing of what it has done. */
    private static final Set<Integer> OF_ITSELF =
            Set.of(ReplicaIdentity.DISK, ReplicaIdentity.COMPANIONS, LogRecord.PROTOCOL_KIND, Replica.INCARNATION);

    /** Most changes of the disk that one turn of the log writer makes, or an opening of the log, roughly. */
    private static final int MAX_CHANGES = 12;

    private final int replica;
    private final AcceptorLogSettings settings;
    private final SplittableRandom random;
    private final SimulatedDisk disk;
    private final boolean discards;
    private final Path directory;
    private final LogMemory memory = new LogMemory();
    private final SlowReads reads;
    private final Deque<LogRecord> queued = new ArrayDeque<>();
    private AcceptorLog log;

    /** How many of the records that are not durable were handed to the log. */
    private int unforced;

    private long readings;
    private long covered;
    private long truncateBelow;
    private int survivors;

    /**
     * @param replica its id
     * @param settings bounds
     * @param disk where it is
     * @param discards whether it discards what it is told to
     * @param random what is drawn
     */
    StoredLog(
            int replica, AcceptorLogSettings settings, SimulatedDisk disk, boolean discards, SplittableRandom random) {
        this.replica = replica;
        this.settings = settings;
        this.disk = disk;
        this.discards = discards;
        this.random = random;
        this.reads = new SlowReads(random.split());
        this.directory = disk.root().resolve(DIRECTORY);
        disk.keepInMemory(DIRECTORY);
        try {
            log = open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private AcceptorLog open() throws IOException {
        return AcceptorLogs.open(directory, LogStore.SEGMENTED, Durability.SYNC, settings);
    }

    // ---------------------------------------------------------------- what is durable

    @Override
    public LogRecord metadata(int kind) {
        return memory.metadata(kind);
    }

    @Override
    public LogRecord at(long position) {
        return memory.positions().get(position);
    }

    @Override
    public long coveredPosition() {
        return covered;
    }

    /** Whether what is durable says that this replica founded the cluster: behind the number of its disk. */
    public boolean isOfFounder() {
        LogRecord ofDisk = metadata(ReplicaIdentity.DISK);
        return ofDisk != null && ofDisk.head().asByteBuffer().get(Long.BYTES) != 0;
    }

    /** Whether nothing that is durable says that this replica took part in anything. */
    boolean isBlank() {
        return promisedNothing() && !isOfFounder();
    }

    /** Whether what is durable says that this replica founded the cluster, and nothing else. */
    public boolean hasOnlyFounded() {
        return promisedNothing() && isOfFounder();
    }

    private boolean promisedNothing() {
        boolean onlyItself = OF_ITSELF.containsAll(memory.metadata().keySet());
        return onlyItself && memory.positions().isEmpty();
    }

    /** Whether the durable records from a position on leave none out. */
    public boolean hasNoHoleFrom(long position) {
        NavigableMap<Long, LogRecord> tail = memory.positions().tailMap(position, true);
        return tail.isEmpty() || (tail.firstKey() == position && tail.lastKey() - tail.firstKey() + 1 == tail.size());
    }

    @Override
    public SyncStatistics syncStatistics() {
        return log.syncStatistics();
    }

    // ---------------------------------------------------------------- what the log writer does

    /** A protocol has appended a record, which waits for the log writer. */
    void queued(LogRecord record) {
        queued.addLast(record);
        memory.appended(record);
    }

    /** A protocol asks for records, which waits for the log reader. */
    void readAsked(long fromPosition, int maxBytes) {
        readings++;
        reads.asked(log, fromPosition, maxBytes);
    }

    /** How many times a protocol has asked for records. */
    public long readings() {
        return readings;
    }

    /** A protocol needs nothing below a position any more, which waits for the log writer. */
    void truncationQueued(long belowPosition) {
        truncateBelow = Math.max(truncateBelow, belowPosition);
    }

    @Override
    public void append(LogRecord record) throws IOException {
        if (queued.peekFirst() == record) {
            queued.removeFirst();
        } else {
            // The host's own, which it waits for.
            InvariantViolated.check(queued.isEmpty(), "replica %d writes %s before what it was given", replica, record);
            memory.appended(record);
        }
        unforced++;
        log.append(record);
    }

    @Override
    public void sync() throws IOException {
        log.sync();
        memory.stable(unforced);
        unforced = 0;
    }

    @Override
    public void truncate(long belowPosition) throws IOException {
        cover(belowPosition - 1);
        truncateBelow = truncateBelow > belowPosition ? truncateBelow : 0;
        memory.truncated(belowPosition);
        log.truncate(belowPosition);
    }

    @Override
    public long sizeBytes() {
        return log.sizeBytes();
    }

    /** In an orderly way; what comes of the log then is up to {@link #closed}. */
    @Override
    public void close() throws IOException {
        log.close();
    }

    /** Whether records wait for the log writer. */
    public boolean hasQueued() {
        return !queued.isEmpty();
    }

    /** Whether the log writer has written something that it has not forced. */
    public boolean hasUnforced() {
        return unforced > 0;
    }

    /** How many records a crash could lose. */
    public int unstableCount() {
        return memory.unstable().size();
    }

    /** How many records have to survive a crash so that the first one of a position does that is not durable. */
    public int unstableThrough(long position) {
        int count = 0;
        for (LogRecord record : memory.unstable()) {
            count++;
            if (record.position() == position) {
                return count;
            }
        }
        return 0;
    }

    /** What the log writer is about to do, in the middle of which the power is lost. */
    private void writeQueued() throws IOException {
        while (!queued.isEmpty()) {
            append(queued.peekFirst());
        }
    }

    /** A state that is kept elsewhere holds everything up to here. */
    void cover(long position) {
        covered = Math.max(covered, position);
    }

    // ---------------------------------------------------------------- crashes

    /**
     * The process is gone, and with it what the system had not been given.
     *
     * @param survivors how many of the records that are not durable the system had been given, at least
     */
    public void kill(int survivors) {
        if (survivors > 0) {
            try {
                while (unforced < survivors && !queued.isEmpty()) {
                    append(queued.peekFirst());
                }
                log.sync();
            } catch (IOException e) {
                // The log has failed before; then the system has what it has.
            }
        }
        end();
        disk.kill();
        openAgain(false);
    }

    /** The power is gone, maybe in the middle of what the log writer was doing or was about to do. */
    public void losePower() {
        if (unstableCount() > 0 || truncateBelow > 0) {
            disk.stopAfter(random.nextInt(MAX_CHANGES));
            try {
                if (unforced == 0 || random.nextBoolean()) {
                    writeQueued();
                }
                sync();
                if (truncateBelow > 0) {
                    truncate(truncateBelow);
                }
            } catch (IOException e) {
                // The power was lost before the end.
            }
        }
        end();
        disk.losePower();
        openAgain(true);
    }

    /**
     * The process has ended in an orderly way.
     *
     * @param powerIsLost whether the power is lost while nothing runs
     */
    void closed(boolean powerIsLost) {
        end();
        if (powerIsLost) {
            disk.losePower();
        } else {
            disk.kill();
        }
        openAgain(powerIsLost);
    }

    /** The process does nothing more. */
    void end() {
        disk.stop();
        try {
            log.close();
        } catch (IOException e) {
            // The disk takes nothing more.
        }
    }

    /** How many records the latest crash left that were not durable before. */
    public int survivors() {
        return survivors;
    }

    /** Opens the log; sometimes the power is gone before that is done, and it is opened once more. */
    private void openAgain(boolean powerFails) {
        queued.clear();
        reads.forget();
        unforced = 0;
        truncateBelow = 0;
        try {
            log = powerFails && random.nextInt(4) == 0 ? openAtLast() : open();
        } catch (IOException e) {
            throw refused(e);
        }
        survivors = memory.reopened(replica, log.recovered(0));
    }

    /** What was durable cannot be read: that of a replica that follows the rules can. */
    private InvariantViolated refused(IOException failure) {
        InvariantViolated violated = new InvariantViolated(
                "acceptor log: replica " + replica + " is refused its own: " + failure.getMessage());
        violated.initCause(failure);
        return violated;
    }

    private AcceptorLog openAtLast() throws IOException {
        disk.stopAfter(random.nextInt(MAX_CHANGES));
        try {
            AcceptorLog opened = open();
            disk.stopNever();
            return opened;
        } catch (IOException e) {
            InvariantViolated.check(disk.isStopped(), "replica %d cannot open its log: %s", replica, e.getMessage());
        }
        disk.losePower();
        return open();
    }

    /**
     * Some bits of an older segment change while the replica is down.
     *
     * @return whether the log is refused from now on, so that the disk is worth nothing
     */
    public boolean rot() {
        end();
        disk.kill();
        try {
            List<Path> segments = new ArrayList<>();
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.log")) {
                files.forEach(segments::add);
            }
            if (segments.size() > 1) {
                Path rotten = segments.get(random.nextInt(segments.size() - 1));
                disk.rot(rotten, random.nextInt(recordsEnd(rotten)), 1 << random.nextInt(Byte.SIZE));
            }
            log = open();
        } catch (CorruptLogException e) {
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        memory.reopened(replica, log.recovered(0));
        return false;
    }

    /** The zeros behind the last record have nothing to lose. */
    private static int recordsEnd(Path segment) throws IOException {
        byte[] bytes = Files.readAllBytes(segment);
        int end = bytes.length;
        while (end > 1 && bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    /** What it is on. */
    public SimulatedDisk disk() {
        return disk;
    }

    // ---------------------------------------------------------------- starts

    @Override
    public void discardThrough(long position) throws IOException {
        InvariantViolated.check(unstableCount() == 0, "%d records are queued before the start", unstableCount());
        cover(position);
        if (discards) {
            log.discardThrough(position);
            memory.discarded(position);
        }
    }

    @Override
    public RecoveredState recovered(long appliedPosition) {
        InvariantViolated.check(unstableCount() == 0, "the log is opened while %d records are queued", unstableCount());
        return log.recovered(appliedPosition);
    }

    // ---------------------------------------------------------------- what is readable

    @Override
    public List<LogRecord> read(long fromPosition, int maxBytes) throws IOException {
        return reads.read(log, fromPosition, maxBytes);
    }

    /** The readable records in order of position. */
    public List<LogRecord> records() {
        List<LogRecord> records = new ArrayList<>();
        log.recovered(0).forEachPosition(1, records::add);
        return records;
    }

    /** Latest bodies of positions above one, whether durable or not. */
    public List<ByteSlice> bodiesAbove(long position) {
        Map<Long, LogRecord> above = new TreeMap<>(memory.positions().tailMap(position, false));
        for (LogRecord record : memory.unstable()) {
            if (record.position() > position) {
                above.put(record.position(), record);
            }
        }
        Collection<LogRecord> records = above.values();
        return records.stream().map(LogRecord::body).toList();
    }
}
