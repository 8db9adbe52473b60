package io.chainkeeper.simulation.host;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.replica.LogAtStart;
import io.chainkeeper.replica.Replica;
import io.chainkeeper.simulation.disk.RunDirectory;
import io.chainkeeper.simulation.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** What of a replica survives a crash: its log, its application's checkpoints, the number of its last incarnation. */
public final class SimulatedReplica implements AutoCloseable {
    private static final String FIRST_SNAPSHOT = "snapshot.0";
    private static final String FETCHED = "incoming";

    /** Most changes of the disk between a piece of work that a crash cuts short and its end, roughly. */
    private static final int MAX_CHANGES = 16;

    private static final long FIRST_CLOCK = 100_000_000;
    private static final long STARTS_PER_CLOCK = 10_000;

    private final int id;
    private final int maxCheckpoints;
    private final Checkpoint nothing;
    private final Supplier<StoredLog> emptyLogs;
    private final SplittableRandom random;
    private final Set<HostRule> rules;
    private StoredLog log;
    private final Deque<Checkpoint> checkpoints = new ArrayDeque<>();
    /** What the replica reads from its wall clock at each start: ascending, unless it is set back. */
    private long clock;

    /** How often the clock was set back. */
    private int setBacks;

    /** Number of the latest start, 0 before the first. */
    private long incarnation;

    /** Numbers of all starts. */
    private final Set<Long> incarnations = new TreeSet<>();

    /** The latest start that the order holds, as far as this one has learned. */
    private long supersededBy = Long.MIN_VALUE;

    /** See {@link #saidToCover}. */
    private long saidToCover;

    /** The latest start that has read anything. */
    private long reading;

    /** Position of the state that was installed last, 0 if none was. */
    private long installed;

    /** See {@link #knowsCluster}. */
    private boolean knowsCluster;

    /** What the sender of that state had promised; empty if none was installed, or that does not matter. */
    private ByteSlice installedPromise = ByteSlice.EMPTY;

    private ReplicaHost host;

    /**
     * @param id replica id
     * @param maxCheckpoints how many checkpoints are kept, at least 1; recovery may fall back to the oldest
     * @param nothing what a new directory holds
     * @param logSettings bounds of its log
     * @param rules that its host follows
     * @param directory where its disks have their files
     * @param random what its disks draw, and whether a crash is a power loss
     */
    public SimulatedReplica(
            int id,
            int maxCheckpoints,
            Checkpoint nothing,
            AcceptorLogSettings logSettings,
            Set<HostRule> rules,
            RunDirectory directory,
            SplittableRandom random) {
        this.id = id;
        this.maxCheckpoints = maxCheckpoints;
        this.nothing = nothing;
        this.rules = rules;
        this.random = random;
        boolean discards = rules.contains(HostRule.WHAT_AN_INSTALLED_STATE_COVERS_IS_DISCARDED);
        this.emptyLogs = () -> {
            SimulatedDisk disk = directory.newDisk(random.split());
            disk.forceOnly(this::isForced);
            return new StoredLog(id, logSettings, disk, discards, random.split());
        };
        this.log = emptyLogs.get();
        checkpoints.add(nothing);
    }

    private boolean isForced(Path path, boolean isDirectory) {
        boolean isFirstSnapshot = path.endsWith(FIRST_SNAPSHOT);
        boolean isFetched = path.getParent() != null && path.getParent().endsWith(FETCHED);
        return rules.contains(isDirectory ? HostRule.DIRECTORIES_ARE_FORCED : HostRule.FILES_ARE_FORCED)
                && (!isFirstSnapshot || rules.contains(HostRule.FIRST_SNAPSHOT_IS_FORCED))
                && (!isFetched || rules.contains(HostRule.FETCHED_FILES_ARE_FORCED));
    }

    /** The id of the replica. */
    public int id() {
        return id;
    }

    /** Its acceptor log. */
    public StoredLog log() {
        return log;
    }

    /** Whether its hosts follow a rule. */
    public boolean follows(HostRule rule) {
        return rules.contains(rule);
    }

    /** Its protocol needs nothing below a position any more, which waits for the log's writer. */
    void truncationQueued(long belowPosition) {
        log.truncationQueued(belowPosition);
    }

