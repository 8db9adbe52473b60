package io.chainkeeper.clienttests.faults;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LinkRelay;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.Workload;
import java.util.List;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Five replicas fall into halves, hang together through one of them, or hear only some of those they speak to. */
public class PartitionOfFiveTest extends Partitions {
    private static final LinkRelay links = new LinkRelay(5);

    @ClassRule
    public static final Ensemble ensemble = ensembleOf(5, links);

    @Rule
    public final TestRule limit = ensemble.testLimit(240);

    public PartitionOfFiveTest() {
        super(ensemble, links);
    }

    @Test
    public void halvesOfTwoAndThree_thoseOfThreeGoOnWhereverTheLeaderIs() throws Exception {
        try (Workload workload = new Workload(ensemble, 20)) {
            for (boolean leaderWithTheThree : new boolean[] {false, true}) {
                List<ServerProcess> chain = chain();
                List<ServerProcess> three = leaderWithTheThree ? chain.subList(0, 3) : chain.subList(2, 5);
                List<ServerProcess> two = leaderWithTheThree ? chain.subList(3, 5) : chain.subList(0, 2);
                String leaderIs = "leader among the " + (leaderWithTheThree ? "three" : "two");
                workload.during("halves, " + leaderIs, three, () -> {
                    links.separate(two, three);
                    Await.pass(LONGER_THAN_TIMEOUTS);
                });
                links.healAll();
                workload.awaitRecovered();
            }
            workload.finish();
        }
    }

    /** Only the bridge is sure to be connected to a quorum and to its leader, whoever leads. */
    @Test
    public void halvesAreJoinedThroughOne_theBridgeGoesOn() throws Exception {
        try (Workload workload = new Workload(ensemble, 21)) {
            List<ServerProcess> chain = chain();
            for (int position : new int[] {0, 2}) {
                ServerProcess bridge = chain.get(position);
                List<ServerProcess> others = ensemble.behind(bridge);
                workload.during("bridge through position " + position + " of the chain", List.of(bridge), () -> {
                    links.separate(others.subList(0, 2), others.subList(2, 4));
                    Await.pass(LONGER_THAN_TIMEOUTS);
                });
                links.healAll();
                workload.awaitRecovered();
            }
            workload.finish();
        }
    }

    /** Each replica is still connected to the two that are not its neighbours, which makes a quorum round each. */
    @Test
    public void ringOfCutsInOneDirection_someGoOnAndAllWhenItIsHealed() throws Exception {
        try (Workload workload = new Workload(ensemble, 22)) {
            for (ServerProcess server : ensemble.servers()) {
                links.cut(server.id(), ensemble.behind(server).get(0).id());
            }
            workload.duringForSome("ring of cuts in one direction", () -> Await.pass(LONGER_THAN_TIMEOUTS));
            links.healAll();
            workload.finish();
        }
    }
}
