package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Carries all connections between the servers of an ensemble and can hold up or break those of any ordered pair. Needs
 * no rights. While a direction is cut its bytes, its end and new connections wait, as they would for a TCP whose
 * packets are lost.
 *
 * <p>Every server's file has the same {@code server.N} lines with names instead of addresses; a hosts file of its own
 * tells each JVM that its own name is the address where it listens and that the others' names are addresses of the
 * relay. So the relay knows from the address that was reached who connects to whom.
 */
public final class LinkRelay implements Network {
    private static final int OPERATION_LIMIT_SECONDS = 10;
    private static final int HIGHEST_ID = 9;

    /** Who wants to reach whom at an address and port of the relay. */
    private record Route(int from, int to, int port) {}

    private final Selector selector;
    private final Thread thread = new Thread(this::run, "link-relay");
    private final Queue<Runnable> operations = new ConcurrentLinkedQueue<>();
    private final List<Integer> servers = new ArrayList<>();
    private volatile boolean closed;
    private volatile Throwable failure;

    // The relay's thread only.
    private final boolean[][] cuts = new boolean[HIGHEST_ID + 1][HIGHEST_ID + 1];
    private final Set<RelayedConnection> connections = new HashSet<>();

    /** @param serverCount how many servers there are, with ids from 1 */
    public LinkRelay(int serverCount) {
        if (serverCount > HIGHEST_ID) {
            throw new IllegalArgumentException("a relay serves up to " + HIGHEST_ID + " servers");
        }
        for (int id = 1; id <= serverCount; id++) {
            servers.add(id);
        }
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public String memberHost(int server) {
        return "replica-" + server;
    }

    @Override
    public String clientHost(int server) {
        return Loopback.ADDRESS;
    }

    @Override
    public List<String> commandPrefix(int server) {
        return List.of();
    }

    @Override
    public List<String> jvmFlags(int server, Path directory) throws IOException {
        List<String> lines = new ArrayList<>(List.of(Loopback.ADDRESS + " localhost"));
        for (int other : servers) {
            lines.add(address(server, other) + " " + memberHost(other));
        }
        Path hosts = Files.write(directory.resolve("hosts"), lines);
        return List.of("-Djdk.net.hosts.file=" + hosts);
    }

    /** Where a server reaches another one; its own address is where it listens. */
    private static String address(int from, int to) {
        return "127.1." + from + "." + to;
    }

    @Override
    public void open(int server, int port) throws Exception {
        for (int other : servers) {
            if (other != server) {
                ServerSocketChannel listening = ServerSocketChannel.open();
                listening.bind(new InetSocketAddress(address(other, server), port));
                listening.configureBlocking(false);
                Route route = new Route(other, server, port);
                perform(() -> register(listening, route));
            }
        }
    }

    @Override
    public void cut(int from, int to) throws Exception {
        perform(() -> cuts[from][to] = true);
    }

    @Override
    public void heal(int from, int to) throws Exception {
        perform(() -> cuts[from][to] = false);
    }

    /** Cuts all links between servers of the one group and servers of the other, in both directions. */
    public void separate(List<ServerProcess> ones, List<ServerProcess> others) throws Exception {
        for (ServerProcess one : ones) {
            for (ServerProcess other : others) {
                cutBoth(one.id(), other.id());
            }
        }
    }

    /** Ends all cuts. */
    public void healAll() throws Exception {
        perform(() -> {
            for (boolean[] cutsOfOne : cuts) {
                Arrays.fill(cutsOfOne, false);
            }
        });
    }

    /** Breaks all connections between two servers; both sides are told. New ones may follow at once. */
    public void reset(int one, int other) throws Exception {
        perform(() -> {
            for (RelayedConnection connection : connections) {
                if (connection.isBetween(one, other)) {
                    connection.reset();
                }
            }
        });
    }

    @Override
    public void close() throws Exception {
        closed = true;
        selector.wakeup();
        thread.join(TimeUnit.SECONDS.toMillis(OPERATION_LIMIT_SECONDS));
        if (failure != null) {
            throw new AssertionError("the relay of the links has failed", failure);
        }
    }

    /** Runs it on the relay's thread; it has taken effect on every connection when this returns. */
    private void perform(Runnable operation) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        operations.add(() -> {
            operation.run();
            connections.forEach(RelayedConnection::progress);
            done.complete(null);
        });
        selector.wakeup();
        done.get(OPERATION_LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private void run() {
        try {
            while (!closed) {
                selector.select();
                for (Runnable next = operations.poll(); next != null; next = operations.poll()) {
                    next.run();
                }
                for (SelectionKey key : Set.copyOf(selector.selectedKeys())) {
                    selector.selectedKeys().remove(key);
                    if (key.attachment() instanceof Route route) {
                        accept((ServerSocketChannel) key.channel(), route);
                    } else if (key.attachment() instanceof RelayedConnection connection) {
                        connection.progress();
                    }
                }
                connections.removeIf(RelayedConnection::isClosed);
            }
            for (SelectionKey key : Set.copyOf(selector.keys())) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException | RuntimeException e) {
            failure = e;
        }
    }

    private void register(ServerSocketChannel listening, Route route) {
        try {
            listening.register(selector, SelectionKey.OP_ACCEPT, route);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept(ServerSocketChannel listening, Route route) throws IOException {
        SocketChannel accepted = listening.accept();
        if (accepted != null) {
            InetSocketAddress target = new InetSocketAddress(address(route.to, route.to), route.port);
            RelayedConnection connection =
                    new RelayedConnection(selector, accepted, target, route.from, route.to, cuts);
            connections.add(connection);
            connection.progress();
        }
    }
}
