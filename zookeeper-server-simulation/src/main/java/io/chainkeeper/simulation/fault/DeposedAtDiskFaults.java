package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A leader that is deposed in the middle of a write to shared disks. It is cut off from the others, and stands still
 * somewhere between asking for a write and the end of it. When another one leads and has decided something, it goes on.
 */
final class DeposedAtDiskFaults {
    private static final String WRITE = "asks to write to disk";
    private static final int MOST_WRITES = 8;
    private static final int PIECES = 3;
    private static final long WRITES_MICROS = 500_000;
    private static final long HOLD_MICROS = 2_000_000;
    private static final long MEETING_MICROS = 200_000;

    private final Cluster cluster;
    private final Stories stories;
    private final SwarmOptions options;
    private SplittableRandom random;
    private boolean busy;
    private int story;
    private int leader;
    private long before;

    /** So many more writes are asked for before the one that is meant; negative while none is. */
    private int writesLeft = -1;

    /**
     * @param cluster that suffers
     * @param stories how it is told
     * @param options how long accesses take
     */
    DeposedAtDiskFaults(Cluster cluster, Stories stories, SwarmOptions options) {
        this.cluster = cluster;
        this.stories = stories;
        this.options = options;
    }

    /** Begins, unless nobody leads, there is nobody else, or the last story has not ended. */
    void begin(SplittableRandom ofFault) {
        List<Integer> participants = cluster.ensemble().participants();
        List<Integer> leaders = participants.stream().filter(stories::leads).toList();
        if (busy || leaders.isEmpty() || participants.size() < 2) {
            return;
        }
        busy = true;
        random = ofFault;
        leader = leaders.get(0);
        stories.isolate(leader);
        writesLeft = random.nextInt(MOST_WRITES);
        int begun = ++story;
        stories.later(WRITES_MICROS, () -> {
            if (begun == story && writesLeft >= 0) {
                end();
            }
        });
    }

    /** Something has happened at a replica. */
    void happened(int replica, String what) {
        if (writesLeft < 0 || replica != leader || !what.equals(WRITE) || writesLeft-- > 0) {
            return;
        }
        stories.later(random.nextLong(PIECES * options.sharedDisks().maxMicros()), () -> {
            before = cluster.checker().lastPosition();
            cluster.pause(leader, 2 * HOLD_MICROS);
            stories.await(HOLD_MICROS, this::isDeposed, this::goOn, this::end);
        });
    }

    private boolean isDeposed() {
        boolean leadsAnother = cluster.members().stream().anyMatch(id -> id != leader && stories.leads(id));
        return leadsAnother && cluster.checker().lastPosition() > before;
    }

    private void goOn() {
        stories.reached(Fault.DEPOSED_AT_DISK);
        cluster.resume(leader);
        stories.later(random.nextLong(MEETING_MICROS), this::end);
    }

    private void end() {
        busy = false;
        writesLeft = -1;
        cluster.resume(leader);
        stories.reunite();
    }
}
