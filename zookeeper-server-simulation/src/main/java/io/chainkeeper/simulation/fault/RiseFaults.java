package io.chainkeeper.simulation.fault;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import io.chainkeeper.simulation.swarm.Upgrades;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A server goes back to the release before at the moments at which that matters: when the rise of the feature level has
 * been proposed, and nobody has heard of it; and when the rise is decided, and those to whom it was handed have not
 * executed it.
 */
final class RiseFaults {
    private static final long RESTART_MICROS = 30_000;
    private static final long UPGRADED_MICROS = 300_000;
    private static final long HELD_MICROS = 400_000;
    private static final long PATIENCE_MICROS = 2_000_000;

    private final Cluster cluster;
    private final FaultInjector faults;
    private final OperatorFaults operator;
    private final Stories stories;

    /** What is drawn when a rise is handed to a replica; null if nothing happens then. */
    private SplittableRandom ofRise;

    private final List<Integer> struck = new ArrayList<>();
    private long number;

    /**
     * @param cluster that suffers
     * @param faults crashes replicas
     * @param operator installs releases
     * @param stories how it is told
     */
    RiseFaults(Cluster cluster, FaultInjector faults, OperatorFaults operator, Stories stories) {
        this.cluster = cluster;
        this.faults = faults;
        this.operator = operator;
        this.stories = stories;
    }

    /** All servers are upgraded; one that is not heard proposes the rise, and another one goes back meanwhile. */
    void goBackBeforeRise(SplittableRandom random) {
        upgradeAll(random);
        stories.later(UPGRADED_MICROS + random.nextLong(UPGRADED_MICROS), () -> {
            List<Integer> followers = followers();
            if (followers.size() < 2) {
                return;
            }
            int asked = followers.remove(random.nextInt(followers.size()));
            int other = followers.get(random.nextInt(followers.size()));
            long heldMicros = HELD_MICROS + random.nextLong(2 * HELD_MICROS);
            for (int each : cluster.members()) {
                if (each != asked) {
                    faults.cutDirection(asked, each, heldMicros);
                }
            }
            cluster.host(asked).application().askForLevel();
            if (operator.changeRelease(other, 1 + random.nextLong(RESTART_MICROS), Upgrades.FORMER)) {
                faults.tookEffect(Fault.GO_BACK_BEFORE_RISE);
            }
        });
    }

    /** All servers are upgraded, and one is asked for the rise: whoever is handed it crashes before it executes it. */
    void goBackAtRise(SplittableRandom random) {
        if (ofRise != null) {
            return;
        }
        upgradeAll(random);
        stories.later(UPGRADED_MICROS + random.nextLong(UPGRADED_MICROS), () -> {
            List<Integer> followers = followers();
            if (followers.isEmpty()) {
                return;
            }
            ofRise = random;
            struck.clear();
            cluster.host(followers.get(random.nextInt(followers.size())))
                    .application()
                    .askForLevel();
            long ofStory = ++number;
            stories.later(PATIENCE_MICROS, () -> {
                if (number == ofStory) {
                    ofRise = null;
                }
            });
        });
    }

    /** A replica is handed a value. */
    void delivers(int replica, ByteSlice value) {
        if (ofRise == null || struck.contains(replica) || !isRise(value)) {
            return;
        }
        if (struck.isEmpty()) {
            faults.tookEffect(Fault.GO_BACK_AT_RISE);
        }
        struck.add(replica);
        boolean goesBack = ofRise.nextBoolean();
        long downMicros = 1 + ofRise.nextLong(RESTART_MICROS);
        stories.later(0, () -> {
            if (goesBack) {
                operator.changeRelease(replica, downMicros, Upgrades.FORMER);
            } else {
                faults.crash(replica, downMicros);
            }
        });
    }

    private static boolean isRise(ByteSlice value) {
        if (BatchCodec.isMembership(value)) {
            return false;
        }
        try {
            for (ProposedCommand command : BatchCodec.decode(value)) {
                if (CommandCodec.decode(command.command()) instanceof Command.RaiseFeatureLevel) {
                    return true;
                }
            }
            return false;
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("a value that is delivered does not decode: " + e.getMessage());
        }
    }

    private void upgradeAll(SplittableRandom random) {
        for (int id : cluster.members()) {
            if (!cluster.releases().levels(id).equals(Upgrades.PRESENT)) {
                operator.changeRelease(id, 1 + random.nextLong(RESTART_MICROS), Upgrades.PRESENT);
            }
        }
    }

    /** Servers that run and do not lead. */
    private List<Integer> followers() {
        List<Integer> followers = new ArrayList<>();
        for (int id : cluster.configured()) {
            ReplicaHost host = cluster.host(id);
            if (host != null
                    && (host.status().role() != Role.LEADER || host.status().leader() != id)) {
                followers.add(id);
            }
        }
        return followers;
    }
}
