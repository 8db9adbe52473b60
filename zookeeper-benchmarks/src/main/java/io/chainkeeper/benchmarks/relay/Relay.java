package io.chainkeeper.benchmarks.relay;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A port on loopback that passes connections on to another one and delays every byte by a fixed time in each direction.
 * Keeps the order of bytes, and limits nothing but what may be on its way at once. A connection that one side closes is
 * closed towards the other after the same delay; if the target does not listen, it is closed at once.
 */
public final class Relay implements AutoCloseable {
    /** A link of 10 Gbit/s holds less within the longest half of a round trip that {@link Region} has. */
    static final long MAX_BYTES_ON_THE_WAY = 256L << 20;

    private static final int BACKLOG = 64;

    private final ServerSocket server;
    private final InetSocketAddress target;
    private final long delayNanos;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private Relay(ServerSocket server, InetSocketAddress target, long delayNanos) {
        this.server = server;
        this.target = target;
        this.delayNanos = delayNanos;
    }

    /**
     * Opens a relay.
     *
     * @param target where it passes connections on to
     * @param delayNanos how long a byte takes, in each direction
     * @return the relay
     * @throws IOException if there is no free port
     */
    public static Relay open(InetSocketAddress target, long delayNanos) throws IOException {
        ServerSocket server = new ServerSocket(0, BACKLOG, InetAddress.getByName("127.0.0.1"));
        Relay relay = new Relay(server, target, delayNanos);
        start("relay-" + server.getLocalPort(), relay::accept);
        return relay;
    }

    /** @return where it listens */
    public int port() {
        return server.getLocalPort();
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (true) {
            try {
                connect(server.accept());
            } catch (IOException e) {
                return; // the port is closed
            }
        }
    }

    private void connect(Socket from) {
        Socket to = new Socket();
        sockets.add(from);
        sockets.add(to);
        try {
            to.connect(target);
            from.setTcpNoDelay(true);
            to.setTcpNoDelay(true);
        } catch (IOException e) {
            drop(from); // nobody listens there
            drop(to);
            return;
        }
        AtomicInteger running = new AtomicInteger(2);
        DelayedCopy.Ending ending = broken -> {
            if (running.decrementAndGet() == 0 || broken) {
                drop(from);
                drop(to);
            }
        };
        String name = "relay-" + port();
        DelayedCopy forth = new DelayedCopy(from, to, delayNanos, ending);
        DelayedCopy back = new DelayedCopy(to, from, delayNanos, ending);
        start(name + "-in", forth::read);
        start(name + "-out", forth::write);
        start(name + "-back-in", back::read);
        start(name + "-back-out", back::write);
        if (server.isClosed()) {
            drop(from);
            drop(to);
        }
    }

    private void drop(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // A socket that cannot be closed cannot be used either.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        sockets.forEach(this::drop);
    }

    @Override
    public String toString() {
        return "relay from port " + port() + " to " + target;
    }
}
