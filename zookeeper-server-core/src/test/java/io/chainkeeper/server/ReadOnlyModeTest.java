package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.FreePorts;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.ConnectionLossException;
import org.apache.zookeeper.KeeperException.NotReadOnlyException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code readonlymode.enabled}: what a replica without the order does for clients that only read. */
public class ReadOnlyModeTest {
    private static final byte[] DATA = {1, 2, 3};

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TestEnsemble ensemble;
    private static int adminPort;
    private ZooKeeper reader;

    @BeforeClass
    public static void startEnsemble() throws Exception {
        System.setProperty("readonlymode.enabled", "true");
        adminPort = FreePorts.next();
        ensemble = new TestEnsemble(
                FOLDER.getRoot().toPath(),
                3,
                ReadConsistency.LINEARIZABLE,
                Map.of("admin.serverAddress", "127.0.0.1", "admin.serverPort", Integer.toString(adminPort)));
        ensemble.start(1);
        ensemble.start(2);
        ensemble.set("admin.enableServer", "true");
        ensemble.start(3);
        for (int id = 1; id <= 3; id++) {
            ensemble.awaitServing(id);
        }
        ensemble.client(1).create("/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        ensemble.close();
        System.clearProperty("readonlymode.enabled");
    }

    @Before
    public void writeData() throws Exception {
        ensemble.client(1).setData("/a", DATA, -1);
        ensemble.awaitEqualPositions();
    }

    @After
    public void replicasAreEqual() throws Exception {
        ensemble.order().setCutOff(3, false);
        if (reader != null) {
            reader.close(1_000);
        }
        ensemble.closeClients();
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    private static String ask(String word) {
        try {
            return FourLetterWordMain.send4LetterWord("127.0.0.1", ensemble.clientPort(3), word);
        } catch (Exception e) {
            return e.toString();
        }
    }

    private static JsonNode command(String name) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + "/commands/" + name))
                .build();
        return new ObjectMapper()
                .readTree(HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.ofString())
                        .body());
    }

    @Test
    public void adminServer_knowsThatItIsReadOnly() throws Exception {
        assertFalse(command("isro").get("read_only").asBoolean());
        cutOff();
        TestEnsemble.await("the AdminServer is told", () -> {
            try {
                return command("isro").get("read_only").asBoolean();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        for (String name : List.of("srvr", "stat")) {
            JsonNode answer = command(name);
            assertTrue(answer.toString(), answer.get("read_only").asBoolean());
            assertEquals(
                    "read-only", answer.get("server_stats").get("server_state").asText());
        }
        assertEquals("read-only", command("monitor").get("server_state").asText());
        assertEquals(0, command("observers").get("synced_observers").asInt());
        assertEquals("server is not initialized", command("leader").get("error").asText());
        rejoin();
        assertFalse(command("srvr").get("read_only").asBoolean());
        assertEquals(
                "follower",
                command("srvr").get("server_stats").get("server_state").asText());
    }

    @Test
    public void snapshotIsAskedForWithoutALeader_isRefusedAndNoneIsWritten() throws Exception {
        cutOff();
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + adminPort + "/commands/snapshot?streaming=false"))
                .header("Authorization", "digest nobody:nothing")
                .build();
        TestEnsemble.await("the AdminServer refuses", () -> {
            try {
                HttpResponse<String> answer =
                        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
                return answer.statusCode() == 503 && answer.body().contains("no snapshot was taken");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        rejoin();
    }

    private static void cutOff() throws Exception {
        ensemble.order().setCutOff(3, true);
        TestEnsemble.await("replica 3 is read-only", () -> ask("isro").trim().equals("ro"));
    }

    private static void rejoin() throws Exception {
        ensemble.order().setCutOff(3, false);
        ensemble.awaitServing(3);
        assertEquals("rw", ask("isro").trim());
    }

    private ZooKeeper readOnlyClient(String addresses) throws Exception {
        reader = new ZooKeeper(addresses, 10_000, event -> {}, true);
        return reader;
    }

    private void awaitState(States state) throws Exception {
        TestEnsemble.await("the client is " + state, () -> reader.getState() == state);
    }

    @Test
    public void replicaWithoutOrder_readsForThoseWhoAskedForIt() throws Exception {
        cutOff();
        readOnlyClient(ensemble.address(3));
        awaitState(States.CONNECTEDREADONLY);
        assertArrayEquals(DATA, reader.getData("/a", true, null));
        assertEquals(
                List.of("a", "zookeeper"),
                reader.getChildren("/", false).stream().sorted().toList());
        assertThrows(NotReadOnlyException.class, () -> reader.setData("/a", null, -1));
        assertThrows(
                NotReadOnlyException.class, () -> reader.create("/b", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL));
        assertThrows(NotReadOnlyException.class, () -> reader.multi(List.of(Op.delete("/a", -1))));
        assertTrue(ask("srvr"), ask("srvr").contains("Mode: read-only\n"));
        assertTrue(ask("stat"), ask("stat").contains("Mode: read-only\n"));
        assertTrue(ask("mntr"), ask("mntr").contains("zk_server_state\tread-only\n"));
        assertThrows(IOException.class, () -> new RawClient(ensemble.clientPort(3), 10_000));
        rejoin();
    }

    @Test
    public void orderIsBack_readOnlyClientBecomesAnOrdinaryOne() throws Exception {
        cutOff();
        readOnlyClient(ensemble.address(3));
        awaitState(States.CONNECTEDREADONLY);
        long readOnlySession = reader.getSessionId();
        ensemble.client(1).setData("/a", new byte[] {9}, -1);
        assertArrayEquals("old, for this replica does not know better", DATA, reader.getData("/a", false, null));
        rejoin();
        awaitState(States.CONNECTED);
        assertNotEquals(readOnlySession, reader.getSessionId());
        assertArrayEquals(new byte[] {9}, reader.getData("/a", false, null));
        reader.create("/b", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        assertTrue(ask("mntr"), ask("mntr").contains("zk_server_state\tfollower\n"));
        assertTrue(ask("mntr"), ask("mntr").contains("zk_quorum_size\t3\n"));
    }

    private long ownerOfMine() {
        try {
            return reader.exists("/mine", false).getEphemeralOwner();
        } catch (ConnectionLossException e) {
            return 0;
        } catch (KeeperException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void clientWithAnOrdinarySession_keepsItAndWaits() throws Exception {
        readOnlyClient(ensemble.address(3));
        awaitState(States.CONNECTED);
        long session = reader.getSessionId();
        reader.create("/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        cutOff();
        rejoin();
        // The client's state says that it is connected until some time after the connection has been closed.
        TestEnsemble.await("the session goes on", () -> ownerOfMine() == session);
        assertEquals(session, reader.getSessionId());
    }

    @Test
    public void readOnlyClientThatKnowsAnotherServer_findsTheOneThatWrites() throws Exception {
        cutOff();
        readOnlyClient(ensemble.address(3) + "," + ensemble.address(3));
        awaitState(States.CONNECTEDREADONLY);
        reader.updateServerList(ensemble.address(3) + "," + ensemble.address(1));
        awaitState(States.CONNECTED);
        reader.create("/found", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        rejoin();
    }

    @Test
    public void replicaStopsWhileReadOnly_restartsWithItsState() throws Exception {
        cutOff();
        ensemble.stop(3);
        ensemble.start(3);
        ensemble.order().setCutOff(3, true);
        TestEnsemble.await(
                "replica 3 is read-only again", () -> ask("isro").trim().equals("ro"));
        readOnlyClient(ensemble.address(3));
        awaitState(States.CONNECTEDREADONLY);
        assertArrayEquals(DATA, reader.getData("/a", false, null));
        rejoin();
    }
}
