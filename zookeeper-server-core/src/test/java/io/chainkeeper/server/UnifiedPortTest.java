package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.server.guard.AuthenticationSchemes;
import io.chainkeeper.server.tls.TlsStores;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code client.portUnification=true} without a port for TLS only, which would give the scheme x509 by itself. */
public class UnifiedPortTest {
    private static final String KEY_STORE = "zookeeper.ssl.keyStore.location";
    private static final String KEY_PASSWORD = "zookeeper.ssl.keyStore.password";
    private static final String TRUST_STORE = "zookeeper.ssl.trustStore.location";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TlsStores stores;
    private TestEnsemble ensemble;

    /** In the order of a start: the settings, what is made of them, the servers. */
    @Before
    public void startEnsemble() throws Exception {
        forgetSettings();
        Path directory = folder.getRoot().toPath();
        stores = new TlsStores(directory);
        for (String name : List.of("server", "alice")) {
            stores.create(name, "ip:127.0.0.1,dns:localhost");
        }
        use("server", "alice", System::setProperty);
        System.setProperty("zookeeper.client.portUnification", "true");
        System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, NettyServerCnxnFactory.class.getName());
        AuthenticationSchemes.enable();
        ensemble = new TestEnsemble(directory, 2).startAll();
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
        forgetSettings();
    }

    private static void forgetSettings() {
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> Stream.of(
                                "zookeeper.ssl.",
                                "zookeeper.client.portUnification",
                                "zookeeper.serverCnxnFactory",
                                "zookeeper.authProvider.")
                        .anyMatch(name::startsWith))
                .forEach(System::clearProperty);
        ProviderRegistry.reset();
    }

    private interface Settings {
        void set(String key, String value);
    }

    private void use(String identity, String trusted, Settings settings) throws Exception {
        ZKConfig links = stores.config(identity, trusted);
        for (String key : List.of(KEY_STORE, KEY_PASSWORD, TRUST_STORE)) {
            settings.set(key, links.getProperty(key.replace(".ssl.", ".ssl.quorum.")));
        }
    }

    @Test(timeout = 120_000)
    public void certificate_isAnIdentityThatAllReplicasKnow() throws Exception {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
        use("alice", "server", config::setProperty);
        ZooKeeper alice = new ZooKeeper(ensemble.address(1), 10_000, event -> {}, config);
        try {
            TestEnsemble.await("alice is connected", () -> alice.getState() == States.CONNECTED);
            alice.create("/alices", null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
            assertEquals(List.of(new ACL(31, new Id("x509", "CN=alice"))), alice.getACL("/alices", null));
        } finally {
            alice.close(1_000);
        }
        ZooKeeper plain = ensemble.client(2);
        assertThrows(NoAuthException.class, () -> plain.setData("/alices", null, -1));
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }
}
