package io.chainkeeper.iss;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.acceptor.Ballot;

/** One segment of the present epoch: an instance of Sequenced Broadcast, as its acceptor and its proposer see it. */
final class Segment {
    private final EpochConfig config;
    private final int number;
    private final Slot[] slots;

    /** The ballot of the initial leader, which needs no phase 1. */
    final Ballot initial;

    /**
     * The highest ballot that this acceptor promised or accepted in, each with a record of it in the log; to a replica
     * without a vote, the highest that anybody proposes in.
     */
    Ballot promised;

    /** The log record of the newest promise; 0 if it is from before this start, or there is none. */
    long promiseSequence;

    /** The ballot of that record. */
    Ballot recordedPromise = Ballot.NONE;

    /** The ballot in which this replica proposes here; {@link Ballot#NONE} if it does not. */
    private Ballot proposing = Ballot.NONE;

    /** Initial leader: the index that it proposes next. */
    int next;

    /** Proposer after a takeover: the first index that it proposed. */
    int proposedFrom;

    /** What the others were last told as decided. */
    int announced;

    /** Tick of the latest sign that somebody works on the segment, if it holds up the order. */
    long progressTick;

    private int firstUndecided;

    Segment(EpochConfig config, int number, long now) {
        this.config = config;
        this.number = number;
        this.slots = new Slot[config.segmentPositions()];
        this.initial = new Ballot(0, config.leaders().get(number));
        this.promised = initial;
        this.progressTick = now;
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot();
        }
    }

    int number() {
        return number;
    }

    int size() {
        return slots.length;
    }

    Slot slot(int index) {
        return slots[index];
    }

    long position(int index) {
        return config.position(number, index);
    }

    int leader() {
        return initial.replica();
    }

    boolean isTakenOver() {
        return !promised.equals(initial);
    }

    /** The first index whose decision is not known here. */
    int firstUndecided() {
        while (firstUndecided < slots.length && slots[firstUndecided].isDecided()) {
            firstUndecided++;
        }
        return firstUndecided;
    }

    boolean isFinished() {
        return firstUndecided() == slots.length;
    }

    /** The first position whose decision is not known here, a very high one if there is none. */
    long firstUndecidedPosition() {
        return isFinished() ? Long.MAX_VALUE : position(firstUndecided());
    }

    /** The first index whose position is above a given one. */
    int indexAbove(long other) {
        int index = other < position(0)
                ? 0
                : (int) ((other - position(0)) / config.leaders().size()) + 1;
        return Math.min(index, slots.length);
    }

    /** The first index whose position is not below a given one. */
    int indexFrom(long other) {
        return indexAbove(other - 1);
    }

    /** The ballot in which this replica proposes here; {@link Ballot#NONE} if it does not. */
    Ballot proposing() {
        return proposing;
    }

    boolean isProposing() {
        return !proposing.equals(Ballot.NONE);
    }

    /** This replica proposes from now on, in the highest ballot that it has promised. */
    void beginProposing(Ballot ballot) {
        InvariantViolated.check(ballot.equals(promised), "%s is to be proposed in %s", this, ballot);
        proposing = ballot;
    }

    /** Initial leader, takeover: nothing is proposed or announced in the ballot any more. */
    void giveUp() {
        proposing = Ballot.NONE;
    }

    /**
     * A higher ballot is in use: what was proposed here in a lower one is no longer this replica's to propose. What a
     * voter promises or accepts in the higher ballot goes to the log at the same time.
     */
    void raise(Ballot higher) {
        if (promised.lessThan(higher)) {
            promised = higher;
            if (!proposing.equals(higher)) {
                giveUp();
            }
        }
    }

    @Override
    public String toString() {
        return "segment " + number + " of " + leader() + " promised " + promised + " decided below " + firstUndecided;
    }
}