    /** The running start is about to read: protocols rely on that starts which do so ascend. */
    public void reads() {
        InvariantViolated.check(
                incarnation >= reading,
                "reads: start %d of replica %d reads after start %d has",
                incarnation,
                id,
                reading);
        reading = incarnation;
    }

    /** Its protocol has appended a record, which is going to be written. */
    void queued(LogRecord record) {
        log.queued(record);
    }

    /** The running incarnation, or null. */
    public ReplicaHost host() {
        return host;
    }

    /** Whether it has an incarnation that runs. */
    public boolean isRunning() {
        return host != null;
    }

    /** Whether this incarnation of it runs. */
    public boolean isRunning(long ofIncarnation) {
        return host != null && incarnation == ofIncarnation;
    }

    /** Whether it runs and has executed everything up to a position. */
    public boolean hasExecuted(long position) {
        return host != null && host.position() >= position;
    }

    /** Number of the latest start, 0 before the first. */
    public long incarnation() {
        return incarnation;
    }

    /** Durable checkpoints, oldest first. */
    public List<Checkpoint> checkpoints() {
        return new ArrayList<>(checkpoints);
    }

    /**
     * A checkpoint is on disk; one that is not newer than those there is dropped. Returns the position up to which
     * recovery no longer needs the order.
     */
    public long checkpointDurable(Checkpoint checkpoint) {
        if (checkpoint.position() > checkpoints.peekLast().position()) {
            checkpoints.addLast(checkpoint);
        }
        while (checkpoints.size() > maxCheckpoints) {
            checkpoints.removeFirst();
        }
        return checkpoints.peekFirst().position();
    }

    /** A start has found this one to be the newest that is whole; those that are damaged stay so. */
    public void startsFrom(Checkpoint whole) {
        while (checkpoints.peekLast() != whole) {
            checkpoints.removeLast();
        }
    }

    /** Recovery never falls back to an older one than the newest, as that is where an older one's files lead to. */
    void newestCheckpointCounts() {
        while (checkpoints.size() > 1) {
            checkpoints.removeFirst();
        }
    }

    /**
     * Recovery from the application's own files needs no position up to this one; fewer than it said before, if the
     * order wanted a snapshot then, and older ones are kept beside it.
     */
    public void covers(long position) {
        checkpoints.clear();
        checkpoints.add(() -> position);
        saidToCover = saidToCover();
    }

    /** Up to here recovery needs nothing of the order. */
    public long oldestCheckpoint() {
        return checkpoints.peekFirst().position();
    }

    /** Up to here it has ever said that recovery needs nothing of the order, also with a disk that is lost. */
    public long saidToCover() {
        return Math.max(saidToCover, oldestCheckpoint());
    }

    /** Whether a start would find a directory of somebody who took part in nothing. */
    public boolean isBlank() {
        return log.isBlank() && checkpoints.peekLast().position() == 0;
    }

    /** Whether its directory says which cluster it belongs to: it has executed something of its order. */
    public boolean knowsCluster() {
        knowsCluster |=
                host != null && host.position() > 0 || checkpoints.peekLast().position() > 0;
        return knowsCluster;
    }

    /** Another replica's state replaces the own one. The log stays, until the next start. */
    public void install(Checkpoint checkpoint, ByteSlice promiseOfSender) {
        checkpoints.clear();
        checkpoints.add(checkpoint);
        installed = checkpoint.position();
        installedPromise = promiseOfSender;
    }

    /** Everything that it had stored is gone; its incarnations go on ascending if the clock does. */
    public void loseDisk() {
        InvariantViolated.check(host == null, "replica %d loses its disk while it runs", id);
        saidToCover = saidToCover();
        log.end();
        log = emptyLogs.get();
        installed = 0;
        installedPromise = ByteSlice.EMPTY;
        knowsCluster = false;
        checkpoints.clear();
        checkpoints.add(nothing);
    }

    /** What is read from now on is earlier than all that was ever read, and than what will be read later. */
    public void setClockBack() {
        InvariantViolated.check(host == null, "the clock of replica %d is set back while it runs", id);
        setBacks++;
        clock = FIRST_CLOCK - setBacks * STARTS_PER_CLOCK;
    }

