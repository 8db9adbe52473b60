package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Forward;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.proposer.CommandQueue;

/**
 * Commands on their way to the leader of their bucket, and there into positions. A bucket holds the commands of one
 * proposer and has one leader in an epoch. When an epoch begins, everything of the one before is decided, and a replica
 * gives all that has no place in the order yet to the present leader of its bucket.
 */
final class Commands {
    private final IssState state;
    private final CommandQueue queue;
    private Epoch before;
    private int endedEarly;

    Commands(IssState state) {
        this.state = state;
        this.queue = new CommandQueue(state.self, state.context.incarnation());
    }

    /** The leader of this replica's bucket; 0 if none is known. */
    int owner() {
        return state.epoch == null ? 0 : state.epoch.config().ownerOf(state.self);
    }

    void onPropose(ProposedCommand command) {
        queue.propose(command, owner() == state.self);
    }

    /** Leader: takes commands of another replica. */
    void onForward(Forward m) {
        if (state.epoch.own() == null) {
            return; // its sender will hear of the present epoch and send again
        }
        queue.takeForwarded(m.lowest(), m.commands());
    }

    void epochBegan() {
        boolean follows = before != null && before.number() + 1 == state.epoch.number();
        if (!follows || !before.endIsWanted()) {
            endedEarly = 0;
        } else if (isYoung(before)) {
            endedEarly++;
        }
        before = state.epoch;
        queue.leaderChanged(owner() == state.self);
    }

    /** What was sent to a replica may be lost: its link is new, or it was not in the epoch yet. */
    void sendAgain(int peer) {
        if (peer == owner()) {
            queue.resend();
        }
    }

    /** Sends on what waits for the leader of the bucket. */
    void sendForwards() {
        int owner = owner();
        if (owner == 0 || owner == state.self || !state.peers.linkUp[owner] || !queue.hasUnsent()) {
            return;
        }
        long lowest = queue.lowestOutstanding();
        while (queue.hasUnsent()) {
            state.effects.send(
                    owner, new Forward(state.epoch.number(), lowest, queue.nextUnsent(IssSettings.FORWARD_BYTES)));
        }
    }

    boolean hasWaiting() {
        return queue.hasWaiting();
    }

    /** Leader: whether the next batch should go now. */
    boolean hasBatch() {
        queue.decided(state.prefix);
        return queue.hasBatch(state.settings.maxBatchCommands(), state.settings.maxBatchBytes());
    }

    /** Leader: the next batch of what waits; there must be something. */
    ByteSlice nextBatch(long position) {
        return queue.nextBatch(position, state.settings.maxBatchCommands(), state.settings.maxBatchBytes());
    }

    /**
     * Whether the leader of the bucket can no longer propose in this epoch what is outstanding here, or seems to be
     * gone: there need not be anybody left who could tell. For that nobody wishes for the end of an epoch before it has
     * lasted as long as it takes to miss somebody. A leader that says so, or whose segment another finishes, ends it at
     * once, unless as many epochs as there are leaders have ended so: then it is leader again each time.
     */
    boolean areStuck() {
        if (queue.outstanding() == 0 || state.epoch == null) {
            return false;
        }
        int number = state.epoch.config().segmentLedBy(owner());
        Segment segment = state.epoch.segment(number);
        boolean leaderIsSilent = owner() == state.self
                ? !state.epoch.maySpeak()
                : state.peers.status(owner()).epoch() == state.epoch.number()
                        && !state.peers.status(owner()).speaks();
        boolean leaderIsGone = owner() != state.self
                && state.peers.silentTicks(owner(), state.now) > state.settings.suspicionTicks()
                && !isYoung(state.epoch);
        boolean isPatient = isYoung(state.epoch)
                && endedEarly >= state.epoch.config().leaders().size();
        return !isPatient && (segment.isTakenOver() || leaderIsSilent) || leaderIsGone;
    }

    /** Whether an epoch has not lasted yet as long as it takes to miss somebody. */
    private boolean isYoung(Epoch epoch) {
        return epoch.ticks(state.now) <= state.settings.suspicionTicks();
    }

    /** The next tick from which on {@link #areStuck} may say so although nothing else has happened. */
    long dueTick() {
        long due = state.now - state.epoch.ticks(state.now) + state.settings.suspicionTicks() + 1;
        return queue.outstanding() > 0 && due > state.now ? due : Long.MAX_VALUE;
    }

    /** The place of a value in the order is known: this replica's commands in it are outstanding no more. */
    void decided(ByteSlice value) {
        queue.delivered(value);
    }

    int outstanding() {
        return queue.outstanding();
    }

    int waiting() {
        return queue.waiting();
    }
}
