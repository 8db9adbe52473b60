package io.chainkeeper.clienttests.harness;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

/**
 * Clients that write and read at every server while faults come and go, and what must hold of every ensemble
 * afterwards. The znodes are gone when it is closed, so that the next one can use the same ensemble.
 */
public final class Workload implements AutoCloseable {
    private static final int DELETES_AT_ONCE = 200;

    /** Of each client. What is measured are seconds; the machine needs its time for elections and restarts. */
    private static final int WRITES_PER_SECOND = 20;

    private static final int REGISTER_OPERATIONS_PER_SECOND = 10;

    /** More than any timeout: elections, and the machine that servers and test share, take their time. */
    private static final Duration MAX_GAP = Duration.ofSeconds(15);

    private static final Duration RECOVERY_LIMIT = Duration.ofSeconds(60);

    private final Ensemble ensemble;
    private final LoadGenerator load;
    private final RegisterWorkload registers;

    /** What happens to an ensemble. */
    @FunctionalInterface
    public interface Fault {
        /** Makes it happen; returns when it has lasted long enough. */
        void happen() throws Exception;
    }

    /**
     * Starts the clients and waits until each has written.
     *
     * @param seed of the readers' and writers' choices
     */
    public Workload(Ensemble ensemble, long seed) throws Exception {
        this.ensemble = ensemble;
        this.load = new LoadGenerator(ensemble, WRITES_PER_SECOND);
        this.registers = new RegisterWorkload(ensemble, REGISTER_OPERATIONS_PER_SECOND, seed);
        load.start();
        registers.start();
        awaitWritesAt(ensemble.servers());
    }

    /**
     * Lets a fault happen, waits until a write at each of these servers is acknowledged after that, and checks how long
     * their clients had to wait meanwhile.
     *
     * @param fault in words, for what is printed
     * @param majority servers that stay up and connected to a quorum and its leader
     * @throws AssertionError if a client at one of them had no write acknowledged for longer than {@link #MAX_GAP}
     */
    public void during(String fault, List<ServerProcess> majority, Fault happening) throws Exception {
        long from = System.nanoTime();
        happening.happen();
        awaitWritesAt(majority);
        long to = System.nanoTime();
        List<String> gaps = new ArrayList<>();
        for (ServerProcess server : majority) {
            gaps.add(checkGap(fault, "at server " + server.id(), List.of(server), from, to));
        }
        print(fault, gaps);
    }

    /**
     * As {@link #during}, for a fault that leaves open whose clients can write.
     *
     * @throws AssertionError if no client had a write acknowledged for longer than {@link #MAX_GAP}
     */
    public void duringForSome(String fault, Fault happening) throws Exception {
        long from = System.nanoTime();
        happening.happen();
        print(fault, List.of(checkGap(fault, "at any server", ensemble.servers(), from, System.nanoTime())));
    }

    private String checkGap(String fault, String where, List<ServerProcess> servers, long from, long to) {
        Duration gap = load.longestGap(servers, from, to);
        String words = gap.toMillis() + " ms " + where;
        assertTrue(fault + ": no write for " + words, gap.compareTo(MAX_GAP) <= 0);
        return words;
    }

    private void print(String fault, List<String> gaps) {
        System.out.println(ensemble.servers().size() + " servers, " + fault + ": longest gap between writes "
                + String.join(", ", gaps));
    }

    /**
     * Waits until every server has executed what any has, and every client writes again.
     */
    public void awaitRecovered() throws Exception {
        ensemble.awaitCaughtUp();
        awaitWritesAt(ensemble.servers());
    }

    /** Returns how many writes and reads were answered so far. */
    public long answered() {
        return load.writes().acknowledgedCount() + registers.answeredCount();
    }

    /**
     * Ends the clients and checks: nothing acknowledged is lost or executed twice, the trees are equal, no read was
     * stale, and no session has expired.
     */
    public void finish() throws Exception {
        awaitRecovered();
        load.stop();
        registers.stop();
        assertEquals(
                "sessions that expired although their clients came back in time (" + load.writes() + ")",
                0,
                load.writes().expiredSessionCount());
        load.writes().check(TreeDump.ofAllEqual(ensemble));
        if (!ensemble.isStock()) {
            // A Zab leader that wakes up answers syncs and reads before it notices that another one leads.
            registers.checkLinearizable();
        }
    }

    /** Ends the clients if {@link #finish()} has not, and deletes their znodes. */
    @Override
    public void close() throws Exception {
        try (load;
                registers) {
            // Both are closed also if one of them fails.
        }
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            for (String root : List.of(LoadGenerator.ROOT, RegisterWorkload.ROOT)) {
                assertTrue("deleting " + root, ZKUtil.deleteRecursive(client, root, DELETES_AT_ONCE));
            }
        }
    }

    private void awaitWritesAt(List<ServerProcess> servers) throws Exception {
        long now = System.nanoTime();
        for (ServerProcess server : servers) {
            Await.until(
                    "a write at server " + server.id() + " is acknowledged",
                    RECOVERY_LIMIT,
                    () -> load.hasWrittenAfter(server, now));
        }
    }
}
