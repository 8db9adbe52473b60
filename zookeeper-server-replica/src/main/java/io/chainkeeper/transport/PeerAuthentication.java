package io.chainkeeper.transport;

import java.io.IOException;

/**
 * Authenticates links with SASL. Thread-safe. Exchanges may block, so threads other than the I/O thread make and use
 * them; each exchange is used by one thread at a time.
 */
public interface PeerAuthentication {
    /** @return whether this replica authenticates itself, and demands the same of the other side, when it connects */
    boolean dials();

    /** @return whether peers that connect without authenticating themselves are refused */
    boolean demands();

    /**
     * Begins the exchange of a connection that this replica has opened.
     *
     * @param host the member's host as configured
     * @return an exchange that begins with the answer to an empty token
     * @throws IOException if the exchange cannot begin; says why, one line
     */
    Exchange client(String host) throws IOException;

    /**
     * Begins the exchange of a connection that this replica has accepted.
     *
     * @return an exchange that begins with the answer to the other side's first token
     * @throws IOException if the exchange cannot begin; says why, one line
     */
    Exchange server() throws IOException;

    /** One side of one authentication. */
    interface Exchange {
        /**
         * Takes what the other side says.
         *
         * @param token of the other side
         * @return the answer, or null if there is none
         * @throws IOException if the other side is not who it has to be; one line
         */
        byte[] answer(byte[] token) throws IOException;

        /** @return whether this side is content */
        boolean isComplete();

        /** Forgets secrets. */
        void dispose();
    }
}
