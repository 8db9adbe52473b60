package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.RedirectRequest;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.proposer.ForwardQueue;
import io.chainkeeper.ordering.proposer.ProposalQueue;

/**
 * What is to be ordered: this replica's commands on their way to the leader, and at the leader everybody's commands,
 * and changes of the membership, on their way into instances.
 */
final class Proposer {
    private final ReplicaState state;
    private final Admission admission;
    private final ForwardQueue forwards;
    private final ProposalQueue proposals;

    Proposer(ReplicaState state, Admission admission) {
        this.state = state;
        this.admission = admission;
        this.forwards = new ForwardQueue(state.self, state.context.incarnation());
        this.proposals = new ProposalQueue(state.settings.maxBatchCommands(), state.settings.maxBatchBytes());
    }

    void onPropose(ProposedCommand command) {
        forwards.add(command);
        takeOwnIfLeader();
    }

    private void takeOwnIfLeader() {
        if (state.isLeader()) {
            forwards.forward(Integer.MAX_VALUE, proposals::add);
        }
    }

    /** Leader: takes commands of another member. */
    void onRedirectRequest(RedirectRequest m) {
        if (!state.isLeader() || !m.ballot().equals(state.ballot)) {
            return; // the sender will hear of the leader and send again
        }
        if (state.context.start() == Start.SOLE_SURVIVOR) {
            return; // it sends again to the next start
        }
        proposals.add(m.lowest(), m.commands());
    }

    /** This replica leads or follows another ballot. */
    void leaderChanged() {
        proposals.clear();
        forwards.forwardAgain();
        takeOwnIfLeader();
    }

    /** Nobody leads. */
    void leaderLost() {
        proposals.clear();
    }

    /** The link to the leader is new: what was sent over the last one may be lost. */
    void redirectAgain() {
        forwards.forwardAgain();
    }

    /** Follower: sends on what waits for the leader. */
    void redirectToLeader() {
        if (state.isLeader() || state.leader == 0 || !state.linkUp[state.leader]) {
            return;
        }
        forwards.forward(
                ChainSettings.REDIRECT_BYTES,
                (lowest, commands) ->
                        state.effects.send(state.leader, new RedirectRequest(state.ballot, lowest, commands)));
    }

    /** Leader: starts instances with what waits, as far as the window allows. */
    void propose() {
        proposeMembership();
        proposals.decided(state.maxDecided);
        while (proposals.hasBatch() && isWithinWindow()) {
            long instance = state.maxAccepted + 1;
            state.accept(instance, proposals.pollBatch(instance));
        }
    }

    private void proposeMembership() {
        Membership next = admission.next();
        if (next != null && isWithinWindow()) {
            state.accept(state.maxAccepted + 1, BatchCodec.encode(next));
            admission.proposed();
        }
    }

    private boolean isWithinWindow() {
        return state.maxAccepted - state.maxDecided < state.settings.windowInstances();
    }

    /** A value was decided: this replica's commands in it are outstanding no more. */
    void delivered(ByteSlice value) {
        forwards.delivered(value);
    }

    /** Tells how much waits to be proposed, and is under way. */
    void tellOccupancy(Occupancy occupancy) {
        proposals.tellOccupancy(occupancy);
        occupancy.holds("batches_under_way", proposals.underWay(), state.settings.windowInstances(), Slack.NONE);
    }

    /** How many commands of this replica are not delivered. */
    int outstanding() {
        return forwards.outstanding();
    }

    /** How many commands wait to be proposed. */
    int waiting() {
        return proposals.waiting();
    }
}
