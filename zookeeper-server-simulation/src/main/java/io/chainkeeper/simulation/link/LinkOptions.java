package io.chainkeeper.simulation.link;

import io.chainkeeper.transport.TransportLimits;
import java.util.SplittableRandom;

/**
 * How the real links of a run behave, and what bounds them.
 *
 * @param habits of the network below
 * @param limits of each replica's links
 */
public record LinkOptions(LinkHabits habits, TransportLimits limits) {
    /** Longer than any message of a simulated run. */
    private static final int MAX_FRAME_BYTES = 1 << 20;

    /**
     * Draws limits so short that all of them are met while faults happen.
     *
     * @param random what is drawn
     * @param habits of the network
     * @return the options
     */
    public static LinkOptions draw(SplittableRandom random, LinkHabits habits) {
        int ping = pick(random, 50, 100, 500);
        int reconnectMin = pick(random, 5, 50);
        TransportLimits limits = new TransportLimits(
                MAX_FRAME_BYTES,
                MAX_FRAME_BYTES + TransportLimits.LENGTH_PREFIX_BYTES + pick(random, 0, 1 << 20),
                pick(random, 100, 1_000),
                pick(random, 500, 2_000),
                reconnectMin,
                reconnectMin * pick(random, 1, 5),
                ping,
                ping * pick(random, 2, 5),
                TransportLimits.DEFAULT.maxPendingHandshakes(),
                TransportLimits.DEFAULT.maxStateConnections(),
                pick(random, 1_000, 60_000),
                pick(random, 500, 5_000));
        return new LinkOptions(habits, limits);
    }

    private static int pick(SplittableRandom random, int... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
