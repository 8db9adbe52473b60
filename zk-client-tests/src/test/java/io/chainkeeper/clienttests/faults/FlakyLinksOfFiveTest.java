package io.chainkeeper.clienttests.faults;

import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LinkRelay;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.rules.TestRule;

/** {@link FlakyLinks} in an ensemble of five. */
public class FlakyLinksOfFiveTest extends FlakyLinks {
    private static final LinkRelay links = new LinkRelay(5);

    @ClassRule
    public static final Ensemble ensemble = ensembleOf(5, links);

    @Rule
    public final TestRule limit = ensemble.testLimit(240);

    public FlakyLinksOfFiveTest() {
        super(ensemble, links);
    }
}
