package io.chainkeeper.simulation.host;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.CorruptLogException;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
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
 * A replica's acceptor log: the product's own, on a simulated disk, with what the product's log writer does. A record
 * is first queued, then handed to the log (readable), then forced. Each crash ends with the log being opened again, so
 * that what it holds is known while the replica is down. What is found must be what was forced, and of the rest the
 * first records at most.
 */
public final class StoredLog implements DurableRecords {
    private static final String DIRECTORY = "ordering";

    /** Most changes of the disk that one turn of the log writer makes, or an opening of the log, roughly. */
    private static final int MAX_CHANGES = 12;

    private final int replica;
    private final AcceptorLogSettings settings;
    private final SplittableRandom random;
    private final SimulatedDisk disk;
    private final Path directory;
    private final LogMemory memory = new LogMemory();
    private final Deque<LogRecord> queued = new ArrayDeque<>();
    private AcceptorLog log;

    private long appended;
    private long handed;
    private long stable;
    private long covered;
    private long truncateBelow;
    private int survivors;

    StoredLog(int replica, AcceptorLogSettings settings, SimulatedDisk disk, SplittableRandom random) {
        this.replica = replica;
        this.settings = settings;
        this.disk = disk;
        this.random = random;
        this.directory = disk.root().resolve(DIRECTORY);
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
        boolean onlyItself = Set.of(ReplicaIdentity.DISK, ReplicaIdentity.COMPANIONS)
                .containsAll(memory.metadata().keySet());
        return onlyItself && memory.positions().isEmpty();
    }

    /** Whether the durable records from a position on leave none out. */
    public boolean hasNoHoleFrom(long position) {
        NavigableMap<Long, LogRecord> tail = memory.positions().tailMap(position, true);
        return tail.isEmpty() || (tail.firstKey() == position && tail.lastKey() - tail.firstKey() + 1 == tail.size());
    }

    // ---------------------------------------------------------------- what the log writer does

    /** Queues a record; returns its sequence. */
    public long append(LogRecord record) {
        appended++;
        queued.addLast(record);
        memory.appended(record);
        return appended;
    }

    long appended() {
        return appended;
    }

    /** Whether a crash could lose records. */
    public boolean hasUnstable() {
        return stable < appended;
    }

    /** How many records a crash could lose. */
    public int unstableCount() {
        return memory.unstable().size();
    }

    /**
     * Hands everything queued so far to the log; returns the sequence that is stable when the sync has ended.
     *
     * @throws IOException if the log cannot be written; the replica must stop
     */
    public long beginSync() throws IOException {
        while (!queued.isEmpty()) {
            handed++;
            log.append(queued.removeFirst());
        }
        return handed;
    }

    /**
     * The sync ends.
     *
     * @param sequence what {@link #beginSync} has returned
     * @throws IOException if the log cannot be forced; the replica must stop
     */
    public void completeSync(long sequence) throws IOException {
        log.sync();
        memory.stable(sequence - stable);
        stable = sequence;
        truncateIfIdle();
    }

    /** As {@link AcceptorLog#truncate}, when the log writer gets round to it: not while records are being forced. */
    void truncate(long belowPosition) throws IOException {
        cover(belowPosition - 1);
        truncateBelow = Math.max(truncateBelow, belowPosition);
        truncateIfIdle();
    }

    private void truncateIfIdle() throws IOException {
        if (truncateBelow > 0 && handed == stable) {
            long below = truncateBelow;
            truncateBelow = 0;
            memory.truncated(below);
            log.truncate(below);
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
                while (handed - stable < survivors) {
                    handed++;
                    log.append(queued.removeFirst());
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
        if (hasUnstable() || truncateBelow > 0) {
            disk.stopAfter(random.nextInt(MAX_CHANGES));
            try {
                completeSync(random.nextBoolean() ? handed : beginSync());
            } catch (IOException e) {
                // The power was lost before the end.
            }
        }
        end();
        disk.losePower();
        openAgain(true);
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
        appended = 0;
        handed = 0;
        stable = 0;
        truncateBelow = 0;
        try {
            log = powerFails && random.nextInt(4) == 0 ? openAtLast() : open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        survivors = memory.reopened(replica, log.recovered(0));
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
                disk.rot(rotten, random.nextInt((int) Files.size(rotten)), 1 << random.nextInt(Byte.SIZE));
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

    /** What it is on. */
    public SimulatedDisk disk() {
        return disk;
    }

    // ---------------------------------------------------------------- starts

    /** As {@link AcceptorLog#discardThrough}. */
    void discardThrough(long position) throws IOException {
        InvariantViolated.check(unstableCount() == 0, "%d records are queued before the start", unstableCount());
        cover(position);
        log.discardThrough(position);
        memory.discarded(position);
    }

    /** What the sender of an installed state had promised is on disk before the log is read. */
    void keepPromiseOfState(ByteSlice promise) throws IOException {
        LogRecord record = new LogRecord(LogRecord.METADATA, LogRecord.PROMISE_OF_STATE_KIND, promise, ByteSlice.EMPTY);
        log.append(record);
        log.sync();
        memory.metadata().put(record.kind(), record);
    }

    RecoveredState recovered(long appliedPosition) {
        InvariantViolated.check(unstableCount() == 0, "the log is opened while %d records are queued", unstableCount());
        return log.recovered(appliedPosition);
    }

    // ---------------------------------------------------------------- what is readable

    /** As {@link AcceptorLog#read}. */
    public List<LogRecord> read(long fromPosition, int maxBytes) throws IOException {
        return log.read(fromPosition, maxBytes);
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

    /** Head of the latest metadata record of a kind, whether durable or not; empty if there is none. */
    public ByteSlice latestHead(int kind) {
        LogRecord latest = metadata(kind);
        for (LogRecord record : memory.unstable()) {
            if (record.position() == LogRecord.METADATA && record.kind() == kind) {
                latest = record;
            }
        }
        return latest == null ? ByteSlice.EMPTY : latest.head();
    }
}
