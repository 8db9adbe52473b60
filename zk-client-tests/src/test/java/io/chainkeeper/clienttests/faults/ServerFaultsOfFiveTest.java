package io.chainkeeper.clienttests.faults;

import io.chainkeeper.clienttests.harness.Ensemble;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.rules.TestRule;

/** {@link ServerFaults} in an ensemble of five. */
public class ServerFaultsOfFiveTest extends ServerFaults {
    @ClassRule
    public static final Ensemble ensemble = ensembleOf(5);

    @Rule
    public final TestRule limit = ensemble.testLimit(600);

    public ServerFaultsOfFiveTest() {
        super(ensemble);
    }
}
