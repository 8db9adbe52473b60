package io.chainkeeper.replica;

import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;

/**
 * The deterministic state machine above the order. All methods but {@link #statusChanged}, {@link #memberSilent},
 * {@link #stateNeeded} and {@link #checkpointWanted} are called by the apply thread. An exception thrown by any of
 * these methods stops the replica.
 */
public interface Application {
    /**
     * The position that this application has durable state for; execution continues with the next.
     *
     * @return 0 if it has none
     */
    long recoveredPosition();

    /**
     * The replicated table of proposers as of {@link #recoveredPosition()}; the apply thread advances it, the
     * application stores it with each checkpoint.
     *
     * @return the table, an empty one if there is no checkpoint
     */
    ProposerTable proposerTable();

    /**
     * The membership in force after {@link #recoveredPosition()}; stored with each checkpoint.
     *
     * @return null if there is no checkpoint, or none of the positions up to it changed the membership
     */
    Membership recoveredMembership();

    /**
     * A position is about to be executed: from now on, until {@link #positionApplied}, {@link #proposerTable} and the
     * application's own state need not be those of one position. Also called for positions that hold no commands.
     *
     * @param position the position
     */
    void positionBegins(long position);

    /**
     * A position holds a membership, which is in force from the next one on.
     *
     * @param position the position
     * @param membership who votes from now on
     */
    void membershipChanged(long position, Membership membership);

    /**
     * Executes the next command. Repeats have been skipped already.
     *
     * @param position of the batch that the command is part of
     * @param command the command
     * @param own the object given to {@link TotalOrder#propose} if this replica proposed it in this incarnation, else
     *     null
     */
    void apply(long position, ProposedCommand command, Proposal own);

    /**
     * All commands of a position have been executed. Also called for positions that hold none.
     *
     * @param position the position
     */
    void positionApplied(long position);

    /** Something is at hand to be executed, or reads are told that they may be answered; {@link #batchEnd} follows. */
    default void batchBegin() {}

    /** What was at hand has been executed; flush replies and files before waiting for more. */
    void batchEnd();

    /**
     * Executing has failed, perhaps in the middle of a command, and nothing more is executed: threads that wait for an
     * execution must not wait any longer. The last call by the apply thread.
     */
    default void executionFailed() {}

    /**
     * The view of the leader has changed. Called by the protocol host; must not block.
     *
     * @param status the new view
     */
    void statusChanged(OrderingStatus status);

    /**
     * Told at the leader only: a member went silent or came back. Called by the protocol host; must not block.
     *
     * @param member replica id
     * @param silent true if it went silent
     */
    void memberSilent(int member, boolean silent);

    /**
     * The order holds commands of this replica under a later incarnation than the one that runs, as after the loss of a
     * disk with a clock that was set back. What this replica proposes has no effect, so it must serve no client until
     * it has been started again with a higher incarnation. Told once. Called by the apply thread, which goes on
     * executing what others propose; must not block.
     *
     * @param incarnation the latest incarnation of this replica in the order
     */
    void superseded(long incarnation);

    /**
     * This replica lags behind what the members' acceptor logs still hold: only the state of another member can bring
     * this replica back. Told again and again while that lasts. Called by the protocol host; must not block.
     *
     * @param fromPeer a member that has the state
     * @param position the position that this replica needs next
     */
    void stateNeeded(int fromPeer, long position);

    /**
     * The order cannot keep for long what it keeps until the next checkpoint: one should be written soon, also if none
     * is due, and count as soon as it is written. Called by the protocol host, again and again if none comes; must not
     * block.
     */
    default void checkpointWanted() {
        // An application without files has none to write.
    }
}
