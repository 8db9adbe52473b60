package io.chainkeeper.simulation.explore;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * What is explored: from where, how many of each thing may happen, and how finely. Lists have an entry for each
 * replica, in order of id; their length is the number of replicas.
 *
 * @param start state to begin with
 * @param writes commands that clients of each replica propose, at most
 * @param reads linearizable reads that clients of each replica ask for, at most
 * @param ticks how often time may pass at each replica
 * @param ticksAtOnce ticks that pass each time; more than the suspicion timeout makes each a silence that is noticed
 * @param checkpoints how often the application of each replica may write a checkpoint, which cuts the log
 * @param participants 1 for a replica that is configured at first, else 0
 * @param nextParticipants 1 for a replica that is configured after the one change of the ensemble, of which each
 *     replica learns at some time; the same as {@code participants} for no change
 * @param mayCrash 1 for a replica that may crash, else 0
 * @param maxCrashes crashes in all
 * @param maxRestarts starts after a crash, in all
 * @param maxBreaks broken links in all
 * @param disks how many disks replicas share, with a protocol that has use for them
 * @param maxDiskFailures how often one of them fails for a replica, in all
 * @param inStep 0 for a replica whose events come in any order; replicas with the same other number are in step: what
 *     one of them appends is durable at once, frames between them arrive at once, in a fixed order, time passes for all
 *     of them together, and of what is on its way from and to others the oldest of each link arrives together. So
 *     scopes of five replicas are hardly larger than those of three, and all orders of events among those that are in
 *     step are left out but one.
 * @param details what is told apart that otherwise is not
 */
