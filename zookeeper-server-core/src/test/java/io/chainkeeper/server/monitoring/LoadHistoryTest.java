package io.chainkeeper.server.monitoring;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.Latencies;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.transport.PeerAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Before;
import org.junit.Test;

/** What the charts of the status page are drawn from. */
public class LoadHistoryTest {
    private static final double EXACT = 1e-9;

    private final Order order = new Order();
    private long nowMillis = 1_000;
    private final OrderView view = new OrderView(2, List.of(1, 2, 3), () -> order, () -> null, () -> nowMillis);

    /** An order that has numbers and nothing else. */
    private static final class Order implements TotalOrder {
        private final Map<String, Long> gauges = new HashMap<>();
        private final Latencies latencies = new Latencies();

        @Override
        public boolean propose(Proposal proposal) {
            throw new UnsupportedOperationException("only looked at");
        }

        @Override
        public boolean offer(Proposal proposal) {
            return propose(proposal);
        }

        @Override
        public void readBarrier(ReadWaiter waiter) {
            throw new UnsupportedOperationException("only looked at");
        }

        @Override
        public OrderingStatus status() {
            return new OrderingStatus(OrderingStatus.Role.FOLLOWER, 1, 1);
        }

        @Override
        public Map<String, Long> gauges() {
            return gauges;
        }

        @Override
        public Latencies latencies() {
            return latencies;
        }

        @Override
        public int streamCount() {
            return 1;
        }

        @Override
        public void checkpointTaken(long position) {
            throw new UnsupportedOperationException("only looked at");
        }

        @Override
        public void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses) {
            throw new UnsupportedOperationException("only looked at");
        }
    }

    @Before
    public void start() {
        order.gauges.put("batch_commands_sum", 1_000_000L);
        order.latencies.writes().record(7_000_000);
        view.sampleLoad();
    }

    private void pass(long millis) {
        nowMillis += millis;
        view.sampleLoad();
    }

    @Test
    public void start_showsNothingThatWasBefore() {
        assertEquals(List.of(), view.load().points());
        pass(LoadHistory.PERIOD_MILLIS - 1);
        assertNull(view.load().newest());
    }

    @Test
    public void point_saysWhatHappenedInItsTimeOnly() {
        pass(LoadHistory.PERIOD_MILLIS);
        order.gauges.put("batch_commands_sum", 1_000_500L);
        order.gauges.put("order_micros_count", 100L);
        order.gauges.put("fsync_micros_count", 50L);
        for (int i = 1; i <= 1_000; i++) {
            order.latencies.writes().record(i <= 980 ? 1_000 : 50_000);
        }
        pass(2 * LoadHistory.PERIOD_MILLIS);
        LoadHistory.Point point = view.load().newest();
        assertEquals(2 * LoadHistory.PERIOD_MILLIS, point.lastedMillis());
        assertEquals(nowMillis, point.endedMillis());
        assertEquals(50, point.executedPerSecond(), EXACT);
        assertEquals(10, point.ownPerSecond(), EXACT);
        assertEquals(5, point.forcedPerSecond(), EXACT);
        assertEquals(1_000, point.writes().medianMicros(), 1_000 / 16);
        assertEquals(50_000, point.writes().nearlyAllMicros(), 50_000 / 16);
        assertEquals(LoadHistory.NONE, point.reads().medianMicros());
        assertTrue(point.heapBytes() > 0);
        LoadHistory.Point before = view.load().points().get(0);
        assertEquals(0, before.executedPerSecond(), EXACT);
        assertEquals(LoadHistory.NONE, before.writes().nearlyAllMicros());
    }

    @Test
    public void membersThatNobodyHasHeardOf_haveNoLag() {
        order.gauges.put("acknowledged.1", 5L);
        order.gauges.put("max_decided", 5L);
        pass(LoadHistory.PERIOD_MILLIS);
        assertEquals(Map.of(1, 0L, 2, 0L), view.load().newest().lagMillis());
    }

    @Test
    public void decidedHereAndNotThere_isKnownByItsTime() {
        order.gauges.put("max_decided", 5L);
        view.tick(order.status());
        nowMillis += 2_000;
        assertEquals(2_000, view.decidedForMillis(4));
        assertEquals(0, view.decidedForMillis(5));
    }

    @Test
    public void longTime_theNewestPointsAreKept() {
        for (int i = 0; i < 3 * LoadHistory.POINTS; i++) {
            pass(LoadHistory.PERIOD_MILLIS);
        }
        List<LoadHistory.Point> points = view.load().points();
        assertEquals(LoadHistory.POINTS, points.size());
        assertEquals(nowMillis, points.get(points.size() - 1).endedMillis());
        assertEquals(
                nowMillis - (LoadHistory.POINTS - 1) * LoadHistory.PERIOD_MILLIS,
                points.get(0).endedMillis());
    }
}
