package io.chainkeeper.clienttests;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LinkRelay;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.Workload;
import java.time.Duration;
import java.util.List;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** The links between three replicas are cut, in one or both directions, for longer than the timeouts. */
public class PartitionOfThreeTest {
    private static final int SUSPICION_TIMEOUT_MILLIS = 1_000;
    private static final Duration LONGER_THAN_TIMEOUTS = Duration.ofMillis(4 * SUSPICION_TIMEOUT_MILLIS);

    private static final LinkRelay links = new LinkRelay(3);

    @ClassRule
    public static final Ensemble ensemble = Ensemble.named("partition-of-three")
            .network(links)
            .set("chain.suspicionTimeoutMillis", Integer.toString(SUSPICION_TIMEOUT_MILLIS))
            .build();

    @Rule
    public final TestRule limit = ensemble.testLimit(240);

    @Test
    public void oneIsCutOff_theOthersGoOnWithoutIt() throws Exception {
        try (Workload workload = new Workload(ensemble, 10)) {
            ServerProcess leader = ensemble.leader();
            for (ServerProcess alone : ensemble.chainFrom(leader)) {
                List<ServerProcess> others = ensemble.behind(alone);
                String role = alone == leader ? "leader" : "follower " + alone.id();
                workload.during(role + " cut off", others, () -> {
                    for (ServerProcess other : others) {
                        links.cutBoth(alone.id(), other.id());
                    }
                    Await.pass(LONGER_THAN_TIMEOUTS);
                });
                links.healAll();
                workload.awaitRecovered();
            }
            workload.finish();
        }
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
