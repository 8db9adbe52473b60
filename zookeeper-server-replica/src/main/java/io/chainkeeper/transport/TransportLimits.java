package io.chainkeeper.transport;

import io.chainkeeper.ordering.SizeLimits;

/**
 * Every bound of the links between replicas, in one place.
 *
 * @param maxFrameBytes longest frame that is sent or taken; at least 1
 * @param maxOutboundBytesPerLink bytes that may wait for a peer's socket before the link is closed; at least one
 *     longest frame and its length prefix
 * @param connectTimeoutMillis how long one address may take to accept a connection
 * @param handshakeTimeoutMillis how long a new connection may take to prove itself, TLS included
 * @param reconnectMinMillis first pause after a failed or broken connection; each further failure doubles it
 * @param reconnectMaxMillis longest pause; the actual one lies between half the pause and the pause
 * @param pingIntervalMillis a ping is sent over a link when nothing else was sent for so long
 * @param idleLimitMillis a link is closed when nothing was received over it for so long; at least twice the ping
 *     interval
 * @param maxPendingHandshakes accepted connections that have not proved themselves; one more closes the oldest. From
 *     one address a quarter as many are let in; one more closes the oldest of that address
 * @param maxStateConnections connections for bulk requests that other members may have open here at a time, and that
 *     this replica may have open to others
 * @param stateIdleLimitMillis an accepted connection for bulk requests is closed when nothing was asked over it for so
 *     long, or for up to a quarter longer; at least 4
 * @param stateAnswerLimitMillis how long a bulk request waits while nothing arrives
 */
public record TransportLimits(
        int maxFrameBytes,
        long maxOutboundBytesPerLink,
        int connectTimeoutMillis,
        int handshakeTimeoutMillis,
        int reconnectMinMillis,
        int reconnectMaxMillis,
        int pingIntervalMillis,
        int idleLimitMillis,
        int maxPendingHandshakes,
        int maxStateConnections,
        int stateIdleLimitMillis,
        int stateAnswerLimitMillis) {
    /** What a replica uses unless told otherwise. */
    public static final TransportLimits DEFAULT = new TransportLimits(
            SizeLimits.MAX_FRAME_BYTES,
            SizeLimits.linkBytes(1 << 20),
            5_000,
            5_000,
            50,
            250,
            2_000,
            10_000,
            64,
            32,
            60_000,
            answerLimitMillis());

    /** Bytes of the length that stands before each frame. */
    public static final int LENGTH_PREFIX_BYTES = Integer.BYTES;

    /**
     * Checks the bounds and the relations between them.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public TransportLimits {
        require(maxFrameBytes >= 1, "maxFrameBytes", maxFrameBytes, "at least 1");
        require(
                maxOutboundBytesPerLink >= (long) maxFrameBytes + LENGTH_PREFIX_BYTES,
                "maxOutboundBytesPerLink",
                maxOutboundBytesPerLink,
                "at least maxFrameBytes + " + LENGTH_PREFIX_BYTES);
        require(connectTimeoutMillis >= 1, "connectTimeoutMillis", connectTimeoutMillis, "at least 1");
        require(handshakeTimeoutMillis >= 1, "handshakeTimeoutMillis", handshakeTimeoutMillis, "at least 1");
        require(reconnectMinMillis >= 1, "reconnectMinMillis", reconnectMinMillis, "at least 1");
        require(
                reconnectMaxMillis >= reconnectMinMillis,
                "reconnectMaxMillis",
                reconnectMaxMillis,
                "at least reconnectMinMillis");
        require(pingIntervalMillis >= 1, "pingIntervalMillis", pingIntervalMillis, "at least 1");
        require(
                idleLimitMillis >= 2L * pingIntervalMillis,
                "idleLimitMillis",
                idleLimitMillis,
                "at least twice pingIntervalMillis");
        require(maxPendingHandshakes >= 1, "maxPendingHandshakes", maxPendingHandshakes, "at least 1");
        require(maxStateConnections >= 1, "maxStateConnections", maxStateConnections, "at least 1");
        require(stateIdleLimitMillis >= 4, "stateIdleLimitMillis", stateIdleLimitMillis, "at least 4");
        require(stateAnswerLimitMillis >= 1, "stateAnswerLimitMillis", stateAnswerLimitMillis, "at least 1");
    }

    /** @return accepted connections of one address that have not proved themselves; one more closes its oldest */
    public int maxPendingHandshakesPerAddress() {
        return Math.max(1, maxPendingHandshakes / 4);
    }

    private static int answerLimitMillis() {
        return (int) StateChannel.ANSWER_TIMEOUT.toMillis();
    }

    private static void require(boolean holds, String name, long value, String range) {
        if (!holds) {
            throw new IllegalArgumentException(name + " is " + value + " but must be " + range);
        }
    }

    /**
     * @param maxFrame longest frame, in bytes
     * @param maxOutboundPerLink bytes that may wait per link
     * @return a copy with other bounds of size
     */
    public TransportLimits withSizes(int maxFrame, long maxOutboundPerLink) {
        return new TransportLimits(
                maxFrame,
                maxOutboundPerLink,
                connectTimeoutMillis,
                handshakeTimeoutMillis,
                reconnectMinMillis,
                reconnectMaxMillis,
                pingIntervalMillis,
                idleLimitMillis,
                maxPendingHandshakes,
                maxStateConnections,
                stateIdleLimitMillis,
                stateAnswerLimitMillis);
    }

    /**
     * @param pingInterval in milliseconds
     * @param idleLimit in milliseconds
     * @return a copy with other limits of silence
     */
    public TransportLimits withSilence(int pingInterval, int idleLimit) {
        return new TransportLimits(
                maxFrameBytes,
                maxOutboundBytesPerLink,
                connectTimeoutMillis,
                handshakeTimeoutMillis,
                reconnectMinMillis,
                reconnectMaxMillis,
                pingInterval,
                idleLimit,
                maxPendingHandshakes,
                maxStateConnections,
                stateIdleLimitMillis,
                stateAnswerLimitMillis);
    }

    /**
     * @param handshakeTimeout in milliseconds
     * @param pendingHandshakes how many connections may be unproved at a time
     * @return a copy with other limits for strangers
     */
    public TransportLimits withHandshakes(int handshakeTimeout, int pendingHandshakes) {
        return new TransportLimits(
                maxFrameBytes,
                maxOutboundBytesPerLink,
                connectTimeoutMillis,
                handshakeTimeout,
                reconnectMinMillis,
                reconnectMaxMillis,
                pingIntervalMillis,
                idleLimitMillis,
                pendingHandshakes,
                maxStateConnections,
                stateIdleLimitMillis,
                stateAnswerLimitMillis);
    }

    /**
     * @param maxConnections for bulk requests, in each direction
     * @param idleLimit of accepted ones, in milliseconds
     * @param answerLimit of a request, in milliseconds
     * @return a copy with other limits for bulk requests
     */
    public TransportLimits withStateConnections(int maxConnections, int idleLimit, int answerLimit) {
        return new TransportLimits(
                maxFrameBytes,
                maxOutboundBytesPerLink,
                connectTimeoutMillis,
                handshakeTimeoutMillis,
                reconnectMinMillis,
                reconnectMaxMillis,
                pingIntervalMillis,
                idleLimitMillis,
                maxPendingHandshakes,
                maxConnections,
                idleLimit,
                answerLimit);
    }
}
