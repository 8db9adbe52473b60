package io.chainkeeper.simulation.disk;

import java.util.SplittableRandom;

/** Which of a row of changes that were not forced are on the disk after a power loss. */
final class Survival {
    private enum Kind {
        NONE,
        ALL,
        FIRST_ONES,
        ANY
    }

    private static final Kind[] KINDS = Kind.values();

    private final SplittableRandom random;
    private final Kind kind;
    private final int first;

    /**
     * @param random what is drawn
     * @param changes how many there are
     */
    Survival(SplittableRandom random, int changes) {
        this.random = random;
        this.kind = KINDS[random.nextInt(KINDS.length)];
        this.first = kind == Kind.FIRST_ONES ? random.nextInt(changes + 1) : 0;
    }

    /**
     * To be asked once for each change, in their order.
     *
     * @param index of the change, from 0
     */
    boolean keeps(int index) {
        return switch (kind) {
            case NONE -> false;
            case ALL -> true;
            case FIRST_ONES -> index < first;
            case ANY -> random.nextBoolean();
        };
    }

    /** The length of something that was so long and was to become so long. */
    int length(int before, int after) {
        return switch (kind) {
            case NONE -> before;
            case ALL -> after;
            case FIRST_ONES, ANY -> {
                int least = Math.min(before, after);
                int most = Math.max(before, after);
                int choice = random.nextInt(3);
                yield choice == 0 ? least : choice == 1 ? most : least + random.nextInt(most - least + 1);
            }
        };
    }
}
