package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.Command;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.proto.SetDataRequest;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** There is no room for what a replica proposes. Reads are sequential, so they would go on without the order. */
public class FullRoomTest {
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final int SHORT_TIMEOUT_MILLIS = 1_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3, ReadConsistency.SEQUENTIAL, Map.of());
        ensemble.startAll();
        ensemble.order().elect(1);
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.order().room().make();
        ensemble.close();
    }

    @Test
    public void noRoomForTheEndOfASession_servingEndsWithTheOrderAndTheSessionWhenThereIsRoom() throws Exception {
        long session;
        ensemble.order().room().lackForNext(Command.Expire.class);
        try (RawClient gone = new RawClient(ensemble.clientPort(2), SHORT_TIMEOUT_MILLIS)) {
            session = gone.sessionId();
        }
        ensemble.order().room().awaitWaiting();
        ensemble.order().setCutOff(2, true);
        TestEnsemble.await("replica 2 serves nobody", () -> !ensemble.server(2).isServing());
        ensemble.order().setCutOff(2, false);
        ensemble.awaitServing(2);
        assertNotNull(ensemble.replica(1).replicatedState().sessions().get(session));
        ensemble.order().room().make();
        TestEnsemble.await(
                "the session ends",
                () -> ensemble.replica(1).replicatedState().sessions().get(session) == null);
    }

    @Test
    public void clientWaitsForRoomWhenServingEnds_itsConnectionIsClosedAndNothingOfItOrdered() throws Exception {
        ZooKeeper other = ensemble.client(1);
        other.create("/n", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        try (RawClient waits = new RawClient(ensemble.clientPort(2), TIMEOUT_MILLIS)) {
            ensemble.order().room().lackForNextWrite();
            waits.request(1, OpCode.setData, new SetDataRequest("/n", new byte[1], -1));
            ensemble.order().room().awaitWaiting();
            // There would be room for this one.
            waits.request(2, OpCode.setData, new SetDataRequest("/n", new byte[2], -1));
            ensemble.order().setCutOff(2, true);
            waits.closedByServer();
            assertEquals(
                    "imok",
                    FourLetterWordMain.send4LetterWord("127.0.0.1", ensemble.clientPort(2), "ruok")
                            .trim());
        }
        ensemble.order().setCutOff(2, false);
        ensemble.awaitServing(2);
        ZooKeeper again = ensemble.client(2);
        again.create("/later", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertEquals(0, again.exists("/n", false).getVersion());
    }

    @Test
    public void connectionWaitsForRoomToGoOnWithItsSession_servingEnds_connectionIsClosed() throws Exception {
        RawClient first = new RawClient(ensemble.clientPort(1), TIMEOUT_MILLIS);
        first.close();
        ensemble.order().room().lackForNext(Command.Attach.class);
        CompletableFuture<RawClient> moves = CompletableFuture.supplyAsync(() -> attach(2, first));
        ensemble.order().room().awaitWaiting();
        ensemble.order().setCutOff(2, true);
        ExecutionException closed = assertThrows(
                ExecutionException.class, () -> moves.get(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertTrue(closed.toString(), closed.getCause() instanceof UncheckedIOException);
        ensemble.order().setCutOff(2, false);
        ensemble.awaitServing(2);
        try (RawClient moved = attach(2, first)) {
            assertEquals(first.sessionId(), moved.sessionId());
        }
    }

    private RawClient attach(int server, RawClient first) {
        try {
            return new RawClient(ensemble.clientPort(server), TIMEOUT_MILLIS, first.sessionId(), first.password());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
