package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Servers whose own link address changes while they run, and servers that are replaced under their id. */
public class MovedServerTest {
    private static final int WRITES = 300;
    private static final long SCRIPT_LIMIT_SECONDS = 60;
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private final Ensemble ensemble = Ensemble.named("moved-server")
            .set("reconfigEnabled", "true")
            .superUser()
            .build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(300);

    @Before
    public void notForTheStockServer() {
        Assume.assumeFalse("the stock server has its own ways", ensemble.isStock());
    }

    private static String text(byte[] config) {
        return new String(config, StandardCharsets.UTF_8);
    }

    private void awaitFirstConfiguration(ZooKeeperAdmin admin) throws Exception {
        Await.until("the first configuration", LIMIT, () -> {
            try {
                admin.reconfigure("server.9=x:1:2", null, null, 12345, null);
                return true;
            } catch (KeeperException.BadVersionException e) {
                return true;
            } catch (KeeperException.ReconfigInProgress e) {
                return false;
            }
        });
    }

    private static boolean isOpen(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static int linkPort(String config, int id) {
        return Integer.parseInt(config.replaceFirst("(?s).*server\\." + id + "=127\\.0\\.0\\.1:([0-9]+):.*", "$1"));
    }

    /** Each in turn, the leader too: the others must find it there when they start. */
    @Test
    public void linkAddressesChangeWhileServersRun_nothingIsRestartedAndNothingLost() throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble);
                ZooKeeperAdmin admin = Clients.admin(ensemble.server(2).connectString())) {
            admin.addAuthInfo("digest", Ensemble.SUPER_USER.getBytes(StandardCharsets.UTF_8));
            awaitFirstConfiguration(admin);
            load.start();
            load.awaitProgress(WRITES);
            for (ServerProcess server : ensemble.servers()) {
                String before = text(admin.getConfig(false, null));
                int port = FreePorts.next();
                String line = "server." + server.id() + "=127.0.0.1:" + port + ":" + FreePorts.next()
                        + ":participant;127.0.0.1:" + server.clientPort();
                admin.reconfigure(line, null, null, -1, null);
                Await.until("the new port is open", LIMIT, () -> isOpen(port));
                Await.until("the old port is closed", LIMIT, () -> !isOpen(linkPort(before, server.id())));
                load.awaitProgress(WRITES);
            }
            for (ServerProcess server : ensemble.servers()) {
                server.kill();
                load.awaitProgress(WRITES);
                server.start();
                server.awaitServing();
                load.awaitProgress(WRITES);
            }
            load.stop();
            assertEquals("expired sessions", 0, load.writes().expiredSessionCount());
            load.writes().check(TreeDump.ofAllEqual(ensemble));
        }
    }

    private Scripts.Result replace(String... arguments) throws Exception {
        ServerProcess asked = ensemble.server(1);
        List<String> all = new ArrayList<>(List.of("replace"));
        all.addAll(List.of(arguments));
        all.add(asked.configFile().toString());
        return Scripts.run(SCRIPT_LIMIT_SECONDS, asked.directory(), "zkServer.sh", all.toArray(String[]::new));
    }

    private static void assertRefused(Scripts.Result result, String... words) {
        assertTrue(result.toString(), result.exitCode() != 0);
        for (String word : words) {
            assertTrue(result.toString(), result.errors().contains(word));
        }
    }

    /** The new machine has another link port and empty directories. */
    @Test
    public void lostServer_isReplacedByOneCommandUnderLoad() throws Exception {
        ServerProcess lost = ensemble.server(3);
        Path auth = ensemble.server(1).directory().resolve("super");
        Files.writeString(auth, "digest " + Ensemble.SUPER_USER + "\n");
        int port = FreePorts.next();
        String with = "127.0.0.1:" + port + ":" + FreePorts.next() + ";127.0.0.1:" + lost.clientPort();
        try (LoadGenerator load = new LoadGenerator(ensemble, List.of(ensemble.server(1), ensemble.server(2)));
                ZooKeeperAdmin admin = Clients.admin(ensemble.server(1).connectString())) {
            awaitFirstConfiguration(admin);
            load.start();
            load.awaitProgress(WRITES);
            String before = text(admin.getConfig(false, null));
            assertRefused(replace("3", "--with", with, "--yes"), "it is not lost", "nothing was changed");
            lost.kill();
            assertRefused(replace("7", "--with", with, "--yes"), "server.7 is not one of the ensemble's");
            assertRefused(replace("3", "--with", "nonsense", "--yes"), "HOST:PORT:PORT");
            assertRefused(replace("3", "--with", with, "--yes"), "--auth-file", "nothing was changed");
            Scripts.Result asked = replace("3", "--with", with, "--auth-file", auth.toString());
            assertEquals(asked.toString(), 1, asked.exitCode());
            assertTrue(asked.toString(), asked.output().contains("Nothing has been changed. To do it, add --yes."));
            assertEquals(before, text(admin.getConfig(false, null)));
            Scripts.Result done = replace("3", "--with", with, "--auth-file", auth.toString(), "--yes");
            assertEquals(done.toString(), 0, done.exitCode());

            lost.emptyData();
            Map<String, String> lines = new TreeMap<>();
            done.output()
                    .lines()
                    .map(String::strip)
                    .filter(line -> line.startsWith("server."))
                    .forEach(line ->
                            lines.put(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1)));
            assertEquals(3, lines.size());
            lines.put("clientPort", null);
            lines.put("clientPortAddress", null);
            lines.replaceAll((key, value) -> value != null && !value.contains(";")
                    ? value + ";127.0.0.1:"
                            + ensemble.server(Integer.parseInt(key.substring(7)))
                                    .clientPort()
                    : value);
            lost.configure(lines);
            lost.start();
            lost.awaitServing();
            load.awaitProgress(WRITES);
            ensemble.server(2).kill();
            load.awaitProgress(WRITES);
            ensemble.server(2).start();
            ensemble.server(2).awaitServing();
            load.stop();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
            assertTrue(isOpen(port));
            try (ZooKeeper client = Clients.connect(lost.connectString())) {
                assertFalse(text(client.getConfig(false, null)).equals(before));
            }
        }
    }
}
