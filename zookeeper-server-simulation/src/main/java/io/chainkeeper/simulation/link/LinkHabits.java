package io.chainkeeper.simulation.link;

import java.util.SplittableRandom;

/**
 * How the network of a run behaves where nothing is cut.
 *
 * @param maxDelayMicros longest way of a segment, positive; ways are mostly much shorter
 * @param maxNoticeMicros until an end of a connection that breaks is told, positive
 * @param maxWakeMicros until an I/O thread gets round to what is ready; 0 for at once
 * @param maxBlockingMicros longest time that a task of the blocking threads takes, positive
 * @param windowBytes of one direction of a connection that may be on their way or unread, positive
 * @param maxReadBytes that one read returns, positive
 * @param splitPercent of segments that arrive in two pieces, and of reads that return less than there is
 * @param dialTroublePercent of attempts to connect that fail or hang though nothing is cut
 * @param lookUpTroublePercent of name look-ups that fail, or give an address at which nobody listens as well
 */
public record LinkHabits(
        long maxDelayMicros,
        long maxNoticeMicros,
        long maxWakeMicros,
        long maxBlockingMicros,
        int windowBytes,
        int maxReadBytes,
        int splitPercent,
        int dialTroublePercent,
        int lookUpTroublePercent) {
    /** Once faults have stopped. */
    public static final LinkHabits CALM = new LinkHabits(500, 1_000, 50, 1_000, 1 << 18, 1 << 16, 0, 0, 0);

    /**
     * @param random what is drawn
     * @param maxDelayMicros longest way
     * @param maxNoticeMicros until an end of a connection that breaks is told
     * @param maxWakeMicros until an I/O thread gets round to what is ready
     * @return how a network behaves
     */
    public static LinkHabits draw(
            SplittableRandom random, long maxDelayMicros, long maxNoticeMicros, long maxWakeMicros) {
        return new LinkHabits(
                maxDelayMicros,
                maxNoticeMicros,
                random.nextInt(3) == 0 ? maxWakeMicros : 0,
                pick(random, 100, 10_000, 200_000),
                pick(random, 256, 4_096, 1 << 16, 1 << 18),
                pick(random, 48, 1_024, 1 << 16, 1 << 16),
                pick(random, 0, 5, 30),
                pick(random, 0, 0, 5, 30),
                pick(random, 0, 0, 5, 30));
    }

    private static int pick(SplittableRandom random, int... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
