package io.chainkeeper.iss;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.BitSet;

/** What a replica knows of one position of the present epoch. */
final class Slot {
    /**
     * The ballot in which the value was accepted here, or learned as proposed; {@link Ballot#NONE} if there is none.
     */
    private Ballot ballot = Ballot.NONE;

    private boolean hasValue;
    private ByteSlice value;
    private boolean decided;
    private boolean skipped;
    private boolean decidedAsAccepted;
    private boolean decidedInBallot;

    /** Whether the log holds this very value; if so, as which record of this start (0: from before it). */
    private boolean recorded;

    private long sequence;

    /** The replicas that have accepted what this replica proposes here. */
    private BitSet votes;

    boolean hasValue() {
        return hasValue;
    }

    Ballot ballot() {
        return ballot;
    }

    /** The value; null if there is none, or if it has been delivered and let go. */
    ByteSlice value() {
        return value;
    }

    boolean isDecided() {
        return decided;
    }

    /** Whether the initial leader has left the position empty, which needs no quorum. */
    boolean isSkipped() {
        return skipped;
    }

    boolean isRecorded() {
        return recorded;
    }

    long sequence() {
        return sequence;
    }

    /** A value of a ballot, recorded as a log record, or not recorded if that is negative. */
    void accept(Ballot accepted, ByteSlice proposed, long logSequence) {
        ballot = accepted;
        value = proposed;
        hasValue = true;
        recorded = logSequence >= 0;
        sequence = Math.max(0, logSequence);
        votes = null;
    }

    void vote(int replicaId) {
        if (votes == null) {
            votes = new BitSet();
        }
        votes.set(replicaId);
    }

    boolean hasVoteOf(int replicaId) {
        return votes != null && votes.get(replicaId);
    }

    /**
     * Whether nothing but the decided value may be proposed in a ballot: because the value was decided in that ballot
     * or in a lower one, or was itself proposed in that ballot. Of some values it is not known in which ballot they
     * were decided: a proposer that learns that its own value is decided, maybe in a higher ballot, announces that too.
     */
    boolean isDecidedBelow(Ballot proposed) {
        return skipped || decidedInBallot && !proposed.lessThan(ballot) || decidedAsAccepted && proposed.equals(ballot);
    }

    /**
     * The value is decided, whatever was accepted here.
     *
     * @param inBallot whether it is known to be decided in the ballot in which this replica has accepted it
     */
    void decide(ByteSlice decision, boolean isSkip, boolean inBallot) {
        decidedAsAccepted = hasValue && decision.equals(value);
        decidedInBallot = inBallot;
        if (!decidedAsAccepted) {
            recorded = false;
            sequence = 0;
        }
        value = decision;
        hasValue = true;
        decided = true;
        skipped = isSkip && !recorded;
        votes = null;
    }

    /** The log holds the decided value from this record on. */
    void recorded(long logSequence) {
        recorded = true;
        sequence = logSequence;
    }

    /** Decided before, by whatever value. */
    void past() {
        decided = true;
        recorded = true;
        hasValue = true;
    }

    /** The value has been delivered. */
    void release() {
        value = null;
    }
}
