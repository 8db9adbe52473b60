package io.chainkeeper.simulation.cluster;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.host.DrivenScheduler;
import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.NeverAnswered;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.time.Coroutine;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Disks that give no answer, neither good nor bad, while their processes live: a replica's own, and the shared ones, of
 * which each may hang for one replica and answer the others. The own one hangs for writes and forces, while reads are
 * answered from memory, or for reads of what is no longer in memory, or for both. What is asked of it never comes back
 * before the disk does. A part that must not go on without the disk waits in the middle of what it does, and time
 * passes.
 */
public final class HangingDisks {
    /** The own disk of a replica, among the shared ones. */
    public static final int OWN = DrivenScheduler.OWN_DISK;

    /** Until the process is killed. */
    public static final long FOR_GOOD = Long.MAX_VALUE;

    /** Far behind the end of any run. */
    private static final long LATEST_MICROS = 1_800_000_000;

    /** Those that write to the own disk, or force. Transactions go through the cache but for large ones. */
    private static final Set<Part> WRITERS =
            EnumSet.of(Part.LOG_WRITER, Part.SNAPSHOT, Part.STATE_FETCH, Part.TRANSACTION_LOG);

    /** What a disk gives no answer to. */
    public enum Unanswered {
        /** Writes and forces. */
        WRITES(true, false),
        /** Reads of the acceptor log for others, and of the state for them. */
        READS(false, true),
        /** Anything. */
        EVERYTHING(true, true);

        private final boolean writes;
        private final boolean reads;

        Unanswered(boolean writes, boolean reads) {
            this.writes = writes;
            this.reads = reads;
        }

        private boolean holdsUp(Part part) {
            return part == Part.SHARED_DISK || writes && WRITERS.contains(part) || reads && part == Part.LOG_READER;
        }
    }

    private record Disk(int replica, int number) implements Comparable<Disk> {
        @Override
        public int compareTo(Disk other) {
            return replica != other.replica
                    ? Integer.compare(replica, other.replica)
                    : Integer.compare(number, other.number);
        }
    }

    private record Hang(long untilMicros, Unanswered what, List<Runnable> held) {}

    private final EventQueue events;
    private final Trace trace;
    private final Cluster cluster;
    private final Map<Disk, Hang> hanging = new TreeMap<>();

    /**
     * @param events virtual time
     * @param trace told which disks hang
     * @param cluster whose disks they are
     */
    HangingDisks(EventQueue events, Trace trace, Cluster cluster) {
        this.events = events;
        this.trace = trace;
        this.cluster = cluster;
    }

    /**
     * The own disk of a replica gives no answers from now on; one that hangs already goes on to, also for good.
     *
     * @param replica that asks it
     * @param what it gives no answer to
     * @param micros how long; {@link #FOR_GOOD} without an end
     * @return whether it did not hang already
     */
    public boolean hangOwn(int replica, Unanswered what, long micros) {
        return hang(replica, OWN, what, micros);
    }

    /**
     * A shared disk gives a replica no answers from now on; one that hangs already goes on to, also for good.
     *
     * @param replica that asks it
     * @param number of the disk
     * @param micros how long; {@link #FOR_GOOD} without an end
     * @return whether it did not hang already
     */
    public boolean hangShared(int replica, int number, long micros) {
        return hang(replica, number, Unanswered.EVERYTHING, micros);
    }

    private boolean hang(int replica, int number, Unanswered what, long micros) {
        Disk disk = new Disk(replica, number);
        Hang before = hanging.get(disk);
        if (before != null && micros == FOR_GOOD) {
            Unanswered now = before.what == what ? what : Unanswered.EVERYTHING;
            hanging.put(disk, new Hang(FOR_GOOD, now, before.held));
        }
        if (before != null) {
            return false;
        }
        trace.record(replica, number == OWN ? "its disk hangs" : "a shared disk hangs for it:", number, what);
        long until = micros == FOR_GOOD ? FOR_GOOD : events.nowMicros() + micros;
        Hang hang = new Hang(until, what, new ArrayList<>());
        hanging.put(disk, hang);
        if (number != OWN) {
            cluster.sharedDisks().disk(number).hang(replica, true);
        }
        if (until != FOR_GOOD) {
            events.after(micros, () -> {
                if (hanging.get(disk) == hang) {
                    answer(disk);
                }
            });
        }
        return true;
    }

