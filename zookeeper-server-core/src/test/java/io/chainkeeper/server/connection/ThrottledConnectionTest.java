package io.chainkeeper.server.connection;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.RawClient;
import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.tls.TlsStores;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.channels.SelectionKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.proto.ExistsRequest;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Connections of a server that has more requests in process than {@code globalOutstandingLimit} allows: with each
 * request ZooKeeper stops to read its connection, and goes on with its answer.
 */
public final class ThrottledConnectionTest {
    private static final int ROUNDS = 20;
    private static final int READS = 300;
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final List<String> TLS_SETTINGS =
            List.of("ssl.keyStore.location", "ssl.keyStore.password", "ssl.trustStore.location", "ssl.clientAuth");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void haveAllConnectionsThrottled() {
        System.setProperty(ZooKeeperServer.GLOBAL_OUTSTANDING_LIMIT, "-1");
    }

    @After
    public void stopEnsemble() throws Exception {
        System.clearProperty(ZooKeeperServer.GLOBAL_OUTSTANDING_LIMIT);
        System.clearProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY);
        TLS_SETTINGS.forEach(name -> System.clearProperty("zookeeper." + name));
        ensemble.close();
    }

    private void start(Class<?> factory, Map<String, String> settings) throws Exception {
        System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, factory.getName());
        ensemble = new TestEnsemble(folder.newFolder("data").toPath(), 1, ReadConsistency.SEQUENTIAL, settings);
        if (!settings.isEmpty()) {
            ensemble.withSecurePorts();
        }
        ensemble.startAll();
    }

    private RawClient client() throws IOException {
        return new RawClient(ensemble.clientPort(1), TIMEOUT_MILLIS);
    }

    private static void assertAnsweredInTurn(RawClient client) throws IOException {
        int xid = 0;
        for (int round = 0; round < ROUNDS; round++) {
            ByteArrayOutputStream frames = new ByteArrayOutputStream();
            int first = xid + 1;
            frames.write(RawClient.frame(++xid, OpCode.setData, new SetDataRequest("/", new byte[0], -1)));
            for (int i = 0; i < READS; i++) {
                frames.write(RawClient.frame(++xid, OpCode.exists, new ExistsRequest("/", false)));
            }
            client.frames(frames.toByteArray());
            for (int expected = first; expected <= xid; expected++) {
                ReplyHeader reply = client.reply();
                assertEquals("in the order of the requests", expected, reply.getXid());
                assertEquals("answer to request " + expected, 0, reply.getErr());
            }
        }
    }

    @Test(timeout = 120_000)
    public void readsOfOnePieceBehindAWrite_areAnsweredInTurn() throws Exception {
        start(NettyServerCnxnFactory.class, Map.of());
        try (RawClient client = client()) {
            assertAnsweredInTurn(client);
        }
    }

    @Test(timeout = 120_000)
    public void readsOfOnePieceBehindAWrite_areAnsweredInTurnOverTls() throws Exception {
        TlsStores stores = new TlsStores(folder.getRoot().toPath());
        stores.create("server", "ip:127.0.0.1,dns:localhost");
        String store = folder.getRoot().toPath().resolve("server.p12").toString();
        String trusted = stores.config("server", "server").getProperty("zookeeper.ssl.quorum.trustStore.location");
        Map<String, String> settings = new HashMap<>();
        settings.put("ssl.keyStore.location", store);
        settings.put("ssl.keyStore.password", TlsStores.PASSWORD);
        settings.put("ssl.trustStore.location", trusted);
        settings.put("ssl.clientAuth", "none");
        start(NettyServerCnxnFactory.class, settings);
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty("zookeeper.ssl.trustStore.location", trusted);
        String[] address = ensemble.secureAddress(1).split(":");
        try (ClientX509Util util = new ClientX509Util()) {
            Socket socket = util.createSSLContext(config)
                    .getSocketFactory()
                    .createSocket(address[0], Integer.parseInt(address[1]));
            try (RawClient client = new RawClient(socket, TIMEOUT_MILLIS, 0, new byte[16])) {
                assertAnsweredInTurn(client);
            }
        }
    }

    @Test(timeout = 120_000)
    public void readsOfOnePieceBehindAWrite_areAnsweredInTurnByNio() throws Exception {
        start(NIOServerCnxnFactory.class, Map.of());
        try (RawClient client = client()) {
            assertAnsweredInTurn(client);
        }
    }

    /** Otherwise all that the client sends meanwhile is kept in memory. */
    @Test(timeout = 120_000)
    public void throttledConnection_isNotRead() throws Exception {
        start(NettyServerCnxnFactory.class, Map.of());
        AtomicBoolean wasRead = new AtomicBoolean();
        try (RawClient client = client()) {
            Channel channel = NettyConnections.loops(ensemble.server(1).getServerCnxnFactory())
                    .connections()
                    .iterator()
                    .next();
            ByteArrayOutputStream frames = new ByteArrayOutputStream();
            for (int xid = 1; xid <= READS; xid++) {
                frames.write(RawClient.frame(xid, OpCode.setData, new SetDataRequest("/", new byte[0], -1)));
            }
            client.frames(frames.toByteArray());
            for (int xid = 1; xid <= READS; xid++) {
                Future<?> looked = channel.eventLoop().submit(() -> {
                    if (isThrottled(channel) && channel.config().isAutoRead()) {
                        wasRead.set(true);
                    }
                });
                assertEquals(xid, client.reply().getXid());
                looked.get();
            }
        }
        assertFalse(wasRead.get());
    }

    private static boolean isThrottled(Channel channel) {
        ServerCnxn connection = channel.attr(AttributeKey.<ServerCnxn>valueOf("NettyServerCnxn"))
                .get();
        return (connection.getInterestOps() & SelectionKey.OP_READ) == 0;
    }
}
