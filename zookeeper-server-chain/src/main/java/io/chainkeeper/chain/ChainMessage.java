package io.chainkeeper.chain;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.FoundingHello;
import io.chainkeeper.ordering.prefix.Prefix;
import java.util.List;

/**
 * The messages of ChainPaxos, with the paper's names where the paper has them; each belongs to one ballot, if not to
 * {@link Ballot#NONE}.
 */
sealed interface ChainMessage extends Message {
    /** The ballot that the message speaks for. */
    Ballot ballot();

    @Override
    default boolean isPromise() {
        return false;
    }

    /** What the sender says of the order that it has decided; {@link Prefix#UNKNOWN} if the message has none. */
    default Prefix prefix() {
        return Prefix.UNKNOWN;
    }

    @Override
    default boolean isKeptBy(DurableRecords log, int sender) {
        return !isPromise() || KeptPromises.keeps(log, ballot());
    }

    /**
     * A value travelling down the chain. Its progress holds the sender's own acknowledgement, hence a promise.
     *
     * @param start first instance that this ballot proposes; everything below was decided in earlier ballots
     * @param instance where the value belongs
     * @param value the batch
     * @param progress all that the sender knows
     * @param prefix of the sender, up to the instance if it is decided, so that the receiver can compare at once
     */
    record Accept(Ballot ballot, long start, long instance, ByteSlice value, Progress progress, Prefix prefix)
            implements ChainMessage {
        Accept(Ballot ballot, long start, long instance, ByteSlice value, Progress progress) {
            this(ballot, start, instance, value, progress, Prefix.UNKNOWN);
        }

        @Override
        public boolean isPromise() {
            return true;
        }

        @Override
        public boolean isKeptBy(DurableRecords log, int sender) {
            return KeptPromises.keeps(log, ballot, progress, sender);
        }

        @Override
        public String toString() {
            return "Accept(i=" + instance + ", b=" + ballot + ", " + value + ", " + progress + ")";
        }
    }

    /**
     * Progress without a value: down the chain, and from its end to the leader (the paper's accept_ack). Also the
     * leader's keep-alive. Without a round (0) it is the answer to a {@link ReadIndexRequest} that asks a quorum: the
     * sender has seen that read request. That is no kind of message of its own so that release 0.2.0 can take it.
     *
     * @param start as in {@link Accept}
     * @param progress all that the sender knows
     * @param prefix of the sender
     */
    record AcceptAck(Ballot ballot, long start, Progress progress, Prefix prefix) implements ChainMessage {
        AcceptAck(Ballot ballot, long start, Progress progress) {
            this(ballot, start, progress, Prefix.UNKNOWN);
        }

        @Override
        public boolean isPromise() {
            return true;
        }

        @Override
        public boolean isKeptBy(DurableRecords log, int sender) {
            return KeptPromises.keeps(log, ballot, progress, sender);
        }

        @Override
        public String toString() {
            return "AcceptAck(b=" + ballot + ", start=" + start + ", " + progress + ")";
        }
    }

    /** "Send me values from maxAccepted + 1 on": a successor to the predecessor of its choice. */
    record Subscribe(Ballot ballot, long start, long maxAccepted) implements ChainMessage {}

    /** "I have everything up to maxAccepted": keep-alive and credit, from a successor to its predecessor. */
    record WindowAck(Ballot ballot, long maxAccepted) implements ChainMessage {}

    /** "I am subscribed to another replica now." */
    record Unsubscribe(Ballot ballot) implements ChainMessage {}

    /** "I stand between you and your predecessor, and could feed you." */
    record OfferFeed(Ballot ballot, long start, long maxAccepted) implements ChainMessage {}

    /**
     * "I cannot feed you: my log begins at firstAvailable."
     *
     * @param firstAvailable lowest instance that the sender could send, or {@link #EVERYTHING}
     */
    record Truncated(Ballot ballot, long firstAvailable) implements ChainMessage {
        /** The sender does not take itself for a member ahead of the receiver, whatever is in its log. */
        static final long EVERYTHING = Long.MAX_VALUE;
    }

    /**
     * "Would you promise this ballot?" Changes nothing at the receiver.
     *
     * @param prefix how far the candidate has got
     * @param disk number of the receiver's disk, as the membership that the candidate knows has it
     */
    record PreVote(Ballot ballot, Prefix prefix, long disk) implements ChainMessage {
        PreVote(Ballot ballot, long maxDecided) {
            this(ballot, new Prefix(maxDecided, PrefixHash.UNKNOWN), Member.UNBOUND);
        }

