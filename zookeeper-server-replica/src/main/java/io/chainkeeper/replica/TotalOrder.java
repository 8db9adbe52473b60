package io.chainkeeper.replica;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.transport.PeerAddress;
import java.util.Map;
import java.util.Set;

/** The ordering layer as the server above it sees it. Safe for use by any thread. */
public interface TotalOrder {
    /**
     * Orders a command. Later {@link Application#apply} is called with it on every replica, and on this one with the
     * same {@link Proposal} object. Proposals made by one thread to one stream are applied in that order. Waits while
     * the bound on commands or bytes in progress is reached and the proposal is wanted ({@link Proposal#isWanted}):
     * that is the back-pressure on clients. Then the proposal says whether it still takes its place ({@link
     * Proposal#enter}).
     *
     * @param proposal the command, no larger than a request of {@link SizeLimits#MAX_REQUEST_BYTES} makes it
     * @return whether it took its place; if not, it is not ordered
     * @throws ReplicaStoppedException if this replica has stopped or stops meanwhile
     */
    boolean propose(Proposal proposal);

    /**
     * As {@link #propose}, but never waits: for those without whom nobody would notice that nothing gets on. What is
     * offered has a room of its own, so that it does not come behind what clients have proposed.
     *
     * @param proposal see there
     * @return whether it took its place; if not, it is not ordered. There may have been no room, so it may be offered
     *     again later
     * @throws ReplicaStoppedException if this replica has stopped
     */
    boolean offer(Proposal proposal);

    /**
     * Has those who wait in {@link #propose} ask their proposals again whether they are wanted. To be called behind
     * whatever makes some of them say no; does not wait.
     */
    default void reconsider() {}

    /**
     * Asks to be told when this replica has executed everything that any client can have seen by now.
     *
     * @param waiter called by the apply thread, once
     * @throws ReplicaStoppedException if this replica has stopped
     */
    void readBarrier(ReadWaiter waiter);

    /** @return the current role and leader */
    OrderingStatus status();

    /**
     * @return numbers for monitoring, names without the {@code ordering_} prefix; one about a member has the replica id
     *     behind a dot, and comes and goes with the member
     */
    Map<String, Long> gauges();

    /** @return how long this replica's clients wait for the order, since its start */
    default Latencies latencies() {
        return new Latencies();
    }

    /** @return how long ago the protocol host last measured itself, which it does twice a second; milliseconds */
    default long silentMillis() {
        return 0;
    }

    /**
     * @return for how long a caller has waited in {@link #propose} without any command being applied, milliseconds; 0
     *     while none waits
     */
    default long stuckMillis() {
        return 0;
    }

    /** @return replicas that a link is up to, and since when, in {@link Scheduler#nanoTime} */
    default Map<Integer, Long> linkedSinceNanos() {
        return Map.of();
    }

    /** @return replicas that a link is up to */
    default Set<Integer> linkedPeers() {
        return linkedSinceNanos().keySet();
    }

    /** @return whether this replica has tried all peers that it connects to, and those that refuse it have said so */
    default boolean hasTriedPeers() {
        return true;
    }

    /** @return whether strangers who reach the port of the links can claim to be replicas */
    default boolean admitsUnauthenticated() {
        return false;
    }

    /**
     * @param position a position
     * @return when it passed the stages of its way through this replica, as far as that is known
     */
    default StageTimes stages(long position) {
        return StageTimes.NONE;
    }

    /** @return in how many streams commands are ordered; a session's commands all go to one of them */
    int streamCount();

    /**
     * Tells the order that recovery no longer needs it up to a position.
     *
     * @param position covered by the oldest checkpoint that may be needed
     */
    void checkpointTaken(long position);

    /**
     * Tells the order that the configured ensemble has changed.
     *
     * @param ensemble who is meant to take part from now on
     * @param addresses where the replica links of all others listen that this replica is to be linked to
     */
    void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses);

    /**
     * Tells the order that this replica is going to stop soon: whatever it leads is to be led by others, as {@link
     * #status} will say if anybody can. Nothing takes it back.
     */
    default void leave() {}

    /** A linearizable read, or a {@code sync}. */
    interface ReadWaiter {
        /** The local state now covers everything that could have been seen when the barrier was asked for. */
        void barrierReached();

        /**
         * As {@link #barrierReached()}, by which it is answered unless the waiter wants to know the time.
         *
         * @param reachedNanos when the order knew how far the state has to be, in {@link Scheduler#nanoTime}; the state
         *     has got there since
         */
        default void barrierReached(long reachedNanos) {
            barrierReached();
        }
    }
}
