package io.chainkeeper.simulation.swarm;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Draws the stories that take the place of everything else that was drawn, in some of the runs of the application that
 * they belong to: what they tell of comes about too seldom by itself.
 */
final class StoryDraw {
    /** The protocol in which a joiner may stand before it is a member. */
    private static final String CHAIN = "chain";

    /** So long that a story can be told more than once. */
    private static final long STORY_MICROS = 4_000_000;

    /** A joiner that stands, and others that meet it, take so long. */
    private static final long JOINER_MICROS = 8_000_000;

    private static final long RING_MICROS = 6_000_000;
    private static final int PATIENCE_MILLIS = 2_000;

    private final OrderingProtocolFactory factory;
    private final SimulatedApplication application;

    /**
     * @param factory the protocol
     * @param application above it
     */
    StoryDraw(OrderingProtocolFactory factory, SimulatedApplication application) {
        this.factory = factory;
        this.application = application;
    }

    /** At most one of the stories is about this protocol under this application, or the two of the last line. */
    SwarmOptions draw(SplittableRandom first, SplittableRandom second, SwarmOptions drawn) {
        if (application == SimulatedApplication.MEMBERS) {
            return factory.name().equals(CHAIN) ? withJoiner(first, drawn) : drawn;
        }
        if (application != SimulatedApplication.OUTDATED) {
            return withOvertakenReads(first, drawn);
        }
        if (factory.sharedDisks() != null) {
            return withRingThatGoesRound(first, drawn);
        }
        return ProtocolSettings.haveEpochs(factory)
                ? withHalfTakeover(second, withForgottenDecision(first, drawn))
                : drawn;
    }

    /** A quarter of the runs with three: nothing else goes wrong, and a leader with a slow disk has room to propose. */
    private SwarmOptions withJoiner(SplittableRandom ofJoiners, SwarmOptions drawn) {
        if (drawn.ensemble().participants().size() != 3 || ofJoiners.nextInt(4) != 0) {
            return drawn;
        }
        drawn.faultIntervalMicros().clear();
        drawn.faultIntervalMicros().put(Fault.JOINER_STANDS, 20_000L);
        drawn.settings().keySet().removeIf(key -> !key.endsWith("heartbeatMillis"));
        ProtocolSettings.widen(factory, drawn.settings());
        return withRoom(drawn).withoutLeastQuorum().lasting(JOINER_MICROS);
    }

    private static SwarmOptions withRoom(SwarmOptions drawn) {
        return drawn.with(ReplicaLimits.DEFAULT.withTickMillis(drawn.limits().tickMillis()));
    }

    /** In place of the other story of logs that are read late. */
    private SwarmOptions withOvertakenReads(SplittableRandom ofReads, SwarmOptions drawn) {
        Map<Fault, Long> faults = drawn.faultIntervalMicros();
        boolean mayBe = faults.containsKey(Fault.READ_LATE) && ProtocolSettings.keepsWindows(factory);
        if (!mayBe || ofReads.nextInt(4) == 0) {
            return drawn;
        }
        faults.remove(Fault.READ_LATE);
        faults.put(Fault.READ_OVERTAKEN, 200_000L);
        ProtocolSettings.keepLittle(factory, drawn.settings());
        return drawn.withoutLeastQuorum();
    }

    /** Small rings, and a leader that may stand still for as long as a checkpoint takes. */
    private SwarmOptions withRingThatGoesRound(SplittableRandom ofRing, SwarmOptions drawn) {
        if (drawn.ensemble().participants().size() == 1 || ofRing.nextInt(8) != 0) {
            return drawn;
        }
        Map<Fault, Long> faults = drawn.faultIntervalMicros();
        faults.clear();
        faults.put(Fault.RING_GOES_ROUND, 200_000L);
        if (ofRing.nextBoolean()) {
            faults.put(Fault.LATE_WRITES, 50_000L);
        }
        SharedDiskDraw.narrowRings(factory.sharedDisks(), drawn.settings());
        ProtocolSettings.waitForLeaders(factory, drawn.settings(), PATIENCE_MILLIS);
        return drawn.lasting(RING_MICROS);
    }

    /** Where many lead, a decision is forgotten over a leader's own value. */
    private SwarmOptions withForgottenDecision(SplittableRandom ofStory, SwarmOptions drawn) {
        if (ofStory.nextInt(3) != 0) {
            return drawn;
        }
        Map<Fault, Long> faults = drawn.faultIntervalMicros();
        faults.clear();
        faults.put(Fault.FORGET_DECISION, 200_000L);
        ProtocolSettings.learnOneByOne(factory, drawn.settings());
        return withRoom(drawn).with(LogBounds.GATHERING).withoutLeastQuorum().lasting(STORY_MICROS);
    }

    /** Of the others a third tells of half a takeover. */
    private SwarmOptions withHalfTakeover(SplittableRandom ofStory, SwarmOptions drawn) {
        Map<Fault, Long> faults = drawn.faultIntervalMicros();
        if (faults.containsKey(Fault.FORGET_DECISION) || ofStory.nextInt(3) != 0) {
            return drawn;
        }
        faults.clear();
        faults.put(Fault.HALF_TAKE_OVER, 200_000L);
        ProtocolSettings.useDefaultLengths(drawn.settings());
        return withRoom(drawn).withoutLeastQuorum().lasting(STORY_MICROS);
    }
}
