package io.chainkeeper.clienttests.upgrade;

import io.chainkeeper.clienttests.harness.Ensemble;
import java.util.List;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Servers of two releases beside each other, in one order of upgrade; {@link UpgradeOrdersTest} has the others. */
public class UpgradeTest {
    private final Ensemble ensemble = RollingUpgrade.ensemble("upgrade", Ensemble.defaultProtocol());

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(400);

    @Test
    public void serversAreUpgradedUnderLoad_goBackUntilTheLevelHasRisen() throws Exception {
        Assume.assumeFalse("the stock server has no feature level", ensemble.isStock());
        new RollingUpgrade(ensemble, List.of(3, 1, 2)).run();
    }
}