    /** A replica's own disk answers again: somebody has seen to it. */
    public void answerOwn(int replica) {
        answer(new Disk(replica, OWN));
    }

    /**
     * A shared disk answers a replica again.
     *
     * @param replica that asks it
     * @param number of the disk
     */
    public void answerShared(int replica, int number) {
        answer(new Disk(replica, number));
    }

    private void answer(Disk disk) {
        Hang hang = hanging.remove(disk);
        if (hang == null) {
            return;
        }
        trace.record(disk.replica, "answers again: disk", disk.number, null);
        if (disk.number != OWN) {
            cluster.sharedDisks().disk(disk.number).hang(disk.replica, false);
        }
        hang.held.forEach(Runnable::run);
    }

    /** Faults have stopped: all answer but those that never do. */
    void calm() {
        List<Disk> all = new ArrayList<>(hanging.keySet());
        all.removeIf(disk -> hanging.get(disk).untilMicros == FOR_GOOD);
        all.forEach(this::answer);
    }

    /** Returns whether a start would wait for the replica's own disk; then the start is made when that answers. */
    boolean holdsUpStart(int replica, Runnable start) {
        Hang hang = hanging.get(new Disk(replica, OWN));
        if (hang != null) {
            hang.held.add(() -> events.after(1, start));
        }
        return hang != null;
    }

    boolean isHeldUp(int replica, Part part, int number) {
        Hang hang = hanging.isEmpty() ? null : hanging.get(new Disk(replica, number));
        return hang != null && hang.what.holdsUp(part) || standsStill(replica);
    }

    /** Whether a replica's own disk gives no answer to reads of what is not in memory. */
    public boolean readsNothing(int replica) {
        Hang hang = hanging.get(new Disk(replica, OWN));
        return hang != null && hang.what.reads;
    }

    /** Pieces are not planned for such a time; but somebody may have waited for a disk until then. */
    private boolean standsStill(int replica) {
        return (cluster.conditions(replica) & 1) != 0;
    }

    /** Writes something to a replica's own disk, if it lives, and not before the disk answers. */
    void write(ReplicaHost host, Runnable write) {
        Hang hang = hanging.get(new Disk(host.id(), OWN));
        if (hang != null && hang.what.writes) {
            whenAnswered(host, OWN, () -> write(host, write));
        } else if (host.isAlive()) {
            write.run();
        }
    }

    /** Does something when a disk has answered, and the machine goes on, if the host lives by then. */
    void whenAnswered(ReplicaHost host, int number, Runnable piece) {
        Runnable soon = () -> cluster.later(host, cluster.delays().handOverMicros(), piece);
        Hang hang = hanging.get(new Disk(host.id(), number));
        if (hang == null) {
            soon.run();
        } else {
            hang.held.add(soon);
        }
    }

    /** Lets something happen while a part of a replica waits for a disk, or stands still; false if it does neither. */
    boolean meanwhile(int replica) {
        Hang own = hanging.get(new Disk(replica, OWN));
        if (own != null && own.untilMicros == FOR_GOOD) {
            Coroutine.rethrow(NeverAnswered.diskHangs(replica));
        }
        boolean anyHangs = hanging.keySet().stream().anyMatch(disk -> disk.replica == replica);
        InvariantViolated.check(
                events.nowMicros() < LATEST_MICROS,
                "liveness: a part of replica %d waits for a shared disk that never answers",
                replica);
        return (anyHangs || standsStill(replica)) && events.stepWithin();
    }
}
