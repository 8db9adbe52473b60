package io.chainkeeper.clienttests.faults;

import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.EnsembleDisks;
import io.chainkeeper.clienttests.harness.FaultyDisks;
import io.chainkeeper.clienttests.harness.LinkRelay;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.rules.TestRule;

/** {@link DiskFaults} with three servers and five disks, which fail and hang in all ways that there are. */
public class DiskFaultsOfThreeTest extends DiskFaults {
    private static final EnsembleDisks disks = FaultyDisks.orFiles(5);
    private static final LinkRelay links = new LinkRelay(3);

    @ClassRule
    public static final Ensemble ensemble = ensembleOf(3, disks, links);

    @Rule
    public final TestRule limit = ensemble.testLimit(240);

    public DiskFaultsOfThreeTest() {
        super(ensemble, disks, links);
    }
}
