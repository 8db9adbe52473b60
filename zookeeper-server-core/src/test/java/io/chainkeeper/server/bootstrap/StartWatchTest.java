package io.chainkeeper.server.bootstrap;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.transport.PeerAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Test;

/** Who starts a server is answered when clients are served, or when it is clear that it waits and nobody objects. */
public class StartWatchTest {
    /** Such numbers are as likely as any: what counts is the difference. */
    private static final long BEGIN_NANOS = Long.MAX_VALUE - 500_000_000L;

    private final StartWatch watch = new StartWatch(BEGIN_NANOS);
    private final Links links = new Links();
    private TotalOrder order = links;
    private Membership membership;
    private final OrderView view = new OrderView(2, List.of(1, 2, 3), () -> order, () -> membership, () -> 0);

    /** An order of which only the links are asked. */
    private static final class Links implements TotalOrder {
        private Set<Integer> linked = Set.of();
        private boolean tried;

        @Override
        public Set<Integer> linkedPeers() {
            return linked;
        }

        @Override
        public boolean hasTriedPeers() {
            return tried;
        }

        @Override
        public boolean propose(Proposal proposal) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean offer(Proposal proposal) {
            return propose(proposal);
        }

        @Override
        public void readBarrier(ReadWaiter waiter) {
            throw new UnsupportedOperationException();
        }

        @Override
        public OrderingStatus status() {
            return new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 0);
        }

        @Override
        public Map<String, Long> gauges() {
            return Map.of();
        }

        @Override
        public int streamCount() {
            return 1;
        }

        @Override
        public void checkpointTaken(long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses) {
            throw new UnsupportedOperationException();
        }
    }

    private boolean startedAfterMillis(long millis) {
        return watch.hasStarted(false, view, BEGIN_NANOS + millis * 1_000_000);
    }

    @Test
    public void clientsAreServed_isDoneAtOnce() {
        assertTrue(watch.hasStarted(true, view, BEGIN_NANOS));
    }

    @Test
    public void nobodyElseIsThere_isDoneWhenTheyHadTheTimeToConnect() {
        links.tried = true;
        assertFalse(startedAfterMillis(999));
        assertTrue(startedAfterMillis(1_000));
    }

    @Test
    public void aPeerHasNotBeenTried_itsRefusalIsWaitedFor() {
        assertFalse(startedAfterMillis(5_999));
        assertTrue("but not for ever", startedAfterMillis(6_000));
    }

    @Test
    public void aQuorumIsLinked_itsLeaderIsWaitedFor() {
        links.tried = true;
        links.linked = Set.of(3);
        assertFalse(startedAfterMillis(5_999));
        assertTrue("but not for ever", startedAfterMillis(6_000));
    }

    @Test
    public void linksToThoseWhoDoNotVote_areNoQuorum() {
        links.tried = true;
        links.linked = Set.of(4, 5);
        assertTrue(startedAfterMillis(1_000));
    }

    @Test
    public void membershipInTheOrder_saysWhatAQuorumIs() {
        links.tried = true;
        links.linked = Set.of(3);
        membership = new Membership(
                0, List.of(new Member(1, 1), new Member(2, 1), new Member(3, 1), new Member(4, 1), new Member(5, 1)));
        assertTrue("two of five", startedAfterMillis(1_000));
        links.linked = Set.of(3, 5);
        assertFalse("three of five", startedAfterMillis(1_000));
    }

    @Test
    public void orderIsNotStarted_isWaitedFor() {
        order = null;
        assertFalse(startedAfterMillis(5_999));
        assertTrue("but not for ever", startedAfterMillis(6_000));
    }
}
