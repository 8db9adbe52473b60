package io.chainkeeper.simulation;

import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import io.chainkeeper.simulation.time.Trace;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Test;

/** Servers are stopped in an orderly way, leaders too, and end in one. */
public class OrderlyStopTest {
    private static final long MAX_SEEDS = 40;

    @Test
    public void registersAreDrawn_leadersEndInAnOrderlyWay() {
        assertStopsAreSeen(SimulatedApplication.REGISTERS, "chain", "iss", "disk");
    }

    @Test
    public void wholeServersAreDrawn_leadersEndInAnOrderlyWay() {
        assertStopsAreSeen(SimulatedApplication.ZNODES, "chain", "iss", "disk");
    }

    private static void assertStopsAreSeen(SimulatedApplication application, String... protocols) {
        for (String protocol : protocols) {
            OrderingProtocolFactory factory = Protocols.named(protocol);
            boolean isSeen = false;
            for (long seed = 1; seed <= MAX_SEEDS && !isSeen; seed++) {
                Stops stops = new Stops();
                Attempt attempt = Simulation.attempt(Script.of(factory, application, seed), clock -> stops);
                if (attempt.hasFailed()) {
                    fail("seed " + seed + ": " + attempt.why());
                }
                isSeen = !stops.ended.isEmpty();
            }
            assertTrue(protocol, isSeen);
        }
    }

    /** Replicas that were told to stop while they led, and of them those that have ended as they should. */
    private static final class Stops implements Trace.Listener {
        private final Set<Integer> leaving = new TreeSet<>();
        private final Set<Integer> ended = new TreeSet<>();

        @Override
        public void happened(int replica, String what, long number, Object detail) {
            if (what.equals("is told to stop") && ((OrderingStatus) detail).role() == Role.LEADER) {
                leaving.add(replica);
            } else if (what.equals("ends in an orderly way") && leaving.contains(replica)) {
                ended.add(replica);
            }
        }
    }
}
