package io.chainkeeper.server.bootstrap;

import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.transfer.StateOffer;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;

/**
 * Starts the total order below a server: a protocol with its log and links in production, a stand-in in tests. Called
 * by one thread at a time.
 */
@FunctionalInterface
public interface OrderingFactory {
    /** Begins in the background what needs no application. It is followed by {@link #start} or {@link #abandon}. */
    default void prepare() {}

    /** Gives up what {@link #prepare} has begun, if {@link #start} was not called. */
    default void abandon() {}

    /**
     * Numbers all further starts above one that the order holds; before {@link #start}.
     *
     * @param incarnation of this replica, see {@link Application#superseded}
     */
    default void startAbove(long incarnation) {}

    /**
     * Starts ordering. The application has been recovered and may be called from now on, also before this returns.
     *
     * @param application what executes the order
     * @param stateOffer sends the state to members that need it
     * @param failureHandler to be told when ordering cannot go on
     * @return the running order
     * @throws IOException if the log cannot be opened or a port not bound; the message names it
     */
    RunningOrder start(Application application, StateOffer stateOffer, FailureHandler failureHandler)
            throws IOException;

    /**
     * Waits, when the order is closed and no other is started, until nothing that any order has asked of a shared disk
     * is under way any more: for as long as such a disk gives no answer.
     *
     * @throws InterruptedException if the waiting thread is interrupted
     */
    default void awaitEnd() throws InterruptedException {}

    /** A started order and the way to end it. */
    interface RunningOrder extends AutoCloseable {
        /** @return the order */
        TotalOrder totalOrder();

        /**
         * Opens a bulk connection to another member. Blocks; may be called by any thread.
         *
         * @param peer replica id
         * @return the open connection
         * @throws IOException if it cannot be reached or refuses; names peer and reason
         */
        StateChannel openStateChannel(int peer) throws IOException;

        /** Stops ordering. When it returns the application is not called any more. May be called by one thread. */
        @Override
        void close();
    }
}
