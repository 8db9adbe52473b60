package io.chainkeeper.benchmarks.jmh;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainPaxosFactory;
import org.junit.Test;

/** The ensemble without input and output that the ordering benchmark drives. */
public final class ProtocolGroupTest {
    @Test
    public void commandsAtEveryReplica_allDeliverTheSamePositions() {
        ProtocolGroup group = new ProtocolGroup(new ChainPaxosFactory(), 3, true);
        for (int i = 0; i < 5_000; i++) {
            group.propose(1 + i % 3, Commands.command());
            if (i % 7 == 0) {
                group.settle();
            }
        }
        group.settle();
        assertTrue("delivered " + group.delivered(1), group.delivered(1) > 0);
        assertEquals(group.delivered(1), group.delivered(2));
        assertEquals(group.delivered(1), group.delivered(3));
        assertTrue(
                group.largestMessage().toString(),
                group.largestMessage().toString().startsWith("Accept("));
    }

    @Test
    public void readBarrierAtEveryReplica_allAreReached() {
        ProtocolGroup group = new ProtocolGroup(new ChainPaxosFactory(), 3, true);
        for (int replica = 1; replica <= 3; replica++) {
            group.readBarrier(replica);
            group.settle();
            assertEquals(replica, group.barriersReached());
        }
    }
}
