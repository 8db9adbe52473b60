package io.chainkeeper.clienttests.access;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.After;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.TestRule;

/** Kerberos for clients and links, with tickets of a server in this JVM. */
public class KerberosTest {
    private static final String REALM = "EXAMPLE.COM";
    private static final String HOST = "127.0.0.1";
    private static final String CLIENT_SERVICE = "zookeeper/" + HOST + "@" + REALM;
    private static final String LINK_SERVICE = "zkquorum/" + HOST + "@" + REALM;
    private static final String MODULE = "com.sun.security.auth.module.Krb5LoginModule";
    private static final String KRB5_CONF = "java.security.krb5.conf";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Rule(order = 0)
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Ensemble ensemble = Ensemble.named("kerberos")
            .set("authProvider.sasl", "org.apache.zookeeper.server.auth.SASLAuthenticationProvider")
            .set("quorum.auth.enableSasl", "true")
            .set("quorum.auth.learnerRequireSasl", "true")
            .set("quorum.auth.serverRequireSasl", "true")
            .set("quorum.auth.kerberos.servicePrincipal", "zkquorum/_HOST")
            .build();

    @Rule(order = 1)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 2)
    public final TestRule limit = ensemble.testLimit(180);

    private final Properties propertiesBefore =
            (Properties) System.getProperties().clone();
    private SimpleKdcServer kdc;
    private File keys;

    @Before
    public void startKdc() throws Exception {
        Assume.assumeFalse("the stock server has its own ways", ensemble.isStock());
        kdc = new SimpleKdcServer();
        kdc.setWorkDir(folder.getRoot());
        kdc.setKdcHost(HOST);
        kdc.setKdcRealm(REALM);
        kdc.setAllowUdp(false);
        kdc.setAllowTcp(true);
        kdc.setKdcTcpPort(FreePorts.next());
        kdc.init();
        kdc.start();
        keys = new File(folder.getRoot(), "all.keytab");
        kdc.createAndExportPrincipals(keys, CLIENT_SERVICE, LINK_SERVICE, "alice@" + REALM, "bob@" + REALM);
    }

    @After
    public void stopKdc() throws Exception {
        // The tests after this one run in the same JVM, and their clients look for a login of theirs.
        Configuration.setConfiguration(null);
        System.setProperties(propertiesBefore);
        if (kdc != null) {
            kdc.stop();
        }
    }

    private String section(String name, String principal) {
        return name + " { " + MODULE + " required useKeyTab=true storeKey=true useTicketCache=false keyTab=\"" + keys
                + "\" principal=\"" + principal + "\"; };\n";
    }

    private void startServers() throws Exception {
        Path jaas = folder.getRoot().toPath().resolve("jaas.conf");
        Files.writeString(
                jaas,
                section("Server", CLIENT_SERVICE)
                        + section("QuorumServer", LINK_SERVICE)
                        + section("QuorumLearner", LINK_SERVICE));
        ensemble.writeConfigurations();
        for (ServerProcess server : ensemble.servers()) {
            server.jvmFlags(
                    "-Djava.security.auth.login.config=" + jaas,
                    "-D" + KRB5_CONF + "=" + new File(folder.getRoot(), "krb5.conf"));
        }
        ensemble.startAll();
    }

    /** A client whose JAAS section is the user's; the configuration of Kerberos is read anew. */
    private ZooKeeper open(ServerProcess server, String user) throws Exception {
        Map<String, String> options = Map.of(
                "useKeyTab", "true",
                "storeKey", "true",
                "useTicketCache", "false",
                "refreshKrb5Config", "true",
                "keyTab", keys.toString(),
                "principal", user + "@" + REALM);
        Configuration.setConfiguration(new Configuration() {
            @Override
            public AppConfigurationEntry[] getAppConfigurationEntry(String section) {
                return new AppConfigurationEntry[] {
                    new AppConfigurationEntry(MODULE, LoginModuleControlFlag.REQUIRED, options)
                };
            }
        });
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, user);
        config.setProperty("zookeeper.server.principal", CLIENT_SERVICE);
        ZooKeeper client = new ZooKeeper(server.connectString(), 20_000, event -> {}, config);
        Await.until(user + " is connected", LIMIT, () -> client.getState() == States.CONNECTED);
        return client;
    }

    @Test
    public void clientsAndServersWithTickets_areWhoTheySay() throws Exception {
        startServers();
        try (ZooKeeper alice = open(ensemble.server(1), "alice")) {
            alice.create("/alices", null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
            assertTrue(
                    alice.whoAmI().toString(),
                    alice.whoAmI().stream().anyMatch(who -> who.getUser().equals("alice@" + REALM)));
            assertEquals(
                    List.of("alice@" + REALM),
                    alice.getACL("/alices", null).stream()
                            .map(acl -> acl.getId().getId())
                            .toList());
        }
        try (ZooKeeper bob = open(ensemble.server(2), "bob")) {
            assertThrows(NoAuthException.class, () -> bob.setData("/alices", null, -1));
        }
        try (ZooKeeper alice = open(ensemble.server(3), "alice")) {
            alice.setData("/alices", new byte[1], 0);
        }
        ensemble.awaitCaughtUp();
    }
}
