package io.chainkeeper.test;

import io.chainkeeper.server.connection.ClientLoops;
import io.chainkeeper.server.connection.NettyConnections;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;

/** The threads of a server's connections to clients. Those of ZooKeeper's NIO factory end by themselves. */
final class ClientSide {
    private static final int LIMIT_SECONDS = 5;

    private final List<ClientLoops> ports = new ArrayList<>();

    private ClientSide() {}

    /** @param server null while a server begins anew with a state that it has fetched */
    static ClientSide of(OrderedZooKeeperServer server) {
        ClientSide clients = new ClientSide();
        if (server != null) {
            clients.add(server.getServerCnxnFactory());
            clients.add(server.getSecureServerCnxnFactory());
        }
        return clients;
    }

    private void add(ServerCnxnFactory factory) {
        if (factory instanceof NettyServerCnxnFactory) {
            ports.add(NettyConnections.loops(factory));
        }
    }

    /** @param gate has been closed: no thread goes on before it is open */
    void pause(PauseGate gate) {
        for (ClientLoops loops : ports) {
            loops.acceptors().forEach(loop -> loop.execute(gate::pass));
            loops.workers().forEach(loop -> loop.execute(gate::pass));
        }
    }

    /**
     * Before the server is stopped: its threads end with their last connection. ZooKeeper's factory tells them to end
     * after the two seconds of Netty's default without work; what they have been told before that counts.
     */
    void endWithConnections() {
        for (ClientLoops loops : ports) {
            loops.listening().closeFuture().addListener(closed -> endAtOnce(loops.acceptors()));
            loops.connections().newCloseFuture().addListener(closed -> endAtOnce(loops.workers()));
        }
    }

    /** After the server has been stopped: waits until its threads have ended. */
    void awaitEnd() {
        for (ClientLoops loops : ports) {
            awaitEnd(loops.workers());
            awaitEnd(loops.acceptors());
            endAtOnce(loops.tellers());
            awaitEnd(loops.tellers());
        }
    }

    private static void endAtOnce(EventExecutorGroup group) {
        group.shutdownGracefully(0, LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static void awaitEnd(EventExecutorGroup group) {
        try {
            group.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
