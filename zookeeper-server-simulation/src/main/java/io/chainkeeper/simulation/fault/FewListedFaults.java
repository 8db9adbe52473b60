package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.List;
import java.util.SplittableRandom;

/**
 * An observer that takes few for a quorum. It has an empty disk, and its file lists the leader as the only participant.
 * The two are cut off from the others, which decide something else than what the leader proposes to itself.
 */
final class FewListedFaults {
    private static final long HOLD_MICROS = 3_000_000;
    private static final int POSITIONS_DECIDED = 4;

    private final Cluster cluster;
    private final Stories stories;
    private boolean busy;
    private int leader;

    /**
     * @param cluster that suffers
     * @param stories how it is told
     */
    FewListedFaults(Cluster cluster, Stories stories) {
        this.cluster = cluster;
        this.stories = stories;
    }

    /** Begins, unless nobody leads, there is no observer, or the order has said already who takes part. */
    void begin(SplittableRandom random) {
        Ensemble whole = cluster.ensemble();
        List<Integer> leaders =
                whole.participants().stream().filter(stories::leads).toList();
        boolean isOfFile =
                cluster.checker().membership().members().stream().allMatch(member -> member.disk() == Member.UNBOUND);
        if (busy || leaders.isEmpty() || whole.observers().isEmpty() || !isOfFile) {
            return;
        }
        busy = true;
        leader = leaders.get(0);
        int observer = whole.observers().get(random.nextInt(whole.observers().size()));
        cluster.crash(observer);
        cluster.ensembles().configured(new Ensemble(List.of(leader), List.of(observer)));
        cluster.loseDisk(observer);
        cluster.ensembles().configured(whole);
        long before = cluster.checker().lastPosition();
        stories.separate(List.of(leader, observer));
        cluster.start(observer);
        stories.await(
                HOLD_MICROS,
                () -> cluster.checker().lastPosition() > before + POSITIONS_DECIDED && !isAloneWith(observer),
                () -> {
                    stories.reached(Fault.FEW_LISTED);
                    end();
                },
                this::end);
    }

    /** Whether the leader has not given up yet, and nobody else leads. */
    private boolean isAloneWith(int observer) {
        return cluster.members().stream().noneMatch(id -> id != leader && id != observer && stories.leads(id));
    }

    private void end() {
        busy = false;
        stories.reunite();
    }
}
