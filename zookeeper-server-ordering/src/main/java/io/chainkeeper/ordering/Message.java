package io.chainkeeper.ordering;

/**
 * A protocol message from one replica to another. Implementations are immutable values whose {@code toString} prints
 * like the paper's notation, because scenario files compare that text.
 */
public interface Message {
    /**
     * Whether the message promises something that its sender must remember across a crash (a vote, an
     * acknowledgement). A promise may leave only through {@link Effects#sendAfter}.
     *
     * @return true if it does
     */
    boolean isPromise();

    /**
     * Whether its sender would keep what the message promises if it crashed now. Hosts that can look into their log at
     * any time ask each promise that leaves ({@link PromiseRule#checkKept}).
     *
     * @param log what the sender's log holds on stable storage
     * @param sender replica id
     * @return false if the log lacks the record that the promise must rest on; of what is no promise true
     */
    boolean isKeptBy(DurableRecords log, int sender);
}
