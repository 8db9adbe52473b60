package io.chainkeeper.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;

/**
 * A port of the loopback address that the system has chosen. On Linux it stays this JVM's while the server that listens
 * there is down: a socket is bound to it that does not listen, and does not hinder one that does. Elsewhere it is only
 * unlikely that somebody else takes it. Not for use by several threads.
 */
final class ReservedPort implements AutoCloseable {
    private static final boolean HOLDS =
            System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("linux");

    private final int port;
    private final Socket holder;

    private ReservedPort(int port, Socket holder) {
        this.port = port;
        this.holder = holder;
    }

    /**
     * @return a port that nobody uses
     * @throws IOException if there is none
     */
    static ReservedPort choose() throws IOException {
        if (!HOLDS) {
            try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return new ReservedPort(any.getLocalPort(), null);
            }
        }
        Socket holder = new Socket();
        holder.setReuseAddress(true);
        holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return new ReservedPort(holder.getLocalPort(), holder);
    }

    int port() {
        return port;
    }

    @Override
    public void close() throws IOException {
        if (holder != null) {
            holder.close();
        }
    }
}
