package io.chainkeeper.clienttests.upgrade;

import io.chainkeeper.clienttests.harness.Combinations;
import io.chainkeeper.clienttests.harness.Ensemble;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * The feature level rises when all servers have been upgraded from a release that does not know it;
 * {@link UpgradeOrdersTest} has every order of upgrade from the release before. Disk Paxos is in no release before this
 * one, so of it this is all that can be tested: the code of this build under the levels of an older one.
 */
@RunWith(Parameterized.class)
public class UpgradeTest {
    private final Ensemble ensemble;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    public UpgradeTest(String protocol) {
        this.ensemble = RollingUpgrade.ensemble("upgrade-" + protocol, protocol);
        this.servers = ensemble.startedByTheTest();
        this.limit = ensemble.testLimit(400);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return Combinations.areAllAsked() ? List.of("chain", "iss", "disk") : List.of("chain", "disk");
    }

    @Test
    public void serversAreUpgradedUnderLoad_goBackUntilTheLevelHasRisen() throws Exception {
        RollingUpgrade.fromALowerLevel(ensemble, List.of(3, 1, 2));
    }
}
