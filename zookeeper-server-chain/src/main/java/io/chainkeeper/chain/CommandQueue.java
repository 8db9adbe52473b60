package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.Forward;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Commands on their way: those of this replica until they are delivered, and, at the leader, those of all replicas
 * until they are in a batch. Both are bounded by the host, which limits how many commands of one replica are
 * outstanding.
 *
 * <p>A replica sends everything that it has not seen delivered to each new leader, in order. The executor skips what
 * was ordered before, so nothing is lost, doubled or reordered.
 */
final class CommandQueue {
    private record Source(int proposer, long incarnation) implements Comparable<Source> {
        @Override
        public int compareTo(Source other) {
            int byProposer = Integer.compare(proposer, other.proposer);
            return byProposer != 0 ? byProposer : Long.compare(incarnation, other.incarnation);
        }
    }

    private final ReplicaState state;

    /** Commands of this replica that were not delivered yet, ascending. */
    private final ArrayDeque<ProposedCommand> outstanding = new ArrayDeque<>();

    /** Commands of this replica that are to be sent to the leader at the end of this batch of inputs. */
    private final ArrayDeque<ProposedCommand> unsent = new ArrayDeque<>();

    /** Leader: commands that wait for an instance. */
    private final ArrayDeque<ProposedCommand> waiting = new ArrayDeque<>();

    /** Leader: the last sequence taken of each proposer in this ballot. */
    private final Map<Source, Long> lastTaken = new TreeMap<>();

    CommandQueue(ReplicaState state) {
        this.state = state;
    }

    void onPropose(ProposedCommand command) {
        outstanding.add(command);
        if (state.isLeader()) {
            take(command);
        } else {
            unsent.add(command);
        }
    }

    /** Leader: takes commands of another member, each once and in order. */
    void onForward(Forward m) {
        if (!state.isLeader() || !m.ballot().equals(state.ballot)) {
            return; // its sender will hear of the leader and send again
        }
        for (ProposedCommand command : m.commands()) {
            Long last = lastTaken.get(new Source(command.proposer(), command.incarnation()));
            // The first that is taken of a proposer must be its lowest undelivered one: what was sent before it
            // over a link that broke comes again, and must not be overtaken.
            long next = last == null ? m.lowest() : last + 1;
            if (command.sequence() == next) {
                take(command);
            }
        }
    }

    private void take(ProposedCommand command) {
        lastTaken.put(new Source(command.proposer(), command.incarnation()), command.sequence());
        waiting.add(command);
    }

    /** This replica leads now. */
    void lead() {
        loseLeader();
        unsent.clear();
        outstanding.forEach(this::take);
    }

    /** Nobody leads: what waited here is with its proposers too. */
    void loseLeader() {
        waiting.clear();
        lastTaken.clear();
    }

    void followNewLeader() {
        loseLeader();
        resend();
    }

    /** Everything undelivered goes to the leader again. */
    void resend() {
        unsent.clear();
        unsent.addAll(outstanding);
    }

    /** Follower: sends on what waits for the leader. */
    void sendForwards() {
        if (unsent.isEmpty() || state.isLeader() || state.leader == 0 || !state.linkUp[state.leader]) {
            return;
        }
        long lowest = outstanding.peek().sequence();
        List<ProposedCommand> commands = new ArrayList<>();
        int bytes = 0;
        while (!unsent.isEmpty()) {
            ProposedCommand command = unsent.remove();
            commands.add(command);
            bytes += command.command().length() + BatchCodec.COMMAND_OVERHEAD_BYTES;
            if (bytes >= ChainSettings.FORWARD_BYTES || unsent.isEmpty()) {
                state.effects.send(state.leader, new Forward(state.ballot, lowest, commands));
                commands = new ArrayList<>();
                bytes = 0;
            }
        }
    }

    /** Leader: starts instances with what waits, as far as the window allows. */
    void proposeBatches() {
        while (!waiting.isEmpty() && state.maxAccepted - state.maxDecided < state.settings.windowInstances()) {
            List<ProposedCommand> batch = new ArrayList<>();
            int bytes = 0;
            while (!waiting.isEmpty() && batch.size() < state.settings.maxBatchCommands()) {
                int size = waiting.peek().command().length() + BatchCodec.COMMAND_OVERHEAD_BYTES;
                if (!batch.isEmpty() && bytes + size > state.settings.maxBatchBytes()) {
                    break;
                }
                bytes += size;
                batch.add(waiting.remove());
            }
            state.accept(state.maxAccepted + 1, BatchCodec.encode(batch));
        }
    }

    /** A value was decided: this replica's commands in it are outstanding no more. */
    void delivered(ByteSlice value) {
        if (outstanding.isEmpty()) {
            return;
        }
        ByteBuffer in = value.asByteBuffer();
        int count = in.getInt(); // negative if the value is a membership
        for (int i = 0; i < count; i++) {
            int proposer = in.getInt();
            long incarnation = in.getLong();
            in.getInt();
            long sequence = in.getLong();
            int length = in.getInt();
            in.position(in.position() + length);
            if (proposer == state.context.replicaId() && incarnation == state.context.incarnation()) {
                forget(sequence);
            }
        }
    }

    private void forget(long sequence) {
        // Not the head: a repeat, or a command that a new leader recovered without the one before it. The executor
        // skips either, and the latter is on its way again with all that is outstanding.
        if (!outstanding.isEmpty() && outstanding.peek().sequence() == sequence) {
            outstanding.remove();
        }
        if (!unsent.isEmpty() && unsent.peek().sequence() == sequence) {
            unsent.remove();
        }
    }

    int outstanding() {
        return outstanding.size();
    }

    int waiting() {
        return waiting.size();
    }
}
