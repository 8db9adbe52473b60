package io.chainkeeper.clienttests;

import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.RegisterWorkload;
import io.chainkeeper.clienttests.harness.TreeDump;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** All replicas die at once while clients write and read, as when the power fails. */
public class KillAllUnderLoadTest {
    private static final int REGISTER_OPERATIONS_PER_SECOND = 50;
    private static final int WRITES_BETWEEN_FAULTS = 500;
    private static final int ROUNDS = 3;

    private final Ensemble ensemble = Ensemble.named("kill-all").build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(180);

    @Test
    public void allReplicasAreKilledAndRestarted_nothingAcknowledgedIsLost() throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble);
                RegisterWorkload registers = new RegisterWorkload(ensemble, REGISTER_OPERATIONS_PER_SECOND, 3)) {
            load.start();
            registers.start();
            for (int round = 0; round < ROUNDS; round++) {
                load.awaitProgress(WRITES_BETWEEN_FAULTS);
                ensemble.killAll();
                ensemble.startAll();
            }
            load.awaitProgress(WRITES_BETWEEN_FAULTS);
            load.stop();
            registers.stop();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
            registers.checkLinearizable();
        }
    }
}
