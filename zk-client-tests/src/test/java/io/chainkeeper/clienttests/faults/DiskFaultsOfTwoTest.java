package io.chainkeeper.clienttests.faults;

import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.EnsembleDevices;
import io.chainkeeper.clienttests.harness.EnsembleDisks;
import io.chainkeeper.clienttests.harness.LinkRelay;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.rules.TestRule;

/** {@link DiskFaults} with two servers and three disks, which are block devices. */
public class DiskFaultsOfTwoTest extends DiskFaults {
    private static final EnsembleDisks disks = EnsembleDevices.orFiles(3);
    private static final LinkRelay links = new LinkRelay(2);

    @ClassRule
    public static final Ensemble ensemble = ensembleOf(2, disks, links);

    @Rule
    public final TestRule limit = ensemble.testLimit(240);

    public DiskFaultsOfTwoTest() {
        super(ensemble, disks, links);
    }
}
