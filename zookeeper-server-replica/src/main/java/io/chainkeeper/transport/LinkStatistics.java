package io.chainkeeper.transport;

/**
 * What went over the link to one peer since this transport started, over all its connections. Handshakes and pings do
 * not count.
 *
 * @param up whether the link is up
 * @param framesIn frames received
 * @param bytesIn bytes of these frames, without length prefixes
 * @param framesOut frames handed to the socket
 * @param bytesOut bytes of these frames, without length prefixes
 * @param reconnects how often the link came up again after its first time
 * @param outboundQueueBytes bytes sent but not yet taken by the socket, with length prefixes
 */
public record LinkStatistics(
        boolean up,
        long framesIn,
        long bytesIn,
        long framesOut,
        long bytesOut,
        long reconnects,
        long outboundQueueBytes) {}
