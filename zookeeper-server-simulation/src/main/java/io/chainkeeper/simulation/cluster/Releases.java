package io.chainkeeper.simulation.cluster;

import io.chainkeeper.config.FeatureRaising;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.simulation.swarm.Upgrades;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which release each server has installed, and the highest feature level that its disk has executed in. */
public final class Releases {
    private final Upgrades upgrades;
    private final Map<Integer, FeatureRange> installed = new TreeMap<>();
    private final Map<Integer, Integer> executed = new TreeMap<>();

    /**
     * @param upgrades with what the run begins
     * @param members ids of all replicas that there may ever be
     */
    Releases(Upgrades upgrades, List<Integer> members) {
        this.upgrades = upgrades;
        for (int id : members) {
            boolean isPresent =
                    upgrades == Upgrades.NONE || upgrades.newAtFirst().contains(id);
            installed.put(id, isPresent ? Upgrades.PRESENT : Upgrades.FORMER);
        }
    }

    /** When the feature level rises. */
    public FeatureRaising raising() {
        return upgrades.raising();
    }

    /** Whether all servers are upgraded in the end. */
    boolean areCompleted() {
        return upgrades.completed();
    }

    /** What the release of a server knows. */
    public FeatureRange levels(int id) {
        return installed.get(id);
    }

    /** The next start of a server is of another release. */
    public void install(int id, FeatureRange levels) {
        installed.put(id, levels);
    }

    /** A server has executed something in a level, which its release has to know. */
    public void executed(int id, int level) {
        InvariantViolated.check(
                levels(id).holds(level),
                "feature level: replica %d executes in level %d, its release knows %s",
                id,
                level,
                levels(id));
        executed.merge(id, level, Math::max);
    }

    /** Whether a start has to be refused: the disk has executed in a level that its release does not know. */
    boolean mustRefuse(int id) {
        return !levels(id).holds(executed.getOrDefault(id, FeatureRange.NO_LEVEL));
    }

    /** A server has another disk. */
    void diskLost(int id) {
        executed.remove(id);
    }
}
