package io.chainkeeper.ordering.proposer;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The commands of this replica that are not delivered yet (<em>outstanding</em>), and of these the ones that their
 * leader still has to be sent (<em>unsent</em>). Bounded by the host, which limits how many commands are outstanding.
 *
 * <p>A replica gives everything that it has not seen delivered to each new leader, in order. The executor skips what
 * was ordered before, so nothing is lost, doubled or reordered.
 *
 * <p>Not thread-safe; the protocol that owns it calls it.
 */
public final class ForwardQueue {
    /** Whom commands are forwarded to: a message to the leader, or this replica's own {@link ProposalQueue}. */
    @FunctionalInterface
    public interface Leader {
        /**
         * Takes commands.
         *
         * @param lowest sequence of the lowest command that is outstanding
         * @param commands the next ones, in order; at least one
         */
        void take(long lowest, List<ProposedCommand> commands);
    }

    private final int replica;
    private final long incarnation;

    /** Ascending. */
    private final ArrayDeque<ProposedCommand> outstanding = new ArrayDeque<>();

    /** The last ones of those that are outstanding. */
    private final ArrayDeque<ProposedCommand> unsent = new ArrayDeque<>();

    /**
     * @param replica id of this replica
     * @param incarnation its present one
     */
    public ForwardQueue(int replica, long incarnation) {
        this.replica = replica;
        this.incarnation = incarnation;
    }

    /** @param command the next one of this replica */
    public void add(ProposedCommand command) {
        outstanding.add(command);
        unsent.add(command);
    }

    /** The leader is another, or what it was sent may be lost: everything that is outstanding is unsent again. */
    public void forwardAgain() {
        unsent.clear();
        unsent.addAll(outstanding);
    }

    /**
     * Gives all that is unsent to the leader, in parts.
     *
     * @param enoughBytes a part ends once it has so many bytes, with the overhead of each command
     * @param leader takes the parts
     */
    public void forward(int enoughBytes, Leader leader) {
        while (!unsent.isEmpty()) {
            leader.take(outstanding.peek().sequence(), pollUnsent(enoughBytes));
        }
    }

    private List<ProposedCommand> pollUnsent(int enoughBytes) {
        List<ProposedCommand> commands = new ArrayList<>();
        int bytes = 0;
        while (!unsent.isEmpty() && bytes < enoughBytes) {
            ProposedCommand command = unsent.remove();
            commands.add(command);
            bytes += ProposalQueue.sizeOf(command);
        }
        return commands;
    }

    /**
     * A value is delivered: this replica's commands in it are outstanding no more.
     *
     * @param value of a position, in the order of positions
     */
    public void delivered(ByteSlice value) {
        if (outstanding.isEmpty()) {
            return;
        }
        ByteBuffer in = value.asByteBuffer();
        int count = in.getInt(); // negative if the value is no batch
        for (int i = 0; i < count; i++) {
            int proposer = in.getInt();
            long itsIncarnation = in.getLong();
            in.getInt();
            long sequence = in.getLong();
            int length = in.getInt();
            in.position(in.position() + length);
            if (proposer == replica && itsIncarnation == incarnation) {
                forget(sequence);
            }
        }
    }

    private void forget(long sequence) {
        // Not the head: a repeat, or a command that was decided without the one before it. The executor skips either,
        // and the latter is taken again with all that is outstanding when the leader changes.
        if (!outstanding.isEmpty() && outstanding.peek().sequence() == sequence) {
            outstanding.remove();
            if (!unsent.isEmpty() && unsent.peek().sequence() == sequence) {
                unsent.remove();
            }
        }
    }

    /** @return commands of this replica that are not delivered */
    public int outstanding() {
        return outstanding.size();
    }
}