        long maxDecided() {
            return prefix.position();
        }

        @Override
        public String toString() {
            return "PreVote[ballot=" + ballot + ", maxDecided=" + maxDecided() + ", disk=" + disk + "]";
        }
    }

    /** "I would." */
    record PreVoteOk(Ballot ballot) implements ChainMessage {}

    /** "I would not; I have promised this one." */
    record PreVoteDenied(Ballot ballot, Ballot promised) implements ChainMessage {}

    /**
     * Phase 1a: "promise this ballot and report what you have accepted from an instance on."
     *
     * @param from first instance of interest
     * @param disk as in {@link PreVote}
     */
    record Prepare(Ballot ballot, long from, long disk) implements ChainMessage {
        Prepare(Ballot ballot, long from) {
            this(ballot, from, Member.UNBOUND);
        }
    }

    /**
     * Phase 1b, in parts so that no message grows without bound.
     *
     * @param disk number of the disk that remembers the promise
     * @param founder whether that disk took part in founding the cluster
     * @param part 0, 1, 2, ...
     * @param last whether this is the last part
     * @param prefix everything up to there is decided with the values reported
     * @param entries accepted values in ascending order of instance
     */
    record PrepareOk(
            Ballot ballot, long disk, boolean founder, int part, boolean last, Prefix prefix, List<Entry> entries)
            implements ChainMessage {
        PrepareOk(
                Ballot ballot, long disk, boolean founder, int part, boolean last, long decided, List<Entry> entries) {
            this(ballot, disk, founder, part, last, new Prefix(decided, PrefixHash.UNKNOWN), entries);
        }

        @Override
        public String toString() {
            return "PrepareOk[ballot=" + ballot + ", disk=" + disk + ", founder=" + founder + ", part=" + part
                    + ", last=" + last + ", maxDecided=" + maxDecided() + ", entries=" + entries + "]";
        }

        long maxDecided() {
            return prefix.position();
        }

        @Override
        public boolean isPromise() {
            return true;
        }
    }

    /** An accepted value with the ballot it was accepted in. */
    record Entry(long instance, Ballot accepted, ByteSlice value) {}

    /** "The ballot of your message is too old: I have promised this one." */
    record Refused(Ballot ballot, Ballot promised) implements ChainMessage {}

    /**
     * Commands of a replica on their way to the leader (the paper's redirect_request).
     *
     * @param lowest the sender's lowest sequence that it has not yet seen delivered
     * @param commands consecutive sequences
     */
    record RedirectRequest(Ballot ballot, long lowest, List<ProposedCommand> commands) implements ChainMessage {}

    /**
     * First message over a link, sent when the disk of the sender remembers what the message says, and again when the
     * sender becomes a founder. It belongs to no ballot.
     *
     * @param prefix of the sender
     * @param founding what founding depends on
     */
    record Hello(Prefix prefix, FoundingHello founding) implements ChainMessage {
        @Override
        public String toString() {
            return "Hello[" + founding + "]";
        }

        @Override
        public Ballot ballot() {
            return Ballot.NONE;
        }
    }

    /**
     * From a replica that does not vote to the leader, every heartbeat: a sign of life, and, if the sender is
     * configured as a participant, its wish to be admitted.
     *
     * @param disk number of the sender's disk
     * @param maxDecided how far the sender has got
     */
    record LearnerStatus(Ballot ballot, long disk, long maxDecided) implements ChainMessage {}

    /** From a leader that has left the membership, or is going to stop: "lead, without waiting until you miss me." */
    record TakeOver(Ballot ballot) implements ChainMessage {}

    /** "You hold another order than I: this is my prefix up to a position of which you have spoken." */
    record Differing(Prefix prefix) implements ChainMessage {
        @Override
        public Ballot ballot() {
            return Ballot.NONE;
        }
    }

    /**
     * "Reads wait here: name a read index." The leader's answer is a round, to which a quorum has to agree.
     *
     * @param request ascending over all starts of the sender that read
     * @param asksQuorum whether a quorum is asked: each voter says that it has seen this, and the leader begins no
     *     round but tells base and read index
     */
    record ReadIndexRequest(Ballot ballot, long request, boolean asksQuorum) implements ChainMessage {
        ReadIndexRequest(Ballot ballot, long request) {
            this(ballot, request, false);
        }

        @Override
        public String toString() {
            return "ReadIndexRequest[ballot=" + ballot + ", request=" + request + (asksQuorum ? ", asks quorum]" : "]");
        }
    }
}
