package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.apache.jute.InputArchive;
import org.apache.jute.OutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.MultiHeader;
import org.apache.zookeeper.proto.SetDataRequest;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Requests that ZooKeeper's preparation accepts and its tree cannot execute: a stock server ends, or errs. */
public class UnexecutableRequestsTest {
    private static final int SESSION_TIMEOUT_MILLIS = 10_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private RawClient client;
    private int xid;

    @Before
    public void startEnsemble() throws Exception {
        System.setProperty("zookeeper.extendedTypesEnabled", "true");
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 2).startAll();
        client = new RawClient(ensemble.clientPort(1), SESSION_TIMEOUT_MILLIS);
    }

    @After
    public void stopEnsemble() throws Exception {
        try (TestEnsemble closed = ensemble) {
            client.close();
            EnsembleChecks.assertReplicasEqual(closed, 2);
        } finally {
            System.clearProperty("zookeeper.extendedTypesEnabled");
        }
    }

    private Code ask(int type, Record record) throws IOException {
        client.request(++xid, type, record);
        return Code.get(client.reply().getErr());
    }

    private Code create(int type, String path, int flags) throws IOException {
        return ask(type, new CreateRequest(path, null, Ids.OPEN_ACL_UNSAFE, flags));
    }

    private Code create(String path, String data) throws IOException {
        byte[] bytes = data == null ? null : data.getBytes(StandardCharsets.UTF_8);
        return ask(OpCode.create, new CreateRequest(path, bytes, Ids.OPEN_ACL_UNSAFE, 0));
    }

    private void assertAllServeAfterARestart() throws Exception {
        client.close();
        for (int id = 1; id <= 2; id++) {
            ensemble.stop(id);
            ensemble.start(id);
            ensemble.awaitServing(id);
        }
        try (ZooKeeper after = ensemble.client(2)) {
            after.create("/after", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }

    @Test
    public void timeToLiveThatTheTreeCannotKeep_isRefusedForEveryFlag() throws Exception {
        for (int flags : new int[] {0, 1, 2, 3, 4}) {
            for (long ttl : new long[] {Long.MIN_VALUE, -1, 0, 1000}) {
                assertEquals(
                        flags + " " + ttl,
                        Code.BADARGUMENTS,
                        ask(OpCode.createTTL, new CreateTTLRequest("/ttl", null, Ids.OPEN_ACL_UNSAFE, flags, ttl)));
            }
        }
        assertAllServeAfterARestart();
    }

    @Test
    public void flagsThatTheOperationIgnores_giveWhatTheOperationSays() throws Exception {
        int container = CreateMode.CONTAINER.toFlag();
        assertEquals(Code.OK, create(OpCode.create, "/plain", container));
        assertEquals(Code.OK, create(OpCode.create2, "/plain2", container));
        assertEquals(Code.OK, create(OpCode.createContainer, "/container", 0));
        for (int flags : new int[] {1, 2, 3, 5, 6}) {
            assertEquals(Code.BADARGUMENTS, create(OpCode.createContainer, "/other", flags));
        }
        ensemble.awaitEqualPositions();
        for (int id = 1; id <= 2; id++) {
            assertEquals(
                    Set.of("/container"),
                    ensemble.server(id).getZKDatabase().getDataTree().getContainers());
        }
        assertAllServeAfterARestart();
    }

    @Test
    public void quotaThatTheTreeCannotRead_isRefused() throws Exception {
        assertEquals(Code.OK, create("/zookeeper/quota/a", null));
        assertEquals(Code.BADARGUMENTS, create("/zookeeper/quota/a/zookeeper_limits", null));
        assertEquals(Code.BADARGUMENTS, create("/zookeeper/quota/a/zookeeper_limits", "many"));
        assertEquals(Code.BADARGUMENTS, create("/zookeeper/quota/a/zookeeper_limits", "count=many"));
        assertEquals(Code.OK, create("/zookeeper/quota/a/zookeeper_limits", "count=5,bytes=-1"));
        assertEquals(Code.OK, create("/zookeeper/quota/a/zookeeper_stats", null));
        assertEquals(
                Code.BADARGUMENTS,
                ask(OpCode.setData, new SetDataRequest("/zookeeper/quota/a/zookeeper_stats", new byte[] {'x'}, -1)));
        assertEquals(
                Code.BADARGUMENTS,
                ask(OpCode.setData, new SetDataRequest("/zookeeper/quota/a/zookeeper_limits", null, -1)));
        assertEquals(Code.OK, create("/a", "counted"));
        try (ZooKeeper reader = ensemble.client(2)) {
            assertArrayEquals(
                    "count=1,bytes=7".getBytes(StandardCharsets.UTF_8),
                    reader.getData("/zookeeper/quota/a/zookeeper_stats", false, null));
        }
        assertAllServeAfterARestart();
    }

    @Test
    public void quotaOfNothing_isRefused() throws Exception {
        String limits = "/zookeeper_limits";
        create("/zookeeper/quota/ ", null);
        create("/zookeeper/quota/zookeeper_limits-", null);
        create("/zookeeper/other", null);
        create("/zookeeper-", null);
        for (String parent : List.of(
                "/zookeeper/quota",
                "/zookeeper/quota/ ",
                "/zookeeper/quota/zookeeper_limits-",
                "/zookeeper",
                "/zookeeper/other",
                "/zookeeper-")) {
            assertEquals(parent, Code.BADARGUMENTS, create(parent + limits, "count=1"));
            assertEquals(parent, Code.BADARGUMENTS, ask(OpCode.delete, new DeleteRequest(parent + limits, -1)));
        }
        assertEquals(Code.BADARGUMENTS, create("/zookeeper/quota/zookeeper_stats", "count=1"));
        assertAllServeAfterARestart();
    }

    /** Each replica would fail to prepare it, and write every byte of it to its log. */
    @Test
    public void createWithoutAPath_isRefusedBeforeItIsOrdered() throws Exception {
        CreateRequest create = new CreateRequest(null, null, Ids.OPEN_ACL_UNSAFE, 0);
        int containers = CreateMode.CONTAINER.toFlag();
        int lasting = CreateMode.PERSISTENT_WITH_TTL.toFlag();
        ensemble.awaitEqualPositions();
        long ordered = ensemble.order().lastPosition();
        assertEquals(Code.MARSHALLINGERROR, ask(OpCode.create, create));
        assertEquals(Code.MARSHALLINGERROR, ask(OpCode.create2, create));
        assertEquals(
                Code.MARSHALLINGERROR,
                ask(OpCode.createContainer, new CreateRequest(null, null, Ids.OPEN_ACL_UNSAFE, containers)));
        assertEquals(
                Code.MARSHALLINGERROR,
                ask(OpCode.createTTL, new CreateTTLRequest(null, null, Ids.OPEN_ACL_UNSAFE, lasting, 1_000)));
        assertEquals(
                Code.MARSHALLINGERROR,
                ask(OpCode.multi, multi(new CreateRequest("/first", null, Ids.OPEN_ACL_UNSAFE, 0), create)));
        assertEquals(ordered, ensemble.order().lastPosition());
    }

    @Test
    public void multiThatEndsWithAnException_leavesNothingBehind() throws Exception {
        List<ACL> nameless = List.of(new ACL(Perms.ALL, new Id("world", null)));
        Record multi = multi(
                new CreateRequest("/first", null, Ids.OPEN_ACL_UNSAFE, 0),
                new CreateRequest("/second", null, nameless, 0));
        assertEquals(Code.MARSHALLINGERROR, ask(OpCode.multi, multi));
        try (ZooKeeper reader = ensemble.client(2)) {
            assertEquals(null, reader.exists("/first", false));
            assertEquals(
                    2,
                    reader.multi(List.of(Op.check("/", -1), Op.check("/zookeeper", -1)))
                            .size());
        }
        assertAllServeAfterARestart();
    }

    private static Record multi(CreateRequest... requests) {
        return new Record() {
            @Override
            public void serialize(OutputArchive archive, String tag) throws IOException {
                for (CreateRequest request : requests) {
                    new MultiHeader(OpCode.create, false, -1).serialize(archive, tag);
                    request.serialize(archive, tag);
                }
                new MultiHeader(-1, true, -1).serialize(archive, tag);
            }

            @Override
            public void deserialize(InputArchive archive, String tag) {
                throw new UnsupportedOperationException("only sent");
            }
        };
    }
}
