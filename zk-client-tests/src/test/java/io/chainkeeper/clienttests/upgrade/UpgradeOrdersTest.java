package io.chainkeeper.clienttests.upgrade;

import io.chainkeeper.clienttests.harness.Combinations;
import io.chainkeeper.clienttests.harness.Ensemble;
import java.util.ArrayList;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * Every order in which three servers of the release before can be upgraded; it has no Disk Paxos. Two are drawn, one
 * with each protocol, which have each server in another place ({@link Combinations}).
 */
@RunWith(Parameterized.class)
public class UpgradeOrdersTest {
    private final List<Integer> order;
    private final Ensemble ensemble;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    public UpgradeOrdersTest(String protocol, List<Integer> order) {
        this.order = order;
        this.ensemble = RollingUpgrade.ensemble("upgrade-" + protocol + order.get(0) + order.get(1), protocol);
        this.servers = ensemble.startedByTheTest();
        this.limit = ensemble.testLimit(400);
    }

    @Parameters(name = "{0}, {1}")
    public static List<Object[]> orders() {
        List<Object[]> orders = new ArrayList<>();
        for (String protocol : List.of("chain", "iss")) {
            for (int first = 1; first <= 3; first++) {
                for (int second = 1; second <= 3; second++) {
                    List<Integer> order = List.of(first, second, 6 - first - second);
                    boolean isRun = Combinations.areAllAsked()
                            || order.equals(protocol.equals("chain") ? List.of(2, 3, 1) : List.of(1, 2, 3));
                    if (first != second && isRun) {
                        orders.add(new Object[] {protocol, order});
                    }
                }
            }
        }
        return orders;
    }

    @Test
    public void serversOfTheReleaseBefore_areUpgradedUnderLoadAndGoBack() throws Exception {
        RollingUpgrade.fromTheReleaseBefore(ensemble, order);
    }
}
