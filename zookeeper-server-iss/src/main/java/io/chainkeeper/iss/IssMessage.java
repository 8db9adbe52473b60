package io.chainkeeper.iss;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.FoundingHello;
import io.chainkeeper.ordering.prefix.Prefix;
import java.util.List;

/** The messages of ISS. */
sealed interface IssMessage extends Message {
    @Override
    default boolean isPromise() {
        return false;
    }

    /** What the sender says of the order that it has decided; {@link Prefix#UNKNOWN} if the message has none. */
    default Prefix order() {
        return Prefix.UNKNOWN;
    }

    @Override
    default boolean isKeptBy(DurableRecords log, int sender) {
        return !(isPromise() && this instanceof OfSegment m) || KeptPromises.keeps(log, m);
    }

    /** A message about one epoch; kept by a replica that will be in that epoch next. */
    sealed interface OfEpoch extends IssMessage {
        long epoch();
    }

    /** A message about one segment of an epoch. */
    sealed interface OfSegment extends OfEpoch {
        int segment();

        Ballot ballot();
    }

    /**
     * Phase 2a: a value for one position. It leaves only when the proposer's right to the ballot is durable.
     *
     * @param decidedTo everything of the segment up to this position is decided, as proposed in this ballot or skipped
     */
    record Accept(long epoch, int segment, Ballot ballot, long position, long decidedTo, ByteSlice value)
            implements OfSegment {
        @Override
        public boolean isPromise() {
            return true;
        }
    }

    /** Phase 2a of a takeover: nil for all the segment's positions from one to another. */
    record AcceptNil(long epoch, int segment, Ballot ballot, long from, long to) implements OfSegment {
        @Override
        public boolean isPromise() {
            return true;
        }
    }

    /** Phase 2b: all the segment's positions from one to another are durably accepted in the ballot. */
    record Accepted(long epoch, int segment, Ballot ballot, long from, long to) implements OfSegment {
        @Override
        public boolean isPromise() {
            return true;
        }
    }

    /** As {@link Accept#decidedTo}, when there is no value to carry it. */
    record Decided(long epoch, int segment, Ballot ballot, long decidedTo) implements OfSegment {}

    /** The initial leader's nil for all its positions from one to another: decided on receipt. */
    record Skip(long epoch, int segment, long from, long to) implements OfSegment {
        @Override
        public Ballot ballot() {
            return Ballot.NONE;
        }

        @Override
        public boolean isPromise() {
            return true;
        }
    }

    /** "May I take the segment over?" Binds nobody. */
    record PreVote(long epoch, int segment, Ballot ballot) implements OfSegment {}

    /** The sender misses progress in the segment too. */
    record PreVoteOk(long epoch, int segment, Ballot ballot) implements OfSegment {}

    /** Phase 1a. It leaves when the candidate's own promise is durable, so no ballot is used twice. */
    record Prepare(long epoch, int segment, Ballot ballot) implements OfSegment {
        @Override
        public boolean isPromise() {
            return true;
        }
    }

    /**
     * What an acceptor knows of a position.
     *
     * @param accepted the ballot in which it accepted the value
     * @param decided whether it knows that the value is decided
     */
    record Entry(long position, Ballot accepted, boolean decided, ByteSlice value) {}

    /**
     * Phase 1b, in parts.
     *
     * @param prefix the sender knows the decision of every position up to here and tells it to all that ask
     * @param part from 0
     * @param last whether this is the last part
     * @param entries everything of the segment above the prefix that the sender has accepted or knows to be decided
     */
    record Promise(long epoch, int segment, Ballot ballot, long prefix, int part, boolean last, List<Entry> entries)
            implements OfSegment {
        @Override
        public boolean isPromise() {
            return true;
        }
    }

    /** The ballot is below what the sender has promised, or the sender hears the segment's leader. */
    record Refused(long epoch, int segment, Ballot ballot, Ballot promised) implements OfSegment {}

    /** Commands for the leader of their bucket; {@code lowest} is the sender's lowest that is not ordered yet. */
    record Forward(long epoch, long lowest, List<ProposedCommand> commands) implements OfEpoch {}

    /** "Up to which position have you accepted values?" Asked of all voters, because reads wait. */
    record ReadIndexRequest(long epoch, long number) implements OfEpoch {}

    /** The answer: no value is accepted here above the read index. */
    record ReadIndexReply(long epoch, long number, long readIndex) implements OfEpoch {}

    /** The first message on a link. */
    record Hello(FoundingHello founding) implements IssMessage {}

    /**
     * What a replica tells all others every heartbeat, and when it enters an epoch.
     *
     * @param epoch it is in; 0 while it does not know
     * @param order everything up to there is decided, as it knows
     * @param delivered what it has handed to its application
     * @param inUse the highest position of the epoch with a value
     * @param durableEpoch the newest epoch that it votes in whose configuration is on its disk
     * @param disk number of its disk, 0 until it is durable
     * @param votes whether it votes in its epoch
     * @param speaks whether it still proposes in the segment that it led at first
     * @param wantsEnd whether it has commands or wishes for the next epoch, or has heard that of another
     * @param resend whether it dropped messages of this epoch before it was in it
     */
    record Status(
            long epoch,
            Prefix order,
            long delivered,
            long inUse,
            long durableEpoch,
            long disk,
            boolean votes,
            boolean speaks,
            boolean wantsEnd,
            boolean resend)
            implements IssMessage {
        long prefix() {
            return order.position();
        }
    }

    /** "Tell me what is decided from this position on", and the epoch's configuration if the sender's is 0. */
    record Fetch(long epoch, long from) implements IssMessage {}

    /** An epoch's configuration, and what the sender has decided. */
    record EpochInfo(Prefix order, ByteSlice config) implements IssMessage {}

    /**
     * Decided values of consecutive positions.
     *
     * @param from the first position
     * @param order of the sender, up to the last of the positions if it still knows that
     * @param delivered what the sender has handed to its application
     */
    record Learn(long from, Prefix order, long delivered, List<ByteSlice> values) implements IssMessage {}

    /** "You hold another order than I: this is my prefix up to a position of which you have spoken." */
    record Differing(Prefix order) implements IssMessage {}

    /** The sender's log no longer reaches back to what was asked for. */
    record Truncated(long from) implements IssMessage {}
}
