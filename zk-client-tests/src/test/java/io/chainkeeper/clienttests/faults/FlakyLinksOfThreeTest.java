package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertEquals;

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

/** {@link FlakyLinks} in an ensemble of three, and each of its links once. */
public class FlakyLinksOfThreeTest extends FlakyLinks {
    private static final Duration SHORTER_THAN_TIMEOUTS = Duration.ofMillis(500);

    private static final LinkRelay links = new LinkRelay(3);

    @ClassRule
    public static final Ensemble ensemble = ensembleOf(3, links);

    @Rule
    public final TestRule limit = ensemble.testLimit(240);

    public FlakyLinksOfThreeTest() {
        super(ensemble, links);
    }

    @Test
    public void linkIsDownForLessThanTheTimeout_leaderStays() throws Exception {
        try (Workload workload = new Workload(ensemble, 13)) {
            ServerProcess leader = ensemble.leader();
            List<Long> ballotRounds = ballotRounds();
            for (ServerProcess one : ensemble.servers()) {
                for (ServerProcess other : ensemble.servers().subList(one.id(), 3)) {
                    String pair = "between " + one.id() + " and " + other.id();
                    workload.during("link " + pair + " broken", ensemble.servers(), () -> {
                        links.reset(one.id(), other.id());
                    });
                    workload.during("link " + pair + " silent for a moment", ensemble.servers(), () -> {
                        links.cutBoth(one.id(), other.id());
                        Await.pass(SHORTER_THAN_TIMEOUTS);
                        links.healBoth(one.id(), other.id());
                    });
                }
            }
            assertEquals("leader", leader.modeOnce());
            assertEquals("rounds of the ballots", ballotRounds, ballotRounds());
            workload.finish();
        }
    }
}
