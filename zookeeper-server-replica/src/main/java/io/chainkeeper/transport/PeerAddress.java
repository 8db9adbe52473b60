package io.chainkeeper.transport;

/**
 * Where a member's replica link listens. The name is resolved anew at every attempt to connect.
 *
 * @param host name or address
 * @param port 1 to 65535
 */
public record PeerAddress(String host, int port) {
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
