package io.chainkeeper.clienttests.faults;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LinkRelay;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.Workload;
import java.time.Duration;
import java.util.List;
import org.junit.Test;

/** Links between replicas are cut for longer than the timeouts; for ensembles of any size. */
abstract class Partitions {
    private static final int SUSPICION_TIMEOUT_MILLIS = 1_000;

    /** The workload moreover waits until all that can write do so, before anything is healed. */
    static final Duration LONGER_THAN_TIMEOUTS = Duration.ofMillis(3 * SUSPICION_TIMEOUT_MILLIS);

    private final Ensemble ensemble;
    private final LinkRelay links;

    Partitions(Ensemble ensemble, LinkRelay links) {
        this.ensemble = ensemble;
        this.links = links;
    }

    /** Returns an ensemble as these tests need it, with these links. */
    static Ensemble ensembleOf(int servers, LinkRelay links) {
        return Ensemble.named("partition-of-" + servers)
                .servers(servers)
                .network(links)
                .suspicionTimeoutMillis(SUSPICION_TIMEOUT_MILLIS)
                .build();
    }

    /** Returns the servers in the order of the chain, the leader first. */
    final List<ServerProcess> chain() throws Exception {
        return ensemble.chainFrom(ensemble.leader());
    }

    @Test
    public void oneIsCutOff_theOthersGoOnWithoutIt() throws Exception {
        try (Workload workload = new Workload(ensemble, 10)) {
            for (int position : ensemble.headMiddleAndTail()) {
                ServerProcess alone = chain().get(position);
                List<ServerProcess> others = ensemble.behind(alone);
                // Over shared disks a leader without links goes on leading, so whoever hears it not cannot write.
                boolean leadsAlone = ensemble.hasDisks() && position == 0;
                List<ServerProcess> goOn = leadsAlone ? List.of(alone) : others;
                workload.during(ensemble.roleAt(position) + " cut off", goOn, () -> {
                    links.separate(List.of(alone), others);
                    Await.pass(LONGER_THAN_TIMEOUTS);
                });
                links.healAll();
                workload.awaitRecovered();
            }
            workload.finish();
        }
    }
}
