package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.FourLetterWord;
import io.chainkeeper.clienttests.harness.RawConnection;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.SetDataRequest;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * A server whose quorum is gone is sent more writes than it may have in progress, so that every thread that reads
 * clients waits for room that nobody makes.
 */
@RunWith(Parameterized.class)
public class FullWithoutQuorumTest {
    /** More than a server has threads that read clients. */
    private static final int CONNECTIONS = 24;

    private static final int WRITES = 6;
    private static final int BYTES = 900_000;

    /** The server notices soon that nobody leads; the rest is what a busy machine may take. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Ensemble ensemble;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    public FullWithoutQuorumTest(String factory) {
        this.ensemble = Ensemble.named("full-without-quorum-" + factory)
                .set("reads", "sequential")
                .set("serverCnxnFactory", factory)
                .build();
        this.servers = ensemble.startedByTheTest();
        this.limit = ensemble.testLimit(300);
    }

    @Parameters(name = "{0}")
    public static List<String> factories() {
        return List.of(
                "org.apache.zookeeper.server.NettyServerCnxnFactory",
                "org.apache.zookeeper.server.NIOServerCnxnFactory");
    }

    @Test
    public void everyThreadThatReadsClientsWaitsForRoom_servingEndsAndTheServerAnswersStill() throws Exception {
        ensemble.start();
        ServerProcess survivor = ensemble.leader();
        try (ZooKeeper client = Clients.connect(survivor.connectString())) {
            client.create("/full", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        ExecutorService writers = Executors.newCachedThreadPool();
        List<RawConnection> connections = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                connections.add(RawConnection.open(survivor, Clients.SESSION_TIMEOUT_MILLIS));
            }
            RawConnection reader = RawConnection.open(survivor, Clients.SESSION_TIMEOUT_MILLIS);
            connections.add(reader);
            for (ServerProcess other : ensemble.behind(survivor)) {
                other.kill();
            }
            List<Future<?>> closed = new ArrayList<>();
            for (RawConnection connection : connections) {
                closed.add(writers.submit(() -> {
                    if (connection != reader) {
                        write(connection);
                    }
                    connection.awaitClosedByServer();
                    return null;
                }));
            }
            for (Future<?> each : closed) {
                each.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            }
            assertEquals("imok", FourLetterWord.ask(survivor, "ruok"));
            String words = FourLetterWord.ask(survivor, "srvr");
            assertTrue(words, words.contains("not currently serving requests"));
        } finally {
            writers.shutdownNow();
            for (RawConnection connection : connections) {
                connection.close();
            }
        }
        for (ServerProcess other : ensemble.behind(survivor)) {
            other.start();
        }
        ensemble.awaitCaughtUp();
        try (ZooKeeper client = Clients.connect(survivor.connectString())) {
            client.setData("/full", new byte[] {1}, -1);
            Await.until("the write is read back", LIMIT, () -> client.getData("/full", false, null).length == 1);
        }
    }

    /** Its thread waits for as long as the server reads nothing. */
    private static void write(RawConnection connection) throws Exception {
        try {
            for (int i = 0; i < WRITES; i++) {
                connection.ask(OpCode.setData, new SetDataRequest("/full", new byte[BYTES], -1));
            }
        } catch (SocketException e) {
            // It is closed already, and what the server has not read is lost.
        }
    }
}
