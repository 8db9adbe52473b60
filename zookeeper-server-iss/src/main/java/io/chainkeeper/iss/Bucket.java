package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Forward;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.proposer.ForwardQueue;
import io.chainkeeper.ordering.proposer.ProposalQueue;

/**
 * This replica's bucket: the commands of its clients, on their way to the bucket's leader. A bucket holds the commands
 * of one proposer and has one leader in an epoch. When an epoch begins, everything of the one before is decided, and a
 * replica gives all that has no place in the order yet to the present leader of its bucket.
 */
final class Bucket {
    private final IssState state;
    private final ForwardQueue forwards;

    /** Where the commands go while this replica itself leads its bucket. */
    private final ProposalQueue proposals;

    private Epoch before;

    /** How many epochs in a row have ended early because somebody wished so. */
    private int endedEarly;

    Bucket(IssState state, ProposalQueue proposals) {
        this.state = state;
        this.forwards = new ForwardQueue(state.self, state.context.incarnation());
        this.proposals = proposals;
    }

    /** The leader of this bucket; 0 if none is known. */
    private int leader() {
        return state.epoch == null ? 0 : state.epoch.config().ownerOf(state.self);
    }

    void onPropose(ProposedCommand command) {
        forwards.add(command);
        takeOwnIfLeader();
    }

    private void takeOwnIfLeader() {
        if (leader() == state.self) {
            forwards.forward(Integer.MAX_VALUE, proposals::add);
        }
    }

    void epochBegan() {
        boolean follows = before != null && before.number() + 1 == state.epoch.number();
        if (!follows || !before.endIsWanted()) {
            endedEarly = 0;
        } else if (isYoung(before)) {
            endedEarly++;
        }
        before = state.epoch;
        forwards.forwardAgain();
        takeOwnIfLeader();
    }

    /** What was sent to a replica may be lost: its link is new, or it was not in the epoch yet. */
    void forwardAgain(int peer) {
        if (peer == leader()) {
            forwards.forwardAgain();
        }
    }

    /** Sends on what waits for the leader of the bucket. */
    void forwardToLeader() {
        int leader = leader();
        if (leader == 0 || leader == state.self || !state.peers.linkUp[leader]) {
            return;
        }
        forwards.forward(
                IssSettings.FORWARD_BYTES,
                (lowest, commands) -> state.effects.send(leader, new Forward(state.epoch.number(), lowest, commands)));
    }

    /**
     * Whether the leader of the bucket can no longer propose in this epoch what is outstanding here, or seems to be
     * gone: there need not be anybody left who could tell. For a leader that seems to be gone nobody wishes for the end
     * of an epoch before the epoch has lasted as long as it takes to miss somebody. A leader that says that it no
     * longer proposes, or whose segment another replica finishes, ends the epoch at once, unless as many epochs as
     * there are leaders have ended so: then it is leader again each time.
     */
    boolean isStuck() {
        if (forwards.outstanding() == 0 || state.epoch == null) {
            return false;
        }
        int leader = leader();
        Segment segment = state.epoch.segment(state.epoch.config().segmentLedBy(leader));
        boolean leaderIsSilent = leader == state.self
                ? !state.epoch.maySpeak()
                : state.peers.status(leader).epoch() == state.epoch.number()
                                && !state.peers.status(leader).speaks()
                        || state.hangsAtBeginning(leader);
        boolean leaderIsGone = state.rules.isOn(SafetyRule.EPOCH_ENDS_FOR_COMMANDS_OF_A_LEADER_THAT_IS_GONE)
                && leader != state.self
                && state.peers.silentTicks(leader, state.now) > state.settings.suspicionTicks()
                && !isYoung(state.epoch);
        boolean isPatient = isYoung(state.epoch)
                && endedEarly >= state.epoch.config().leaders().size();
        return !isPatient && (segment.isTakenOver() || leaderIsSilent) || leaderIsGone;
    }

    /** Whether an epoch has not lasted yet as long as it takes to miss somebody. */
    private boolean isYoung(Epoch epoch) {
        return epoch.ticks(state.now) <= state.settings.suspicionTicks();
    }

    /** The next tick from which on {@link #isStuck} may say so although nothing else has happened. */
    long dueTick() {
        if (forwards.outstanding() == 0) {
            return Long.MAX_VALUE;
        }
        long due = state.now - state.epoch.ticks(state.now) + state.settings.suspicionTicks() + 1;
        return due > state.now ? due : state.dueHangTick(leader());
    }

    /** The place of a value in the order is known: this replica's commands in it are outstanding no more. */
    void decided(ByteSlice value) {
        forwards.delivered(value);
    }

    /** How many commands of this replica have no place in the order yet. */
    int outstanding() {
        return forwards.outstanding();
    }
}
