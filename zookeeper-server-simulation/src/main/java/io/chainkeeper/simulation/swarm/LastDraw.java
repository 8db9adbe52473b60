package io.chainkeeper.simulation.swarm;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.SplittableRandom;

/** What is drawn behind everything else, for some runs only, so that most seeds go on meaning what they meant. */
final class LastDraw {
    private final SplittableRandom random;
    private final OrderingProtocolFactory factory;
    private final SimulatedApplication application;

    /**
     * @param random what is drawn
     * @param factory the protocol
     * @param application above it
     */
    LastDraw(SplittableRandom random, OrderingProtocolFactory factory, SimulatedApplication application) {
        this.random = random;
        this.factory = factory;
        this.application = application;
    }

    /** Draws the rest of a run's options. */
    SwarmOptions draw(SwarmOptions drawn) {
        drawOtherCluster(drawn);
        return withHeldMessages(drawn);
    }

    /** The product's links ask for the cluster. */
    private void drawOtherCluster(SwarmOptions drawn) {
        boolean mayBe = application == SimulatedApplication.REGISTERS && factory.sharedDisks() == null;
        if (mayBe && drawn.links() != null && random.nextInt(4) == 0) {
            drawn.faultIntervalMicros().put(Fault.OTHER_CLUSTER, random.nextBoolean() ? 300_000L : 1_000_000L);
        }
    }

    /** Where stories are told, disks must be able to hang, and who waits for them lets them work. */
    private SwarmOptions withHeldMessages(SwarmOptions drawn) {
        if (application.isTold() || random.nextInt(8) != 0) {
            return drawn;
        }
        ReplicaLimits few = drawn.limits().withMaxHeldMessages(1 << 2 * random.nextInt(3));
        return drawn.with(few);
    }
}
