package io.chainkeeper.simulation.znode;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.checker.ZnodeModel;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.Workload;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.List;

/** Where everything is healthy every client stays connected, and is answered whatever it asks. */
final class OperationDemand {
    private static final long QUIET_MICROS = 1_000_000;

    private final EventQueue events;
    private final Cluster cluster;
    private final ZnodeJournal journal;
    private final ZnodeOperations operations;
    private final SwarmOptions options;
    private final List<ZnodeClient> clients;
    private final Workload.Awaiter awaiter;

    /**
     * @param events virtual time
     * @param cluster where everything is healthy, except for members that are gone for good
     * @param journal knows what was answered
     * @param operations asks
     * @param options say what there is little room for
     * @param clients that are there at each time
     * @param awaiter waits for them
     */
    OperationDemand(
            EventQueue events,
            Cluster cluster,
            ZnodeJournal journal,
            ZnodeOperations operations,
            SwarmOptions options,
            List<ZnodeClient> clients,
            Workload.Awaiter awaiter) {
        this.events = events;
        this.cluster = cluster;
        this.journal = journal;
        this.operations = operations;
        this.options = options;
        this.clients = clients;
        this.awaiter = awaiter;
    }

    /**
     * Each client writes, creates and reads. A leader whose disk hangs for good may give up only now; what it was asked
     * is lost then, and asked once more.
     */
    void demand() {
        int asked = 3 * clients.size();
        long answered = demandOnce();
        for (long left = mayGiveUp(); answered < asked && left > 0; left--) {
            awaitConnections();
            answered = demandOnce();
        }
        String failure = "of %d operations that a healthy ensemble was asked for %d were answered";
        InvariantViolated.check(asked == answered, failure, asked, answered);
    }

    private long mayGiveUp() {
        return cluster.gone().stream().filter(id -> cluster.host(id) != null).count();
    }

    private long demandOnce() {
        awaitReplies();
        awaiter.await("leaders to have room in their rings", this::haveRoom);
        long before = journal.answered();
        for (ZnodeClient client : clients) {
            if (client.isConnected()) {
                operations.setData(client, "/k1", ZnodeModel.ANY_VERSION);
                operations.createSequential(client, false);
                operations.getData(client, "/k1", true);
            }
            if (options.hasLittleRoom()) {
                awaitReplies(); // one by one, all of them would take longer than short sessions last
            }
        }
        awaitReplies();
        return journal.answered() - before;
    }

    /** While a ring keeps the place of a state that was sent, it may be full for longer than short sessions last. */
    private boolean haveRoom() {
        return cluster.configured().stream().map(cluster::host).noneMatch(host -> host != null && host.isRingFull());
    }

    /** Waits until no client has been without a connection for a while, if any has none now. */
    void awaitConnections() {
        if (!areConnected()) {
            awaitQuiet();
        }
    }

    /** Waits until no client has been without a connection for a while. */
    void awaitQuiet() {
        Quiet quiet = new Quiet();
        awaiter.await("every client to stay connected", quiet::hasLasted);
    }

    private boolean areConnected() {
        return clients.stream().allMatch(ZnodeClient::isConnected);
    }

    /** Waits for the answers to all that clients have asked. */
    void awaitReplies() {
        awaiter.await(
                "every client to have its replies",
                () -> clients.stream().noneMatch(client -> client.outstanding() > 0));
    }

    /** Since when all have been connected. */
    private final class Quiet {
        private long sinceMicros = events.nowMicros();

        /** Looked at after every event. */
        boolean hasLasted() {
            if (!areConnected()) {
                sinceMicros = events.nowMicros();
            }
            return events.nowMicros() - sinceMicros >= QUIET_MICROS;
        }
    }
}
