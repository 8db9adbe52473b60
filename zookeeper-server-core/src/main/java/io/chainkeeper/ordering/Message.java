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
}
