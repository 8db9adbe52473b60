package io.chainkeeper.clienttests.faults;

import io.chainkeeper.clienttests.harness.Ensemble;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.rules.TestRule;

/** {@link ServerFaults} in an ensemble of three. */
public class ServerFaultsOfThreeTest extends ServerFaults {
    @ClassRule
    public static final Ensemble ensemble = ensembleOf(3);

    @Rule
    public final TestRule limit = ensemble.testLimit(600);

    public ServerFaultsOfThreeTest() {
        super(ensemble);
    }
}