    /** What is read from now on is later than all that was ever read. */
    public void setClockForward() {
        InvariantViolated.check(host == null, "the clock of replica %d is set while it runs", id);
        clock = FIRST_CLOCK + clock;
    }

    /** The clock is one that can be set back. */
    public void startClock() {
        clock = FIRST_CLOCK;
    }

    /** The next start is numbered above this one, which the order holds. */
    public void startAbove(long incarnationInOrder) {
        supersededBy = Math.max(supersededBy, incarnationInOrder);
    }

    /** What the product does with a log before it is read. */
    @FunctionalInterface
    public interface AtStart {
        /** Does it. */
        void prepare(AcceptorLog log) throws IOException;
    }

    /** Every start begins so, with the state that was installed last. */
    public void beginStart() {
        beginStart(opened -> {
            LogAtStart.keepPromise(opened, installed, installedPromise);
            opened.discardThrough(installed);
        });
    }

    /** Every start begins so. */
    public void beginStart(AtStart atStart) {
        InvariantViolated.check(host == null, "replica %d is started twice", id);
        try {
            atStart.prepare(log);
        } catch (IOException e) {
            InvariantViolated violated = new InvariantViolated("replica " + id + " does not start: " + e.getMessage());
            violated.initCause(e);
            throw violated;
        }
    }

    /**
     * Numbers the start that has begun.
     *
     * @param inOrder the latest start of this replica that the recovered state holds
     * @param random draws a number below the one given
     */
    public long nextIncarnation(long inOrder, IntUnaryOperator random) {
        clock++;
        long latest = Math.max(LogAtStart.lastIncarnation(log), Math.max(inOrder, supersededBy));
        do {
            incarnation = Replica.incarnationAfter(latest, clock, random);
        } while (!incarnations.add(incarnation)); // the small chance that is left is none of a run's
        return incarnation;
    }

    /**
     * Sometimes a start does not come to its end: the power is lost, or the process is gone.
     *
     * @param start what it does; to be done anew
     * @return whether it was cut short
     */
    public boolean stopsRecovering(Runnable start) {
        if (random.nextInt(6) != 0) {
            return false;
        }
        SimulatedDisk disk = log.disk();
        disk.stopAfter(random.nextInt(2 * MAX_CHANGES));
        try {
            start.run();
        } catch (RuntimeException e) {
            if (!disk.isStopped()) {
                disk.stopNever();
                throw e;
            }
        }
        disk.stopNever();
        if (random.nextBoolean()) {
            log.losePower();
        } else {
            log.kill(0);
        }
        return true;
    }

    /** The start that has begun has a host. */
    public void started(ReplicaHost running) {
        host = running;
    }

    /**
     * The process is gone.
     *
     * @param survivors how many unstable records reach the disk
     */
    public void killed(int survivors) {
        log.kill(survivors);
        ended();
    }

    /**
     * The process is gone, or the power.
     *
     * @param survivors as {@link #killed}, in case that it is the process
     * @return whether it is the power
     */
    public boolean crashed(int survivors) {
        boolean losesPower = random.nextBoolean();
        if (host.application().keepsFiles() && random.nextInt(3) == 0) {
            stopWriting();
        }
        if (losesPower) {
            log.losePower();
            ended();
        } else {
            killed(survivors);
        }
        return losesPower;
    }

    /**
     * The process has ended in an orderly way: its host is closed. At times the power is lost before the next start,
     * which says nothing to a disk to which everything was forced.
     */
    public void closed() {
        InvariantViolated.check(
                log.unstableCount() == 0,
                "replica %d has ended in an orderly way, and %d of its records are not durable",
                id,
                log.unstableCount());
        log.closed(random.nextBoolean());
        ended();
    }

    /** In the middle of a piece of what it writes, if there is one to be done. */
    private void stopWriting() {
        SimulatedDisk disk = log.disk();
        disk.stopAfter(random.nextInt(MAX_CHANGES));
        try {
            host.application().writes();
        } catch (RuntimeException e) {
            if (!disk.isStopped()) {
                throw e;
            }
        }
        disk.stopNever();
    }

    private void ended() {
        knowsCluster();
        ReplicaHost ended = host;
        host = null;
        ended.crashed();
    }

    /** Nothing of it is needed any more. */
    @Override
    public void close() {
        if (host != null) {
            host.threads().end();
        }
        log.end();
    }
}
