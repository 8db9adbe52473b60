package io.chainkeeper.server.reconfig;

import io.chainkeeper.server.connection.NettyConnections;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where this server listens for clients, after a {@code reconfig} has given it another address. An address that cannot
 * be bound is tried again until it can. Changed by the maintenance thread only; {@link #problem} and {@link #gauges}
 * are safe for use by any thread.
 */
public final class ClientPort {
    private static final Logger LOG = LoggerFactory.getLogger(ClientPort.class);

    /** Between two attempts. */
    static final long RETRY_MILLIS = 1_000;

    private final Supplier<ServerCnxnFactory> factory;
    private final LongSupplier clockMillis;
    private final Aside aside;
    private InetSocketAddress wanted;
    private boolean lookingUp;
    private boolean listens = true;
    private long triedMillis;
    private volatile String problem;

    /**
     * @param factory what listens there; gives null if nothing does
     * @param clockMillis a monotonic clock
     * @param aside looks names up
     */
    public ClientPort(Supplier<ServerCnxnFactory> factory, LongSupplier clockMillis, Aside aside) {
        this.factory = factory;
        this.clockMillis = clockMillis;
        this.aside = aside;
    }

    /**
     * Listens somewhere else, now or as soon as that works.
     *
     * @param address null if the configuration leaves it to the server's own file
     */
    public void moveTo(InetSocketAddress address) {
        if (address != null && factory.get() != null) {
            wanted = address;
            attempt();
        }
    }

    /** Called again and again: tries what did not work. */
    public void tick() {
        boolean due = clockMillis.getAsLong() - triedMillis >= RETRY_MILLIS;
        if (due && lookingUp && wanted.isUnresolved()) {
            failed("is still being looked up");
        } else if (due && problem != null) {
            attempt();
        }
    }

    /** @return null if this server listens where its configuration says, else one line that says why not */
    public String problem() {
        return problem;
    }

    /** @return the metric of it, without prefix */
    public Map<String, LongSupplier> gauges() {
        return Map.of("client_port_unbound", () -> problem == null ? 0 : 1);
    }

    private void attempt() {
        triedMillis = clockMillis.getAsLong();
        if (!wanted.isUnresolved()) {
            bind(wanted);
        } else if (!lookingUp) {
            lookUp(wanted);
        }
    }

    private void lookUp(InetSocketAddress named) {
        lookingUp = true;
        aside.run(() -> new InetSocketAddress(named.getHostString(), named.getPort()), found -> {
            lookingUp = false;
            if (named.equals(wanted)) {
                bind(found);
            } else if (wanted.isUnresolved()) {
                lookUp(wanted);
            }
        });
    }

    private void bind(InetSocketAddress address) {
        try {
            listenAt(address);
            if (problem != null) {
                LOG.warn("Clients are served again, at {}", text(wanted));
            }
            problem = null;
        } catch (IOException e) {
            failed(e.getMessage());
        }
    }

    private void failed(String what) {
        String reason = "clients cannot connect: their address " + text(wanted) + ", which reconfig has set, " + what
                + "; it is tried every " + RETRY_MILLIS + " ms";
        if (!reason.equals(problem)) {
            LOG.error("{}", reason);
        }
        problem = reason;
    }

    private void listenAt(InetSocketAddress address) throws IOException {
        ServerCnxnFactory port = factory.get();
        if (address.isUnresolved()) {
            throw new IOException("cannot be resolved");
        }
        InetSocketAddress bound = port.getLocalAddress();
        if (listens) {
            if (bound == null || isSame(bound, address)) {
                return;
            }
            LOG.info("Clients are served at {} instead of {}", text(address), text(bound));
        }
        boolean again = !listens;
        listens = false;
        if (port instanceof NettyServerCnxnFactory) {
            NettyConnections.listenAt(port, address);
        } else {
            listenAt(port, address, again);
        }
        listens = true;
    }

    /** ZooKeeper's factories say nothing to their caller if it fails. */
    private static void listenAt(ServerCnxnFactory port, InetSocketAddress address, boolean again) throws IOException {
        if (again) {
            // Else each attempt would be a stack trace in the log.
            checkIsFree(address);
        }
        port.reconfigure(address);
        InetSocketAddress bound = port.getLocalAddress();
        if (bound == null || !isSame(bound, address)) {
            checkIsFree(address);
            throw new IOException("could not be bound");
        }
    }

    private static void checkIsFree(InetSocketAddress address) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        } catch (IOException e) {
            throw new IOException("cannot be bound: " + e.getMessage(), e);
        }
    }

    /** There is more than one way to write that all addresses are meant. */
    private static boolean isSame(InetSocketAddress one, InetSocketAddress other) {
        boolean all = one.getAddress().isAnyLocalAddress() && other.getAddress().isAnyLocalAddress();
        return one.getPort() == other.getPort() && (all || one.getAddress().equals(other.getAddress()));
    }

    private static String text(InetSocketAddress address) {
        String host = address.getHostString();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
