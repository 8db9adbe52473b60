package io.chainkeeper.server.monitoring;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.server.ServerMetrics;
import org.junit.Test;

/** Metrics of ZooKeeper's that come of the looks at the order. */
public class ZooKeepersMetricsTest {
    private long now = 1_000;
    private final OrderView view = new OrderView(1, List.of(1, 2, 3), () -> null, () -> null, () -> now);

    private static long number(String name) {
        Map<String, Object> all = new HashMap<>();
        ServerMetrics.getMetrics().getMetricsProvider().dump(all::put);
        return all.get(name) instanceof Number number ? number.longValue() : 0;
    }

    private void look(Role role, int leader) {
        view.tick(new OrderingStatus(role, leader, 1));
    }

    @Test
    public void timesWithoutLeader_areCountedUnderZooKeepersNames() {
        ServerMetrics.getMetrics().resetAll();
        now += 300;
        look(Role.FOLLOWER, 2);
        look(Role.LOOKING, OrderingStatus.NO_LEADER);
        now += 500;
        look(Role.LEADER, 1);
        assertEquals(1, number("looking_count"));
        assertEquals(2, number("cnt_election_time"));
        assertEquals(800, number("sum_election_time"));
        assertEquals(500, number("max_unavailable_time"));
        assertEquals(1, number("cnt_leader_unavailable_time"));
    }
}
