package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.jute.BinaryInputArchive;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The AdminServer's restore keeps to what holds for clients' writes. */
public class RestoreBoundsTest {
    /** What a setData has besides path and data: header, two lengths, version. */
    private static final int SET_DATA_BYTES = 8 + 4 + 4 + 4;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final HttpClient http = HttpClient.newHttpClient();
    private TestEnsemble ensemble;
    private ZooKeeper client;
    private int port;

    @Before
    public void startServer() throws Exception {
        port = FreePorts.next();
        Map<String, String> settings = new HashMap<>();
        settings.put("admin.enableServer", "true");
        settings.put("admin.serverAddress", "127.0.0.1");
        settings.put("admin.rateLimiterIntervalInMS", "1");
        settings.put("admin.serverPort", Integer.toString(port));
        ensemble = new TestEnsemble(folder.newFolder().toPath(), 1, ReadConsistency.LINEARIZABLE, settings).startAll();
        client = ensemble.client(1);
        client.create("/now", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    @After
    public void stopServer() throws Exception {
        ensemble.close();
    }

    private static void create(DataTree tree, String path, byte[] data) throws KeeperException {
        tree.createNode(path, data, Ids.OPEN_ACL_UNSAFE, 0, -1, 1, 1);
    }

    private HttpResponse<String> restore(DataTree tree) throws Exception {
        File file = new File(folder.newFolder(), "snapshot.1");
        new FileSnap(file.getParentFile()).serialize(tree, new HashMap<>(), file, false);
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/commands/restore"))
                        .header("Authorization", "digest root:root")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(Files.readAllBytes(file.toPath())))
                        .build(),
                BodyHandlers.ofString());
    }

    private static void assertRefused(HttpResponse<String> answer, String... parts) {
        assertEquals(answer.body(), 500, answer.statusCode());
        for (String part : parts) {
            assertTrue(answer.body(), answer.body().contains(part));
        }
    }

    private boolean isWriteRefused() {
        try {
            client.setData("/now", null, -1);
            return false;
        } catch (KeeperException e) {
            assertEquals(Code.THROTTLEDOP, e.code());
            return true;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void ringsAreNearlyFull_restoreIsRefusedAsWritesAre_andNothingIsChanged() throws Exception {
        DataTree wanted = OrderedDatabase.newTree();
        create(wanted, "/then", null);
        ensemble.order().room().ringsHeldBy(2);
        TestEnsemble.await("clients' writes are refused", this::isWriteRefused);
        assertRefused(restore(wanted), "rings", "server 2", "remove it with reconfig", "nothing was changed");
        assertNull(client.exists("/then", false));
        assertNotNull(client.exists("/now", false));
        ensemble.order().room().ringsHeldBy(0);
        TestEnsemble.await("clients' writes are taken", () -> !isWriteRefused());
        HttpResponse<String> restored = restore(wanted);
        assertEquals(restored.body(), 200, restored.statusCode());
        assertNotNull(client.exists("/then", false));
    }

    @Test
    public void nodeIsLongerThanClientsMaySend_itIsNamedAndNothingIsChanged() throws Exception {
        DataTree wanted = OrderedDatabase.newTree();
        create(wanted, "/short", null);
        create(wanted, "/long", new byte[BinaryInputArchive.maxBuffer]);
        assertRefused(restore(wanted), "/long", "jute.maxbuffer", "nothing was changed");
        assertNull(client.exists("/short", false));
        assertNotNull(client.exists("/now", false));
    }

    /** Its creation with all that it holds would be longer than what any client has sent. */
    @Test
    public void nodeAsLongAsClientsCanMakeOne_comesBack() throws Exception {
        String path = "/longest";
        byte[] data = new byte[BinaryInputArchive.maxBuffer - SET_DATA_BYTES - path.length()];
        data[data.length - 1] = 7;
        List<ACL> acl = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            acl.add(new ACL(Perms.ALL, new Id("ip", "10.0.0." + i)));
        }
        acl.add(new ACL(Perms.ALL, Ids.ANYONE_ID_UNSAFE));
        client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.setData(path, data, -1);
        client.setACL(path, acl, -1);
        DataTree wanted = OrderedDatabase.newTree();
        create(wanted, path, data);
        wanted.setACL(path, acl, -1);
        client.delete(path, -1);
        HttpResponse<String> restored = restore(wanted);
        assertEquals(restored.body(), 200, restored.statusCode());
        DataTree tree = ensemble.server(1).getZKDatabase().getDataTree();
        DataNode node = tree.getNode(path);
        assertArrayEquals(data, node.getData());
        assertEquals(acl, tree.getACL(node));
    }
}
