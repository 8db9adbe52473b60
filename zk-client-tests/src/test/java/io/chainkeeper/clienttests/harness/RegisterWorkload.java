package io.chainkeeper.clienttests.harness;

import io.chainkeeper.simulation.checker.LinearizabilityChecker;
import io.chainkeeper.simulation.checker.Operation;
import io.chainkeeper.simulation.checker.VersionedRegister;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * Readers and writers of a few shared znodes at all servers, each doing one operation at a time, and the history of
 * what they asked and what they were told. A write whose answer was lost may have taken effect at any later time.
 */
public final class RegisterWorkload implements AutoCloseable {
    static final String ROOT = "/registers";
    private static final String INITIAL = "initial";
    private static final int REGISTERS = 4;
    private static final int CLIENTS_PER_SERVER = 2;

    private final Queue<Operation> history = new ConcurrentLinkedQueue<>();
    private final List<RegisterClient> clients = new ArrayList<>();
    private boolean stopped;

    /**
     * Creates the registers; no client runs yet.
     *
     * @param operationsPerSecond of each client, at most
     * @param seed of the clients' choices
     */
    public RegisterWorkload(Ensemble ensemble, int operationsPerSecond, long seed) throws Exception {
        List<String> paths = new ArrayList<>();
        for (int register = 0; register < REGISTERS; register++) {
            paths.add(ROOT + "/r" + register);
        }
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            client.create(ROOT, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            for (String path : paths) {
                client.create(
                        path, INITIAL.getBytes(StandardCharsets.US_ASCII), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
        }
        for (ServerProcess server : ensemble.servers()) {
            for (int i = 0; i < CLIENTS_PER_SERVER; i++) {
                int id = clients.size();
                clients.add(new RegisterClient(
                        id,
                        server.connectString(),
                        paths,
                        !ensemble.readsAreLinearizable(),
                        operationsPerSecond,
                        seed + id,
                        history));
            }
        }
    }

    /** Starts the clients. */
    public void start() {
        clients.forEach(RegisterClient::start);
    }

    /** Returns how many operations were answered so far. */
    public long answeredCount() {
        return history.stream().filter(Operation::isFinished).count();
    }

    /**
     * Ends all clients after their current operation and closes their sessions.
     *
     * @throws AssertionError if a client got an answer that it cannot have got, or none
     */
    public void stop() throws Exception {
        stopped = true;
        for (RegisterClient client : clients) {
            client.stop();
        }
    }

    /**
     * Checks the recorded history.
     *
     * @throws AssertionError with the operations that show it, if it is not linearizable
     */
    public void checkLinearizable() {
        new LinearizabilityChecker<>(new VersionedRegister(INITIAL, 0)).check(history);
    }

    /** Stops the clients if {@link #stop()} has not. */
    @Override
    public void close() throws Exception {
        if (!stopped) {
            stop();
        }
    }
}
