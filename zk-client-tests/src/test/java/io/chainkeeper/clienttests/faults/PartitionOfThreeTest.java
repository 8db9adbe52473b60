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

/** The links between three replicas are cut, in one or both directions, for longer than the timeouts. */
public class PartitionOfThreeTest extends Partitions {
    private static final LinkRelay links = new LinkRelay(3);

    @ClassRule
    public static final Ensemble ensemble = ensembleOf(3, links);

    @Rule
    public final TestRule limit = ensemble.testLimit(240);

    public PartitionOfThreeTest() {
        super(ensemble, links);
    }

    /** A third server that both ends reach keeps a quorum together, whoever leads. */
    @Test
    public void oneDirectionOfOneLinkIsCut_aQuorumGoesOn() throws Exception {
        try (Workload workload = new Workload(ensemble, 11)) {
            for (boolean fromLeader : new boolean[] {true, false}) {
                ServerProcess leader = ensemble.leader();
                ServerProcess follower = ensemble.behind(leader).get(0);
                ServerProcess third = ensemble.behind(leader).get(1);
                ServerProcess from = fromLeader ? leader : follower;
                ServerProcess to = fromLeader ? follower : leader;
                workload.during(
                        (fromLeader ? "leader to follower" : "follower to leader") + " cut", List.of(third), () -> {
                            links.cut(from.id(), to.id());
                            Await.pass(LONGER_THAN_TIMEOUTS);
                        });
                links.heal(from.id(), to.id());
                workload.awaitRecovered();
            }
            workload.finish();
        }
    }

    /** Nobody hears whom it speaks to: no quorum, but nothing false either. */
    @Test
    public void everyLinkIsCutInOneDirection_allGoOnWhenItIsHealed() throws Exception {
        try (Workload workload = new Workload(ensemble, 12)) {
            workload.during("a ring of cuts in one direction, then healed", ensemble.servers(), () -> {
                for (ServerProcess server : ensemble.servers()) {
                    links.cut(server.id(), ensemble.behind(server).get(0).id());
                }
                Await.pass(LONGER_THAN_TIMEOUTS);
                links.healAll();
            });
            workload.finish();
        }
    }
}
