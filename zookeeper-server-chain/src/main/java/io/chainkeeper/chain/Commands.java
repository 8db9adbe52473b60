package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.Forward;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.proposer.CommandQueue;

/** Commands on their way to the leader, and there into instances. */
final class Commands {
    private final ReplicaState state;
    private final CommandQueue queue;

    Commands(ReplicaState state) {
        this.state = state;
        this.queue = new CommandQueue(state.self, state.context.incarnation());
    }

    void onPropose(ProposedCommand command) {
        queue.propose(command, state.isLeader());
    }

    /** Leader: takes commands of another member. */
    void onForward(Forward m) {
        if (!state.isLeader() || !m.ballot().equals(state.ballot)) {
            return; // its sender will hear of the leader and send again
        }
        queue.takeForwarded(m.lowest(), m.commands());
    }

    /** This replica leads now. */
    void lead() {
        queue.leaderChanged(true);
    }

    /** Nobody leads. */
    void loseLeader() {
        queue.leaderLost();
    }

    void followNewLeader() {
        queue.leaderChanged(false);
    }

    /** The link to the leader is new. */
    void resend() {
        queue.resend();
    }

    /** Follower: sends on what waits for the leader. */
    void sendForwards() {
        if (state.isLeader() || state.leader == 0 || !state.linkUp[state.leader] || !queue.hasUnsent()) {
            return;
        }
        long lowest = queue.lowestOutstanding();
        while (queue.hasUnsent()) {
            state.effects.send(
                    state.leader, new Forward(state.ballot, lowest, queue.nextUnsent(ChainSettings.FORWARD_BYTES)));
        }
    }

    /** Leader: starts instances with what waits, as far as the window allows. */
    void proposeBatches() {
        int maxCommands = state.settings.maxBatchCommands();
        int maxBytes = state.settings.maxBatchBytes();
        queue.decided(state.maxDecided);
        while (queue.hasBatch(maxCommands, maxBytes)
                && state.maxAccepted - state.maxDecided < state.settings.windowInstances()) {
            long instance = state.maxAccepted + 1;
            state.accept(instance, queue.nextBatch(instance, maxCommands, maxBytes));
        }
    }

    /** A value was decided: this replica's commands in it are outstanding no more. */
    void delivered(ByteSlice value) {
        queue.delivered(value);
    }

    int outstanding() {
        return queue.outstanding();
    }

    int waiting() {
        return queue.waiting();
    }
}
