package io.chainkeeper.clienttests.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.function.ThrowingRunnable;
import org.junit.rules.TestName;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** What each operation does when it is sent to one replica, and what clients of the others then see. */
@RunWith(Parameterized.class)
public class ZnodeOperationsTest {
    private static final int ANY_VERSION = -1;
    private static final byte[] DATA = "data".getBytes(UTF_8);

    @ClassRule
    public static final Ensemble ensemble =
            Ensemble.named("znodes").set("extendedTypesEnabled", "true").build();

    @Rule
    public final TestRule limit = ensemble.testLimit(60);

    @Rule
    public final TestName testName = new TestName();

    private final int replica;
    private final List<ZooKeeper> clients = new ArrayList<>();
    private ZooKeeper client;
    private String root;

    public ZnodeOperationsTest(int replica) {
        this.replica = replica;
    }

    @Parameters(name = "at replica {0}")
    public static List<Integer> replicas() {
        return List.of(1, 2, 3);
    }

    @Before
    public void openSessions() throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            clients.add(Clients.connect(server.connectString()));
        }
        client = clients.get(replica - 1);
        root = "/" + testName.getMethodName().replaceAll("[^A-Za-z0-9]", "-");
        client.create(root, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    @After
    public void closeSessions() throws Exception {
        for (ZooKeeper each : clients) {
            each.close();
        }
    }

    @Test
    public void createOfEachMode_znodeIsOfThatMode() throws Exception {
        for (CreateMode mode : CreateMode.values()) {
            Stat stat = new Stat();
            String path = root + "/" + mode.name().toLowerCase() + "-";
            String created = mode.isTTL()
                    ? client.create(path, DATA, Ids.OPEN_ACL_UNSAFE, mode, stat, 60_000)
                    : client.create(path, DATA, Ids.OPEN_ACL_UNSAFE, mode, stat);

            assertEquals(mode.toString(), mode.isSequential(), created.matches(Pattern.quote(path) + "\\d{10}"));
            assertEquals(mode.toString(), mode.isEphemeral(), stat.getEphemeralOwner() == client.getSessionId());
            assertEquals(0, stat.getVersion());
            assertEquals(stat.getCzxid(), stat.getMzxid());
            assertSeenEverywhere(created, DATA, stat);
        }
    }

    @Test
    public void setData_raisesVersionAndModificationOnly() throws Exception {
        Stat created = new Stat();
        String path = root + "/z";
        client.create(path, DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT, created);

        Stat set = client.setData(path, "other".getBytes(UTF_8), 0);

        assertEquals(1, set.getVersion());
        assertEquals(created.getCzxid(), set.getCzxid());
        assertEquals(created.getCtime(), set.getCtime());
        assertTrue(set.getMzxid() > created.getMzxid());
        assertTrue(set.getMtime() >= created.getMtime());
        assertEquals(5, set.getDataLength());
        assertSeenEverywhere(path, "other".getBytes(UTF_8), set);

        Stat emptied = client.setData(path, null, ANY_VERSION);
        assertEquals(2, emptied.getVersion());
        assertSeenEverywhere(path, null, emptied);
    }

    @Test
    public void delete_znodeIsGoneEverywhereAndParentShowsIt() throws Exception {
        client.create(root + "/z", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        Stat parentBefore = client.exists(root, false);

        client.delete(root + "/z", 0);

        for (ZooKeeper each : clients) {
            catchUp(each);
            assertNull(each.exists(root + "/z", false));
            Stat parent = each.exists(root, false);
            assertEquals(0, parent.getNumChildren());
            assertEquals(parentBefore.getCversion() + 1, parent.getCversion());
            assertTrue(parent.getPzxid() > parentBefore.getPzxid());
        }
    }

    @Test
    public void children_areTheSameEverywhere() throws Exception {
        TreeSet<String> names = new TreeSet<>();
        for (int i = 0; i < 20; i++) {
            names.add("c" + i);
            client.create(root + "/c" + i, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        client.create(root + "/c0/grandchild", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        for (ZooKeeper each : clients) {
            catchUp(each);
            Stat stat = new Stat();
            assertEquals(names, new TreeSet<>(each.getChildren(root, false, stat)));
            assertEquals(20, stat.getNumChildren());
            assertEquals(21, each.getAllChildrenNumber(root));
        }
    }

    @Test
    public void multiOfSeveralOperations_allTakeEffectAtOnce() throws Exception {
        client.create(root + "/old", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);

        List<OpResult> results = client.multi(List.of(
                Op.check(root + "/old", 0),
                Op.create(root + "/new", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                Op.setData(root + "/new", "changed".getBytes(UTF_8), 0),
                Op.create(root + "/s-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL),
                Op.delete(root + "/old", 0)));

        assertEquals(root + "/new", ((OpResult.CreateResult) results.get(1)).getPath());
        Stat set = ((OpResult.SetDataResult) results.get(2)).getStat();
        assertEquals(1, set.getVersion());
        assertEquals("one transaction, one zxid", set.getCzxid(), set.getMzxid());
        assertSeenEverywhere(root + "/new", "changed".getBytes(UTF_8), client.exists(root + "/new", false));
        String sequential = ((OpResult.CreateResult) results.get(3)).getPath();
        for (ZooKeeper each : clients) {
            catchUp(each);
            assertNull(each.exists(root + "/old", false));
            assertEquals(set.getMzxid(), each.exists(sequential, false).getCzxid());
        }
    }

    @Test
    public void multiWithAFailingOperation_nothingTakesEffect() throws Exception {
        KeeperException failure = assertThrows(
                KeeperException.NoNodeException.class,
                () -> client.multi(List.of(
                        Op.create(root + "/a", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                        Op.delete(root + "/missing", ANY_VERSION),
                        Op.setData(root, DATA, ANY_VERSION))));

        List<Integer> codes = new ArrayList<>();
        failure.getResults().forEach(result -> codes.add(((OpResult.ErrorResult) result).getErr()));
        assertEquals(List.of(Code.OK.intValue(), Code.NONODE.intValue(), Code.RUNTIMEINCONSISTENCY.intValue()), codes);
        for (ZooKeeper each : clients) {
            catchUp(each);
            assertNull(each.exists(root + "/a", false));
            assertEquals(0, each.exists(root, false).getVersion());
        }
    }

    @Test
    public void multiOfReads_eachHasItsOwnResult() throws Exception {
        client.create(root + "/z", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        List<OpResult> results =
                client.multi(List.of(Op.getData(root + "/z"), Op.getChildren(root), Op.getData(root + "/missing")));
        assertArrayEquals(DATA, ((OpResult.GetDataResult) results.get(0)).getData());
        assertEquals(List.of("z"), ((OpResult.GetChildrenResult) results.get(1)).getChildren());
        assertEquals(Code.NONODE.intValue(), ((OpResult.ErrorResult) results.get(2)).getErr());
    }

    @Test
    public void operationsThatCannotBeDone_haveTheirErrorCodes() throws Exception {
        client.create(root + "/z", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create(root + "/ephemeral", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        assertFails(Code.NONODE, () -> client.getData(root + "/missing", false, null));
        assertFails(Code.NONODE, () -> client.setData(root + "/missing", DATA, ANY_VERSION));
        assertFails(Code.NONODE, () -> client.delete(root + "/missing", ANY_VERSION));
        assertFails(Code.NONODE, () -> client.getChildren(root + "/missing", false));
        assertFails(Code.NONODE, () -> create(root + "/missing/child", Ids.OPEN_ACL_UNSAFE));
        assertFails(Code.NODEEXISTS, () -> create(root + "/z", Ids.OPEN_ACL_UNSAFE));
        assertFails(Code.BADVERSION, () -> client.setData(root + "/z", DATA, 7));
        assertFails(Code.BADVERSION, () -> client.delete(root + "/z", 7));
        assertFails(Code.BADVERSION, () -> client.setACL(root + "/z", Ids.OPEN_ACL_UNSAFE, 7));
        assertFails(Code.NOTEMPTY, () -> client.delete(root, ANY_VERSION));
        assertFails(Code.NOCHILDRENFOREPHEMERALS, () -> create(root + "/ephemeral/child", Ids.OPEN_ACL_UNSAFE));
        assertFails(Code.INVALIDACL, () -> create(root + "/acl", List.of()));
        assertFails(Code.NOAUTH, () -> client.setData("/zookeeper/config", DATA, ANY_VERSION));
    }

    @Test
    public void aclOfOneUser_othersMayOnlyDoWhatItGrants() throws Exception {
        String path = root + "/secret";
        client.addAuthInfo("digest", "alice:secret".getBytes(UTF_8));
        List<ACL> acl = new ArrayList<>(Ids.CREATOR_ALL_ACL);
        acl.add(new ACL(ZooDefs.Perms.READ, Ids.ANYONE_ID_UNSAFE));
        client.create(path, DATA, acl, CreateMode.PERSISTENT);
        ZooKeeper other = clients.get(replica % clients.size());
        catchUp(other);

        assertArrayEquals(DATA, other.getData(path, false, null));
        assertFails(Code.NOAUTH, () -> other.setData(path, DATA, ANY_VERSION));
        assertFails(Code.NOAUTH, () -> other.create(path + "/c", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        assertFails(Code.NOAUTH, () -> other.setACL(path, Ids.OPEN_ACL_UNSAFE, ANY_VERSION));
        other.addAuthInfo("digest", "alice:secret".getBytes(UTF_8));
        assertEquals(1, other.setData(path, DATA, 0).getVersion());
        assertEquals(1, other.setACL(path, Ids.READ_ACL_UNSAFE, 0).getAversion());

        catchUp(client);
        Stat stat = new Stat();
        assertEquals(Ids.READ_ACL_UNSAFE, client.getACL(path, stat));
        assertEquals(1, stat.getAversion());
        assertFails(Code.NOAUTH, () -> client.setData(path, DATA, ANY_VERSION));
    }

    @Test
    public void sessionIsClosed_itsEphemeralsAreGoneEverywhere() throws Exception {
        ZooKeeper owner = Clients.connect(ensemble.server(replica).connectString());
        for (int i = 0; i < 3; i++) {
            owner.create(root + "/e" + i, null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        }
        assertEquals(3, owner.getEphemerals().size());
        for (ZooKeeper each : clients) {
            catchUp(each);
            assertEquals(3, each.getChildren(root, false).size());
        }

        owner.close();

        for (ZooKeeper each : clients) {
            catchUp(each);
            assertEquals(List.of(), each.getChildren(root, false));
        }
    }

    @Test
    public void pipelinedWritesAndReads_areAnsweredInOrderAndSeeEachOther() throws Exception {
        String path = root + "/z";
        client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        int pairs = 500;
        List<Integer> versions = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            client.setData(path, DATA, i, (code, ignored, context, stat) -> versions.add(version(code, stat)), null);
            client.getData(
                    path, false, (code, ignored, context, data, stat) -> versions.add(version(code, stat)), null);
        }
        // Answered last, by the thread that runs the callbacks.
        TreeDump.sync(client, path);
        List<Integer> expected = new ArrayList<>();
        for (int version = 1; version <= pairs; version++) {
            expected.add(version);
            expected.add(version);
        }
        assertEquals(expected, versions);
    }

    private static int version(int code, Stat stat) {
        return code == Code.OK.intValue() ? stat.getVersion() : code;
    }

    private void create(String path, List<ACL> acl) throws Exception {
        client.create(path, DATA, acl, CreateMode.PERSISTENT);
    }

    private static void assertFails(Code code, ThrowingRunnable operation) {
        assertEquals(code, assertThrows(KeeperException.class, operation).code());
    }

    private void assertSeenEverywhere(String path, byte[] data, Stat stat) throws Exception {
        for (ZooKeeper each : clients) {
            catchUp(each);
            Stat seen = new Stat();
            assertArrayEquals(data, each.getData(path, false, seen));
            assertNotNull(each.exists(path, false));
            assertNotEquals(0, seen.getCzxid());
            assertEquals(stat, seen);
        }
    }

    /** Stock servers answer reads from what they have; linearizable ones need no help. */
    private static void catchUp(ZooKeeper client) throws Exception {
        if (!ensemble.readsAreLinearizable()) {
            TreeDump.sync(client, "/");
        }
    }
}
