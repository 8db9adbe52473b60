package io.chainkeeper.config;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * Tries whether a port can be listened on, before anything is written. Between this check and the real opening another
 * process may take it; then the opening itself fails, with less grace.
 */
public final class PortCheck {
    private PortCheck() {}

    /**
     * Opens a port and closes it at once.
     *
     * @param what the configuration line that asks for it, for the message
     * @param address address and port
     * @throws UserMistakeException if it cannot be opened
     */
    public static void check(String what, InetSocketAddress address) throws UserMistakeException {
        if (address.isUnresolved()) {
            throw new UserMistakeException(
                    UserMistakeException.Exit.CANNOT_START,
                    what + ": the name " + address.getHostString()
                            + " does not resolve on this machine; correct the name or its DNS entry");
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        } catch (IOException e) {
            throw new UserMistakeException(
                    UserMistakeException.Exit.CANNOT_START,
                    String.format(
                            "%s: cannot listen on %s:%d: %s; stop the process that uses the port,"
                                    + " or give an address and port that are this server's own",
                            what, address.getHostString(), address.getPort(), e.getMessage()));
        }
    }
}
