package io.chainkeeper.simulation.link;

import io.chainkeeper.transport.TransportLimits;
import java.util.SplittableRandom;

/** Draws the bounds of the links of a run: from very small to the default. */
final class LinkLimits {
    static final int MAX_FRAME_BYTES = 4_096;

    private LinkLimits() {}

    static TransportLimits draw(SplittableRandom random) {
        int ping = pick(random, 50, 200, 2_000);
        int reconnectMin = pick(random, 5, 50);
        return new TransportLimits(
                MAX_FRAME_BYTES,
                MAX_FRAME_BYTES + TransportLimits.LENGTH_PREFIX_BYTES + pick(random, 0, 10_000, 1 << 20),
                pick(random, 100, 1_000, 5_000),
                pick(random, 300, 1_000, 5_000),
                reconnectMin,
                reconnectMin * pick(random, 1, 5, 50),
                ping,
                ping * pick(random, 2, 5),
                pick(random, 8, 64),
                pick(random, 1, 4),
                pick(random, 1_000, 60_000),
                pick(random, 500, 5_000, 30_000));
    }

    /** How long it may take at most, once nothing fails any more, until every pair is linked again. */
    static long healedWithinMicros(TransportLimits limits) {
        // An attempt that hangs, a connection that is stale, and the pause before the next attempt, twice over.
        long millis = limits.connectTimeoutMillis()
                + limits.handshakeTimeoutMillis()
                + limits.idleLimitMillis()
                + limits.pingIntervalMillis()
                + limits.reconnectMaxMillis();
        return 2_000 * millis + 1_000_000;
    }

    static int pick(SplittableRandom random, int... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
