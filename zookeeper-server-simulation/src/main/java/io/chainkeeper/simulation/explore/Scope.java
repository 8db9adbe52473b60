package io.chainkeeper.simulation.explore;

import java.util.Collections;
import java.util.List;
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
 * @param recordByRecord whether records become durable one by one, or all that a replica has appended at once
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
        boolean recordByRecord) {
    /** Ticks after which every replica suspects a silent leader. */
    static final int SILENCE_TICKS = 7;

    private static final int MAX_REPLICAS = 5;
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
        TRUNCATED
    }

    /** Checks the ranges. */
    Scope {
        int replicas = writes.size();
        for (List<Integer> counts :
                List.of(writes, reads, ticks, checkpoints, participants, nextParticipants, mayCrash)) {
            if (counts.size() != replicas || replicas < 1 || replicas > MAX_REPLICAS) {
                throw new IllegalArgumentException("lists " + writes + ", " + reads + ", " + ticks + ", " + checkpoints
                        + ", " + participants + ", " + nextParticipants + ", " + mayCrash
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
    }

    /** Three replicas, one of which leads; nothing happens. */
    static Scope led() {
        return nothing(Start.LED);
    }

    /** Three replicas in an epoch that is as short as it can be; nothing happens. */
    static Scope shortEpoch() {
        return nothing(Start.SHORT_EPOCH);
    }

    /** Three replicas that have just started; nothing happens. */
    static Scope cold() {
        return nothing(Start.COLD);
    }

    /** Three replicas, one of which is down and lacks what the others' logs no longer hold; it may start. */
    static Scope truncated() {
        return nothing(Start.TRUNCATED).withCrashes(0, 1, 0, 0, 0);
    }

    /** As {@link #shortEpoch()}, two replicas. */
    static Scope shortEpochOfTwo() {
        return nothing(Start.SHORT_EPOCH, 2);
    }

    private static Scope nothing(Start start) {
        return nothing(start, 3);
    }

    private static Scope nothing(Start start, int replicas) {
        List<Integer> none = Collections.nCopies(replicas, 0);
        List<Integer> all = Collections.nCopies(replicas, 1);
        return new Scope(start, none, none, none, SILENCE_TICKS, none, all, all, all, 0, 0, 0, false);
    }

    Scope withWrites(Integer... each) {
        return new Scope(
                start,
                List.of(each),
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
                recordByRecord);
    }

    Scope withReads(Integer... each) {
        return new Scope(
                start,
                writes,
                List.of(each),
                ticks,
                ticksAtOnce,
                checkpoints,
                participants,
                nextParticipants,
                mayCrash,
                maxCrashes,
                maxRestarts,
                maxBreaks,
                recordByRecord);
    }

    Scope withTicks(int atOnce, Integer... each) {
        return new Scope(
                start,
                writes,
                reads,
                List.of(each),
                atOnce,
                checkpoints,
                participants,
                nextParticipants,
                mayCrash,
                maxCrashes,
                maxRestarts,
                maxBreaks,
                recordByRecord);
    }

    Scope withCheckpoints(Integer... each) {
        return new Scope(
                start,
                writes,
                reads,
                ticks,
                ticksAtOnce,
                List.of(each),
                participants,
                nextParticipants,
                mayCrash,
                maxCrashes,
                maxRestarts,
                maxBreaks,
                recordByRecord);
    }

    Scope withChange(List<Integer> from, List<Integer> to) {
        return new Scope(
                start,
                writes,
                reads,
                ticks,
                ticksAtOnce,
                checkpoints,
                from,
                to,
                mayCrash,
                maxCrashes,
                maxRestarts,
                maxBreaks,
                recordByRecord);
    }

    Scope withCrashes(int crashes, int restarts, Integer... replicas) {
        return new Scope(
                start,
                writes,
                reads,
                ticks,
                ticksAtOnce,
                checkpoints,
                participants,
                nextParticipants,
                List.of(replicas),
                crashes,
                restarts,
                maxBreaks,
                recordByRecord);
    }

    Scope withBreaks(int breaks) {
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
                breaks,
                recordByRecord);
    }

    Scope withRecordByRecord() {
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
                true);
    }

    int replicas() {
        return writes.size();
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
