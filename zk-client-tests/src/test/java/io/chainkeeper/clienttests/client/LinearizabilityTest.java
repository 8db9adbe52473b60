package io.chainkeeper.clienttests.client;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.RegisterWorkload;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.time.Duration;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Reads and writes at all replicas of a healthy ensemble. */
public class LinearizabilityTest {
    private static final int OPERATIONS_PER_SECOND_OF_A_CLIENT = 500;
    private static final int OPERATIONS = 10_000;

    @ClassRule
    public static final Ensemble ensemble = Ensemble.named("linearizability").build();

    @Rule
    public final TestRule limit = ensemble.testLimit(120);

    @Test
    public void readersAndWritersAtAllReplicas_historyIsLinearizable() throws Exception {
        try (RegisterWorkload registers = new RegisterWorkload(ensemble, OPERATIONS_PER_SECOND_OF_A_CLIENT, 1)) {
            registers.start();
            Await.until(
                    OPERATIONS + " operations are answered",
                    Duration.ofSeconds(60),
                    () -> registers.answeredCount() >= OPERATIONS);
            registers.stop();
            registers.checkLinearizable();
        }
        TreeDump.ofAllEqual(ensemble);
    }
}
