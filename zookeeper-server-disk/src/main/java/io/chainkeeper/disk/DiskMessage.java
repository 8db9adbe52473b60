package io.chainkeeper.disk;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.prefix.Prefix;
import java.util.List;

/** What servers tell each other. Nothing of it is a promise: promises are on the disks. */
sealed interface DiskMessage extends Message {
    @Override
    default boolean isPromise() {
        return false;
    }

    @Override
    default boolean isKeptBy(DurableRecords log, int sender) {
        return true;
    }

    /** What the sender says of the order that it holds. */
    default Prefix order() {
        return Prefix.UNKNOWN;
    }

    /** With each heartbeat: the sender leads a ballot, and because of whom clients' writes are to be refused, or 0. */
    record Lead(Ballot ballot, Prefix order, int heldUpBy) implements DiskMessage {}

    /** The leader of a ballot has proposed a value, and positions up to another are decided. */
    record Propose(Ballot ballot, long position, long decided, ByteSlice value) implements DiskMessage {
        @Override
        public String toString() {
            return "Propose[" + ballot + " " + position + " " + value + " decided " + decided + "]";
        }
    }

    /** Positions up to here are decided; those that this ballot has proposed with the values that it has proposed. */
    record Decided(Ballot ballot, long decided) implements DiskMessage {}

    /** With each heartbeat, to the leader: how far the sender is. */
    record Progress(Prefix order, long checkpoint) implements DiskMessage {}

    /** To the leader: commands of the sender's clients. */
    record Forward(Ballot ballot, long lowest, List<ProposedCommand> commands) implements DiskMessage {}

    /** To the leader: up to where has a read to wait. */
    record ReadIndexRequest(Ballot ballot, long number) implements DiskMessage {}

    /** The answer. */
    record ReadIndex(Ballot ballot, long number, long index) implements DiskMessage {}

    /** The leader of a ballot is going to stop: the receiver is to take over. */
    record HandOver(Ballot ballot) implements DiskMessage {}

    /** The receiver holds another order than the sender, who holds this. */
    record Differing(Prefix order) implements DiskMessage {}
}
