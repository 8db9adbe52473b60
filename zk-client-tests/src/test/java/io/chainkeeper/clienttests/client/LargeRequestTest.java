package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Combinations;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.RawConnection;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.jute.BinaryInputArchive;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.SetDataRequest;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** A raised jute.maxbuffer: what a client may send passes every bound between it and the disks of all servers. */
@RunWith(Parameterized.class)
public class LargeRequestTest {
    private static final int MIB = 1 << 20;
    private static final int SESSION_TIMEOUT_MILLIS = 60_000;
    private static final String PATH = "/big";

    private static final int HEAP_PER_REQUEST = 30;

    /** What a setData of {@link #PATH} has besides its data: header, path, length, version. */
    private static final int SET_DATA_BYTES = 8 + 4 + 4 + 4 + 4;

    /** What the reply to a getData has besides the data: header, length, Stat. */
    private static final int GET_DATA_REPLY_BYTES = 16 + 4 + 68;

    private static final Duration LIMIT = Duration.ofSeconds(120);

    /** docs/operations.md: links and disks take one of the largest values in less than half of that. */
    private static final String SUSPICION_TIMEOUT_MILLIS = "10000";

    private final int maxBuffer;

    /** ISS keeps a whole epoch, which lasts for many more writes than these. */
    private final boolean cutsItsLog;

    private final Ensemble ensemble;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    private final List<RawConnection> open = new ArrayList<>();

    /**
     * @param protocol {@code ordering.protocol}
     * @param logStore {@code ordering.logStore}
     * @param maxBufferMib {@code jute.maxbuffer}
     */
    public LargeRequestTest(String protocol, String logStore, int maxBufferMib) {
        maxBuffer = maxBufferMib * MIB;
        cutsItsLog = protocol.equals("chain");
        ensemble = Ensemble.named("large-requests-" + protocol + "-" + logStore + "-" + maxBufferMib)
                .set("ordering.protocol", protocol)
                .set("ordering.logStore", logStore)
                .set(protocol + ".suspicionTimeoutMillis", SUSPICION_TIMEOUT_MILLIS)
                .set("ordering.logRetentionBytes", "1048576")
                .set("snapCount", "3")
                .set("autopurge.snapRetainCount", "3")
                .build();
        servers = ensemble.startedByTheTest();
        limit = ensemble.testLimit(400);
    }

    /** Protocols, log stores and limits; each protocol and each log store is in those drawn. */
    @Parameters(name = "{0} {1} {2} MiB")
    public static List<Object[]> cases() {
        List<Object[]> cases = new ArrayList<>(List.of(new Object[][] {
            {"chain", "segmented", 64},
            {"iss", "lmdb", 20},
        }));
        if (Combinations.areAllAsked()) {
            cases.add(new Object[] {"chain", "segmented", 20});
            cases.add(new Object[] {"chain", "lmdb", 40});
            cases.add(new Object[] {"iss", "segmented", 64});
        }
        return cases;
    }

    @Before
    public void startServers() throws Exception {
        ensemble.servers()
                .forEach(server -> server.jvmFlags(
                        "-Djute.maxbuffer=" + maxBuffer, "-Xmx" + maxBuffer / MIB * HEAP_PER_REQUEST + "m"));
        ensemble.start();
    }

    @After
    public void closeConnections() throws IOException {
        for (RawConnection connection : open) {
            connection.close();
        }
    }

    private RawConnection connect(ServerProcess server) throws Exception {
        server.awaitServing();
        RawConnection connection = RawConnection.open(server, SESSION_TIMEOUT_MILLIS);
        assertTrue(connection.isAttached());
        open.add(connection);
        return connection;
    }

    private static byte[] value(int bytes, int seed) {
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) seed);
        ByteBuffer.wrap(value).putInt(seed);
        return value;
    }

    private static Code code(ReplyHeader reply) {
        return Code.get(reply.getErr());
    }

    private static Code write(RawConnection client, byte[] value) throws IOException {
        return code(client.request(OpCode.setData, new SetDataRequest(PATH, value, -1)));
    }

    private void assertHeldByAll(byte[] value) throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            try (RawConnection client = connect(server)) {
                ByteArrayInputStream answer = client.answer(OpCode.getData, new GetDataRequest(PATH, false));
                ReplyHeader header = new ReplyHeader();
                header.deserialize(BinaryInputArchive.getArchive(answer), "header");
                assertEquals("server " + server.id(), Code.OK, code(header));
                byte[] rest = answer.readAllBytes();
                assertEquals(
                        "server " + server.id(),
                        value.length,
                        ByteBuffer.wrap(rest).getInt());
                assertTrue(
                        "server " + server.id(),
                        Arrays.equals(value, 0, value.length, rest, Integer.BYTES, Integer.BYTES + value.length));
            }
        }
    }

    private ServerProcess follower() throws Exception {
        ServerProcess leader = ensemble.leader();
        return ensemble.servers().stream()
                .filter(server -> server != leader)
                .findFirst()
                .orElseThrow();
    }

    @Test
    public void largestRequest_isOrderedHeldByAllServersAndSurvivesThem() throws Exception {
        ServerProcess away = follower();
        ServerProcess stays = ensemble.servers().stream()
                .filter(server -> server != away)
                .reduce((first, second) -> second)
                .orElseThrow();
        RawConnection client = connect(stays);
        assertEquals(
                Code.OK, code(client.request(OpCode.create, new CreateRequest(PATH, null, Ids.OPEN_ACL_UNSAFE, 0))));

        // Exactly the limit, from the end of the chain and from its head.
        assertEquals(Code.OK, write(client, value(maxBuffer - SET_DATA_BYTES, 1)));
        assertEquals(Code.OK, write(connect(ensemble.leader()), value(maxBuffer - SET_DATA_BYTES, 2)));
        RawConnection tooLong = connect(stays);
        assertThrows(IOException.class, () -> write(tooLong, value(maxBuffer - SET_DATA_BYTES + 1, 3)));
        byte[] held = value(maxBuffer - GET_DATA_REPLY_BYTES, 4);
        assertEquals(Code.OK, write(client, held));
        assertHeldByAll(held);

        // From the log, then by state transfer.
        away.kill();
        held = value(maxBuffer - GET_DATA_REPLY_BYTES, 5);
        assertEquals(Code.OK, write(client, held));
        away.start();
        assertHeldByAll(held);
        away.kill();
        for (int i = 6; i < 16; i++) {
            held = value(maxBuffer - GET_DATA_REPLY_BYTES, i);
            assertEquals(Code.OK, write(client, held));
        }
        away.start();
        if (cutsItsLog) {
            Await.until(
                    "the state was installed",
                    LIMIT,
                    () -> Files.exists(away.directory().resolve("data/ordering/installed")));
        }
        assertHeldByAll(held);

        ensemble.killAll();
        ensemble.startAll();
        assertHeldByAll(held);
    }
}
