package io.chainkeeper.server.maintenance;

import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What comes before a stop that is meant: another replica leads in the place of this one, and its clients are let go,
 * while everything still works. Used by the thread that stops the replica; its gauges by any.
 */
public final class Departure {
    /** How long a plain stop waits until somebody else leads. */
    public static final long STOP_MILLIS = 2_000;

    /** So many connections are closed at once when there is time. */
    private static final int PORTION = 100;

    private static final long PORTION_MILLIS = 20;
    private static final long LOOK_EVERY_MILLIS = 2;
    private static final Logger LOG = LoggerFactory.getLogger(Departure.class);

    private final OrderedZooKeeperServer server;
    private final Supplier<TotalOrder> order;
    private final OrderView view;

    /**
     * @param server whose clients are let go
     * @param order the order, null as long as it has not been started
     * @param view what this replica knows of it
     */
    public Departure(OrderedZooKeeperServer server, Supplier<TotalOrder> order, OrderView view) {
        this.server = server;
        this.order = order;
        this.view = view;
    }

    /** @return numbers for monitoring, without prefix */
    public Map<String, LongSupplier> gauges() {
        return Map.of("draining", () -> server.isDraining() ? 1 : 0);
    }

    /**
     * Looks whether the others can go on without this replica.
     *
     * @return null if they can, else why not and what to do, one line
     */
    public String refusal() {
        List<Integer> voters = view.chain();
        if (!voters.contains(view.replicaId())) {
            return null;
        }
        if (voters.size() == 1) {
            return "this server is the only member: nobody can take its clients; zkServer.sh stop stops it anyway";
        }
        Set<Integer> linked = new HashSet<>(view.linkedPeers());
        linked.retainAll(voters);
        long quorum = view.gauge("quorum");
        if (linked.size() < quorum) {
            return "without this server there is no quorum: of the members only " + linked + " are linked, and "
                    + quorum + " are needed; start the others first, or zkServer.sh stop";
        }
        return null;
    }

    /**
     * Has another replica lead, and closes the connections of all clients, which find another server and go on with
     * their sessions. New ones are not accepted any more.
     *
     * @param boundMillis so long it may take until somebody else leads
     * @param gently whether connections are closed in portions, so that not all clients come to the others at once
     * @return what was done, one line
     */
    public String depart(long boundMillis, boolean gently) {
        boolean led = begin();
        String handedOver = led ? awaitHandOver(boundMillis) : "";
        int closed = letGo(gently);
        String done = handedOver + closed + " client connections closed";
        LOG.info("Leaving: {}", done);
        return done;
    }

    /**
     * The first step, which takes no time: no new client is accepted any more, and another replica is to lead.
     *
     * @return whether this replica led until now, and there are others
     */
    public boolean begin() {
        server.drain();
        TotalOrder running = order.get();
        if (running == null) {
            return false;
        }
        boolean led = view.leads();
        running.leave();
        return led && !view.linkedPeers().isEmpty();
    }

    private String awaitHandOver(long boundMillis) {
        long begin = System.nanoTime();
        while (!anotherLeads() && !view.linkedPeers().isEmpty() && millisSince(begin) < boundMillis) {
            await(LOOK_EVERY_MILLIS);
        }
        return anotherLeads()
                ? "server " + view.status().leader() + " leads after " + millisSince(begin) + " ms; "
                : "nobody else leads after " + millisSince(begin) + " ms; ";
    }

    private boolean anotherLeads() {
        int leader = view.status().leader();
        return leader > 0 && leader != view.replicaId();
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    private static void await(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The last step: closes the connections of all clients.
     *
     * @param gently as {@link #depart}
     * @return how many there were
     */
    public int letGo(boolean gently) {
        List<ServerCnxn> connections = new ArrayList<>();
        addConnections(connections, server.getServerCnxnFactory());
        addConnections(connections, server.getSecureServerCnxnFactory());
        if (gently) {
            for (int i = 0; i < connections.size(); i++) {
                connections.get(i).sendCloseSession();
                if (i % PORTION == PORTION - 1) {
                    await(PORTION_MILLIS);
                }
            }
        }
        server.setServing(false);
        return connections.size();
    }

    private static void addConnections(List<ServerCnxn> connections, ServerCnxnFactory factory) {
        if (factory != null) {
            factory.getConnections().forEach(connections::add);
        }
    }
}
