package io.chainkeeper.simulation.cluster;

import io.chainkeeper.simulation.host.DrivenScheduler;
import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.NeverAnswered;
import io.chainkeeper.simulation.host.ReplicaHost;
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
 * which each may hang for one replica and answer the others. What is asked of the own one by a write or a force never
 * comes back before the disk does; reads are answered from memory. A part that must not go on without the disk waits in
 * the middle of what it does, and time passes.
 */
public final class HangingDisks {
    /** The own disk of a replica, among the shared ones. */
    public static final int OWN = DrivenScheduler.OWN_DISK;

    /** Until the process is killed. */
    public static final long FOR_GOOD = Long.MAX_VALUE;

    /** Those that write to the own disk, or force. Transactions go through the cache but for large ones. */
    private static final Set<Part> OF_OWN_DISK =
            EnumSet.of(Part.LOG_WRITER, Part.SNAPSHOT, Part.STATE_FETCH, Part.TRANSACTION_LOG);

    private record Disk(int replica, int number) implements Comparable<Disk> {
        @Override
        public int compareTo(Disk other) {
            return replica != other.replica
                    ? Integer.compare(replica, other.replica)
                    : Integer.compare(number, other.number);
        }
    }

    private record Hang(long untilMicros, List<Runnable> held) {}

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
     * A disk gives no answers from now on; one that hangs already goes on to.
     *
     * @param replica that asks it
     * @param number of a shared disk, or {@link #OWN}
     * @param micros how long; {@link #FOR_GOOD} without an end
     */
    public void hang(int replica, int number, long micros) {
        Disk disk = new Disk(replica, number);
        if (hanging.containsKey(disk)) {
            return;
        }
        trace.record(replica, number == OWN ? "its disk hangs" : "a shared disk hangs for it:", number, null);
        long until = micros == FOR_GOOD ? FOR_GOOD : events.nowMicros() + micros;
        Hang hang = new Hang(until, new ArrayList<>());
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
    }

    /** A replica's own disk answers again: somebody has seen to it. */
    public void answerOwn(int replica) {
        answer(new Disk(replica, OWN));
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
        boolean hangs = !hanging.isEmpty()
                && (part == Part.SHARED_DISK || OF_OWN_DISK.contains(part))
                && hanging.containsKey(new Disk(replica, number));
        return hangs || standsStill(replica);
    }

    /** Pieces are not planned for such a time; but somebody may have waited for a disk until then. */
    private boolean standsStill(int replica) {
        return (cluster.conditions(replica) & 1) != 0;
    }

    /** Writes something to a replica's own disk, if it lives, and not before the disk answers. */
    void write(ReplicaHost host, Runnable write) {
        if (hanging.containsKey(new Disk(host.id(), OWN))) {
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
        long latest = 0;
        for (Map.Entry<Disk, Hang> each : hanging.entrySet()) {
            if (each.getKey().replica == replica) {
                latest = Math.max(latest, each.getValue().untilMicros);
            }
        }
        if (latest == FOR_GOOD) {
            throw new NeverAnswered(replica);
        }
        return (latest > 0 || standsStill(replica)) && events.stepWithin();
    }
}
