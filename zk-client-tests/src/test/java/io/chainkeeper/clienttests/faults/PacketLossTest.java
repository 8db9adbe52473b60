package io.chainkeeper.clienttests.faults;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.NamespaceNetwork;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.Workload;
import java.time.Duration;
import java.util.List;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/**
 * Packets between replicas are lost, as when a cable is pulled, in both directions and in one. The replicas live in
 * network namespaces, so the test needs the right to make some; where it is absent, the test says so and is skipped.
 * What it shows beyond the tests with cut connections is that the operating system's TCP behaves as those assume.
 */
public class PacketLossTest {
    private static final int SUSPICION_TIMEOUT_MILLIS = 1_000;
    private static final Duration LONGER_THAN_TIMEOUTS = Duration.ofMillis(5 * SUSPICION_TIMEOUT_MILLIS);

    private final NamespaceNetwork network = new NamespaceNetwork(3);
    private final Ensemble ensemble = Ensemble.named("packet-loss")
            .network(network)
            .suspicionTimeoutMillis(SUSPICION_TIMEOUT_MILLIS)
            .build();

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(240);

    @Before
    public void buildUp() throws Exception {
        boolean builtUp = network.tryBuildUp();
        if (!builtUp) {
            System.out.println("PacketLossTest is skipped: this user may not make network namespaces");
        }
        Assume.assumeTrue("this user may not make network namespaces", builtUp);
        ensemble.start();
    }

    @Test
    public void packetsAreLost_aQuorumGoesOn() throws Exception {
        try (Workload workload = new Workload(ensemble, 40)) {
            for (boolean leaderAlone : new boolean[] {true, false}) {
                List<ServerProcess> chain = ensemble.chainFrom(ensemble.leader());
                ServerProcess alone = chain.get(leaderAlone ? 0 : 1);
                List<ServerProcess> others = ensemble.behind(alone);
                // Over shared disks a leader goes on without links, and the others wait for it.
                List<ServerProcess> goOn = leaderAlone && ensemble.hasDisks() ? List.of(alone) : others;
                workload.during((leaderAlone ? "leader" : "follower") + " out of reach", goOn, () -> {
                    for (ServerProcess other : others) {
                        network.cutBoth(alone.id(), other.id());
                    }
                    Await.pass(LONGER_THAN_TIMEOUTS);
                });
                for (ServerProcess other : others) {
                    network.healBoth(alone.id(), other.id());
                }
                workload.awaitRecovered();
            }
            List<ServerProcess> chain = ensemble.chainFrom(ensemble.leader());
            workload.during("packets from the leader to a follower lost", chain.subList(2, 3), () -> {
                network.cut(chain.get(0).id(), chain.get(1).id());
                Await.pass(LONGER_THAN_TIMEOUTS);
            });
            network.heal(chain.get(0).id(), chain.get(1).id());
            workload.finish();
        }
    }
}
