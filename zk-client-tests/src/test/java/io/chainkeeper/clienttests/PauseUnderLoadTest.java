package io.chainkeeper.clienttests;

import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.RegisterWorkload;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** One replica at a time stands still, as in a long garbage collection, and goes on where it was. */
public class PauseUnderLoadTest {
    private static final int REGISTER_OPERATIONS_PER_SECOND = 50;
    private static final int WRITES_BETWEEN_FAULTS = 500;

    private final Ensemble ensemble = Ensemble.named("pause").build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(120);

    @Test
    public void replicaStandsStillAndResumes_nothingAcknowledgedIsLostAndNoReadIsStale() throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble);
                RegisterWorkload registers = new RegisterWorkload(ensemble, REGISTER_OPERATIONS_PER_SECOND, 4)) {
            load.start();
            registers.start();
            for (int round = 0; round < ensemble.servers().size(); round++) {
                load.awaitProgress(WRITES_BETWEEN_FAULTS);
                ServerProcess paused = round == 0 ? ensemble.leader() : ensemble.server(round);
                paused.pause();
                load.awaitProgress(WRITES_BETWEEN_FAULTS);
                paused.resume();
            }
            load.awaitProgress(WRITES_BETWEEN_FAULTS);
            load.stop();
            registers.stop();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
            if (!ensemble.isStock()) {
                // A Zab leader that wakes up answers syncs and reads before it notices that another one leads.
                registers.checkLinearizable();
            }
        }
    }
}
