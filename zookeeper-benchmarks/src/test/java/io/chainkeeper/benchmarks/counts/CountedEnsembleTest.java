package io.chainkeeper.benchmarks.counts;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainPaxosFactory;
import io.chainkeeper.iss.IssFactory;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.List;
import org.junit.Test;

/** The ensemble in virtual time, and what is promised of ISS's cost. */
public final class CountedEnsembleTest {
    private static final int CLIENTS = 64;
    private static final long MICROS = 100_000;

    /** More than are on their way at any time. */
    private static final long POSITIONS_ON_THEIR_WAY = 100;

    private static Counts count(OrderingProtocolFactory protocol, Conditions conditions) {
        CountedEnsemble ensemble = new CountedEnsemble(protocol, conditions, 1);
        Counts counts = ensemble.count(MICROS, MICROS);
        assertTrue(counts.toString(), counts.commands() > 0);
        assertTrue(counts.toString(), ensemble.isTogether(POSITIONS_ON_THEIR_WAY));
        return counts;
    }

    @Test
    public void sameConditions_sameCounts() {
        for (OrderingProtocolFactory protocol : List.of(new ChainPaxosFactory(), new IssFactory())) {
            Conditions conditions = Conditions.slowProcessor(3, CLIENTS);
            assertEquals(count(protocol, conditions), count(protocol, conditions));
        }
    }
}