record Scope(
        Start start,
        List<Integer> writes,
        List<Integer> reads,
        List<Integer> ticks,
        int ticksAtOnce,
        List<Integer> checkpoints,
        List<Integer> participants,
        List<Integer> nextParticipants,
        List<Integer> mayCrash,
        int maxCrashes,
        int maxRestarts,
        int maxBreaks,
        int disks,
        int maxDiskFailures,
        List<Integer> inStep,
        Set<Detail> details) {
    /** Ticks after which every replica suspects a silent leader. */
    static final int SILENCE_TICKS = 7;

    private static final int MAX_REPLICAS = 5;
    private static final int MAX_DISKS = 5;
    private static final int DISKS = 3;
    private static final int MAX_COUNT = 15;

    /** Where an exploration begins. */
    enum Start {
        /** All replicas have just started with empty disks; nobody leads. */
        COLD,
        /** Replica 1 leads, if one can lead alone, all records are durable, and nothing is on its way. */
        LED,
        /**
         * As LED, after writes of the last replica that have used up the first epoch of a protocol that has epochs, and
         * checkpoints that have cut the logs: the present epoch is as short as the protocol allows.
         */
        SHORT_EPOCH,
        /**
         * As LED, except that the last replica went down before the others decided a write, took checkpoints of it, cut
         * their logs and started anew: what it lacks is in their checkpoints only.
         */
        TRUNCATED,
        /**
         * Replica 1 led, has been cut off with a write of its own that only its disk holds, and does not know that the
         * others have missed it and have decided a write of replica 2. All links of replica 1 have just been made
         * again.
         */
        DEPOSED,
        /**
         * As DEPOSED, except that the disk of the last replica has been slow since, so that nothing of it is durable
         * there, and that replica 1 reaches only that one.
         */
        DEPOSED_AT_LAST,
        /**
         * Replicas 1 and 2 were cut off, 1 with a write of its own that only its disk holds. The others have decided
         * another one, taken checkpoints, cut their logs and started anew. Now 1 reaches all others, and 2 only 1.
         */
        BEHIND,
        /** As BEHIND, except that 2 reaches all others, and 1 only 2. */
        BEHIND_AND_DEPOSED,
        /** As LED, except that only the third replica reaches all others: the first two and the rest are cut off. */
        SPLIT,
        /** As LED; all links are cut. */
        APART,
        /**
         * As APART; replica 1 has written something that had reached only the first of three shared disks when replica
         * 2 took over without that disk and decided a write of its own. Then all disks have answered.
         */
        OVERTAKEN,
        /**
         * As APART; the ring of replica 1 on each shared disk is full but for what the checkpoints of both hold, and
         * its next entry is written over the oldest one. What it has decided last replica 2 does not know.
         */
        ROUND
    }

    /** What is told apart that otherwise is not: each makes a scope larger. */
    enum Detail {
        /** Records become durable one by one; otherwise all that a replica has appended at once. */
        RECORD_BY_RECORD,
        /**
         * All that is on its way to a replica may be taken in one batch, with a write of a client and what has become
         * durable behind it; otherwise each input ends a batch.
         */
        BATCHES,
        /** A crash leaves the disk with any number of the records that were not known to be durable; otherwise none. */
        SURVIVORS,
        /**
         * A checkpoint becomes durable some time after it was taken, the one before it is kept, and a start may
         * find the newer one damaged; otherwise a checkpoint holds all that was executed, and is the only one.
         */
        OLDER_CHECKPOINTS,
        /**
         * A state is fetched some time before it is installed, and the replica that has installed it is down until it
         * starts; otherwise all this is one step.
         */
        SLOW_TRANSFERS,
        /** Who reads a shared disk may find a part of a write that is under way, or that its server never finished. */
        TORN_WRITES
    }

    /** Checks the ranges. */
    Scope {
        int replicas = writes.size();
        for (List<Integer> counts :
                List.of(writes, reads, ticks, checkpoints, participants, nextParticipants, mayCrash, inStep)) {
            if (counts.size() != replicas || replicas < 1 || replicas > MAX_REPLICAS) {
                throw new IllegalArgumentException("lists " + writes + ", " + reads + ", " + ticks + ", " + checkpoints
                        + ", " + participants + ", " + nextParticipants + ", " + mayCrash + ", " + inStep
                        + " must have one entry for each of 1 to " + MAX_REPLICAS + " replicas");
            }
            for (int count : counts) {
                if (count < 0 || count > MAX_COUNT) {
                    throw new IllegalArgumentException(
                            "count " + count + " in " + counts + " must be from 0 to " + MAX_COUNT);
                }
            }
        }
        if (ticksAtOnce < 1) {
            throw new IllegalArgumentException("ticks at once must be at least 1, not " + ticksAtOnce);
        }
        if (participants.get(0) == 0 || ids(nextParticipants).isEmpty()) {
            throw new IllegalArgumentException("replica 1 must be among the first participants " + participants
                    + ", and somebody among the next " + nextParticipants);
        }
        if (disks < 1 || disks > MAX_DISKS) {
            throw new IllegalArgumentException("shared disks must be from 1 to " + MAX_DISKS + ", not " + disks);
        }
        details = Collections.unmodifiableSet(new TreeSet<>(details));
    }

    /** Three replicas, one of which leads; nothing happens. */
    static Scope led() {
        return begin(Start.LED, 3);
    }

    /** Three replicas in an epoch that is as short as it can be; nothing happens. */
    static Scope shortEpoch() {
        return begin(Start.SHORT_EPOCH, 3);
    }

    /** Three replicas that have just started; nothing happens. */
    static Scope cold() {
        return begin(Start.COLD, 3);
    }

    /** Three replicas, one of which is down and lacks what the others' logs no longer hold; it may start. */
    static Scope truncated() {
        return begin(Start.TRUNCATED, 3).withCrashes(0, 1, 0, 0, 0);
    }

    /** As {@link #shortEpoch()}, two replicas. */
    static Scope shortEpochOfTwo() {
        return begin(Start.SHORT_EPOCH, 2);
    }

    /** Nothing happens. */
    static Scope begin(Start start, int replicas) {
        List<Integer> none = Collections.nCopies(replicas, 0);
        List<Integer> all = Collections.nCopies(replicas, 1);
        return new Scope(
                start, none, none, none, SILENCE_TICKS, none, all, all, all, 0, 0, 0, DISKS, 0, none, Set.of());
    }

    /** A scope that is being changed. */
    private static final class Draft {
        private final Start start;
        private List<Integer> writes;
        private List<Integer> reads;
        private List<Integer> ticks;
        private int ticksAtOnce;
        private List<Integer> checkpoints;
        private List<Integer> participants;
        private List<Integer> nextParticipants;
        private List<Integer> mayCrash;
        private int maxCrashes;
        private int maxRestarts;
        private int maxBreaks;
        private int disks;
        private int maxDiskFailures;
        private List<Integer> inStep;
        private Set<Detail> details;

        private Draft(Scope scope) {
            start = scope.start;
            writes = scope.writes;
            reads = scope.reads;
            ticks = scope.ticks;
            ticksAtOnce = scope.ticksAtOnce;
            checkpoints = scope.checkpoints;
            participants = scope.participants;
            nextParticipants = scope.nextParticipants;
            mayCrash = scope.mayCrash;
            maxCrashes = scope.maxCrashes;
            maxRestarts = scope.maxRestarts;
            maxBreaks = scope.maxBreaks;
            disks = scope.disks;
            maxDiskFailures = scope.maxDiskFailures;
            inStep = scope.inStep;
            details = scope.details;
        }

        private Scope scope() {
            return new Scope(
                    start,
                    writes,
                    reads,
                    ticks,
                    ticksAtOnce,
                    checkpoints,
                    participants,
                    nextParticipants,
                    mayCrash,
                    maxCrashes,
                    maxRestarts,
                    maxBreaks,
                    disks,
                    maxDiskFailures,
                    inStep,
                    details);
        }
    }

    private Scope with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.scope();
    }

    Scope withWrites(Integer... each) {
        return with(draft -> draft.writes = List.of(each));
    }

    Scope withReads(Integer... each) {
        return with(draft -> draft.reads = List.of(each));
    }

    Scope withTicks(int atOnce, Integer... each) {
        return with(draft -> {
            draft.ticksAtOnce = atOnce;
            draft.ticks = List.of(each);
        });
    }

    Scope withCheckpoints(Integer... each) {
        return with(draft -> draft.checkpoints = List.of(each));
    }

    Scope withChange(List<Integer> from, List<Integer> to) {
        return with(draft -> {
            draft.participants = from;
            draft.nextParticipants = to;
        });
    }

    Scope withCrashes(int crashes, int restarts, Integer... replicas) {
        return with(draft -> {
            draft.maxCrashes = crashes;
            draft.maxRestarts = restarts;
            draft.mayCrash = List.of(replicas);
        });
    }

    Scope withBreaks(int breaks) {
        return with(draft -> draft.maxBreaks = breaks);
    }

    Scope withDisks(int number, int failures) {
        return with(draft -> {
            draft.disks = number;
            draft.maxDiskFailures = failures;
        });
    }

    Scope withInStep(Integer... groups) {
        return with(draft -> draft.inStep = List.of(groups));
    }

    Scope withDetails(Detail... each) {
        return with(draft -> draft.details = Set.of(each));
    }

    int replicas() {
        return writes.size();
    }

    /** Whether something is told apart. */
    boolean has(Detail detail) {
        return details.contains(detail);
    }

    /** Whether a replica is in step with others, or by itself: its disk is never slow. */
    boolean isInStep(int id) {
        return inStep.get(id - 1) != 0;
    }

    /** Ids of the replicas that are in step with one, itself included, ascending. */
    int[] unitOf(int id) {
        int group = inStep.get(id - 1);
        return IntStream.rangeClosed(1, replicas())
                .filter(other -> other == id || group != 0 && inStep.get(other - 1) == group)
                .toArray();
    }

    /** Whether the ensemble changes. */
    boolean changes() {
        return !participants.equals(nextParticipants);
    }

    /** Ids of the replicas that a list of 0 and 1 names. */
    static List<Integer> ids(List<Integer> flags) {
        return IntStream.rangeClosed(1, flags.size())
                .filter(id -> flags.get(id - 1) > 0)
                .boxed()
                .toList();
    }
}
