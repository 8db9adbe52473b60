package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.FreePorts;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.release.Release;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.EphemeralType;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The AdminServer port: readiness, the status page and the commands, at replica 3 of three. */
public class AdminServerTest {
    private static final int SERVED = 3;

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TestEnsemble ensemble;
    private static int port;

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeClass
    public static void startEnsemble() throws Exception {
        port = FreePorts.next();
        Map<String, String> settings = new HashMap<>();
        settings.put("admin.serverAddress", "127.0.0.1");
        settings.put("admin.rateLimiterIntervalInMS", "1");
        settings.put("admin.serverPort", Integer.toString(port));
        ensemble = new TestEnsemble(FOLDER.getRoot().toPath(), 3, ReadConsistency.LINEARIZABLE, settings);
        ensemble.start(1);
        ensemble.start(2);
        ensemble.set("admin.enableServer", "true");
        ensemble.start(SERVED);
        for (int id = 1; id <= 3; id++) {
            ensemble.awaitServing(id);
        }
    }

    @Before
    public void elect() {
        ensemble.order().elect(1);
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        ensemble.close();
    }

    private HttpResponse<String> get(String path) {
        return send(request(path).build());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (Exception e) {
            throw new AssertionError(request.uri() + ": " + e, e);
        }
    }

    private JsonNode json(String path) throws Exception {
        return new ObjectMapper().readTree(get(path).body());
    }

    private void assertOk(String path) {
        HttpResponse<String> answer = get(path);
        assertEquals(answer.body(), 200, answer.statusCode());
        assertEquals("ok", answer.body().trim());
    }

    @Test
    public void healthyReplica_isReady_andOneThatIsCutOffIsNot() throws Exception {
        assertOk("/live");
        assertOk("/ready");
        assertOk("/ready?write");
        ensemble.order().setCutOff(SERVED, true);
        TestEnsemble.await("not ready", () -> get("/ready").statusCode() == 503);
        assertTrue(get("/ready").body().contains("leader"));
        assertEquals(503, get("/ready?write").statusCode());
        assertOk("/live");
        JsonNode report = json("/status.json");
        assertFalse(report.get("serving").asBoolean());
        assertTrue(report.get("alarms").toString().contains("Not ready"));
        ensemble.order().setCutOff(SERVED, false);
        TestEnsemble.await("ready again", () -> get("/ready?write").statusCode() == 200);
    }

    @Test
    public void noOpOfReadiness_changesNoTransactionNumber() throws Exception {
        ensemble.awaitEqualPositions();
        long zxid = ensemble.server(SERVED).getZKDatabase().getDataTreeLastProcessedZxid();
        assertOk("/ready?write");
        ensemble.awaitEqualPositions();
        assertEquals(zxid, ensemble.server(SERVED).getZKDatabase().getDataTreeLastProcessedZxid());
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    @Test
    public void statusPage_isOneFileOfThisServer() throws Exception {
        for (String path : new String[] {"/", "/status"}) {
            HttpResponse<String> page = get(path);
            assertEquals(200, page.statusCode());
            assertTrue(page.body().contains("<title>Chainkeeper</title>"));
            assertFalse("nothing from elsewhere", page.body().contains("://"));
            assertFalse("all parts are there", page.body().contains("@include"));
            String policy = page.headers().firstValue("Content-Security-Policy").orElseThrow();
            assertTrue(policy, policy.contains("script-src 'sha256-") && !policy.contains("unsafe"));
            assertEquals(
                    "nosniff",
                    page.headers().firstValue("X-Content-Type-Options").orElseThrow());
            assertEquals("no-store", page.headers().firstValue("Cache-Control").orElseThrow());
        }
        JsonNode report = json("/status.json");
        assertEquals(3, report.get("members").size());
        assertEquals("leader", report.get("members").get(0).get("role").asText());
        assertEquals(1, report.get("chain").get(0).asInt());
        assertEquals(404, get("/elsewhere").statusCode());
        assertEquals("off by default", 404, get("/tree").statusCode());
        assertEquals(404, get("/tree/node.json").statusCode());
        assertFalse(report.get("shows_tree").asBoolean());
    }

    @Test
    public void systemProperties_areShownWithoutSecrets() throws Exception {
        Map<String, String> secrets = Map.of(
                "zookeeper.ssl.keyStore.password", "of-the-store",
                "zookeeper.ssl.quorum.trustStore.password", "of-the-links",
                "javax.net.ssl.keyStorePassword", "of-the-jvm",
                "zookeeper.DigestAuthenticationProvider.superDigest", "super:of-the-user");
        Map<String, String> before = new HashMap<>();
        secrets.forEach((name, value) -> before.put(name, System.setProperty(name, value)));
        try {
            for (String command : new String[] {"system_properties", "sysp"}) {
                JsonNode shown = json("/commands/" + command);
                assertTrue(shown.toString(), shown.get("error").isNull());
                assertEquals("system_properties", shown.get("command").asText());
                assertEquals(
                        System.getProperty("java.version"),
                        shown.get("java.version").asText());
                secrets.forEach((name, value) -> {
                    assertEquals(name, "(not shown)", shown.get(name).asText());
                    assertFalse(name, shown.toString().contains(value));
                });
            }
        } finally {
            before.forEach((name, value) -> {
                System.clearProperty(name);
                if (value != null) {
                    System.setProperty(name, value);
                }
            });
        }
    }

    @Test
    public void history_hasAColumnForEachQuantity() throws Exception {
        TestEnsemble.await("a point", () -> !get("/status/history.json").body().contains("\"age_millis\":[]"));
        JsonNode history = json("/status/history.json");
        int points = history.get("age_millis").size();
        for (String column : new String[] {
            "executed_per_second",
            "own_per_second",
            "forced_per_second",
            "write_micros_p50",
            "write_micros_p99",
            "read_micros_p50",
            "read_micros_p99",
            "heap_bytes"
        }) {
            assertEquals(column, points, history.get(column).size());
        }
        assertEquals(900_000, history.get("span_millis").asInt());
        assertTrue(history.get("heap_bytes").get(0).asLong() > 0);
        assertEquals(
                points, history.get("lag_millis").get(Integer.toString(SERVED)).size());
    }

    private JsonNode heardOf(int member) {
        try {
            JsonNode members = new ObjectMapper()
                    .readTree(get("/status/ensemble.json").body())
                    .get("members");
            JsonNode heard = members.get(member - 1);
            assertEquals(member, heard.get("id").asInt());
            return heard;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    public void ensemble_everyMemberSpeaksForItself() throws Exception {
        for (int id = 1; id <= 3; id++) {
            int member = id;
            String state = id == 1 ? "leader" : "follower";
            TestEnsemble.await("server " + id + " says that all is well", () -> {
                JsonNode says = heardOf(member).get("says");
                return says.path("serving").asBoolean()
                        && state.equals(says.get("state").asText());
            });
            JsonNode heard = heardOf(id);
            assertTrue(heard.toString(), heard.get("trouble").isNull());
            assertEquals(1, heard.get("says").get("leader").asInt());
            assertEquals(Release.name(), heard.get("says").get("release").asText());
            assertEquals(0, heard.get("says").get("alarms").size());
            TestEnsemble.await("the load of server " + id, () -> {
                heardOf(member);
                return get("/status/history.json?member=" + member).statusCode() == 200;
            });
            assertEquals(
                    id,
                    json("/status/history.json?member=" + id).get("server_id").asInt());
        }
        for (String nobody : new String[] {"7", "0x1", "%20", "99999999999"}) {
            assertEquals(503, get("/status/history.json?member=" + nobody).statusCode());
        }
    }

    @Test
    public void commands_knowTheRoleInTheOrder() throws Exception {
        TestEnsemble.await(
                "follower", () -> "follower".equals(ensemble.server(SERVED).getState()));
        JsonNode leader = json("/commands/leader");
        assertFalse(leader.get("is_leader").asBoolean());
        assertEquals(1, leader.get("leader_id").asInt());
        assertEquals("127.0.0.1", leader.get("leader_ip").asText());
        assertFalse(json("/commands/srvr").has("proposal_stats"));
        ensemble.order().elect(SERVED);
        TestEnsemble.await(
                "leader", () -> "leader".equals(ensemble.server(SERVED).getState()));
        TestEnsemble.await("its peer knows", () -> ensemble.peer(SERVED).getLeaderId() == SERVED);
        assertTrue(json("/commands/leader").get("is_leader").asBoolean());
        assertTrue(json("/commands/zabstate").get("is_leader").asBoolean());
        assertEquals("broadcast", json("/commands/zabstate").get("zabstate").asText());
        JsonNode stat = json("/commands/stat");
        assertEquals("leader", stat.get("server_stats").get("server_state").asText());
        assertTrue(stat.has("proposal_stats"));
        assertTrue(stat.has("connections"));
        assertEquals("leader", json("/commands/monitor").get("server_state").asText());
        assertEquals(0, json("/commands/observers").get("synced_observers").asInt());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private HttpResponse<String> restore(byte[] snapshot, String user) {
        HttpRequest.Builder request =
                request("/commands/restore").POST(HttpRequest.BodyPublishers.ofByteArray(snapshot));
        return send(
                user == null
                        ? request.build()
                        : request.header("Authorization", user).build());
    }

    /** Clients are not told. */
    private static EphemeralType kind(String path) {
        DataNode node = ensemble.server(3).getZKDatabase().getDataTree().getNode(path);
        return EphemeralType.get(node.stat.getEphemeralOwner());
    }

    /** What there is when the snapshot is taken. */
    private static void createThen(ZooKeeper client) throws Exception {
        client.create("/kept", bytes("then"), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/gone", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/gone/child", bytes("deep"), Ids.READ_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/container", null, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
        client.create("/container/child", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/kind", null, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
        client.create("/kind/child", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/queue", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        for (int i = 0; i < 700; i++) {
            client.create("/queue/n-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);
        }
    }

    private static void changeEverything(ZooKeeper client) throws Exception {
        client.setData("/kept", bytes("now"), -1);
        client.setACL("/kept", Ids.READ_ACL_UNSAFE, -1);
        client.delete("/gone/child", -1);
        client.delete("/gone", -1);
        client.delete("/container/child", -1);
        for (String child : client.getChildren("/queue", false)) {
            client.delete("/queue/" + child, -1);
        }
        client.delete("/queue", -1);
        client.delete("/kind/child", -1);
        client.delete("/kind", -1);
        client.create("/kind", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/kind/now", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/surplus", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/surplus/child", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    }

    @Test
    public void restore_bringsASnapshotBackInAllReplicasWhileClientsStay() throws Exception {
        try (ZooKeeper client = ensemble.client(1);
                ZooKeeper witness = ensemble.client(3)) {
            createThen(client);
            ensemble.awaitEqualPositions();
            HttpResponse<byte[]> snapshot = http.send(
                    request("/commands/snapshot")
                            .header("Authorization", "digest root:root")
                            .build(),
                    BodyHandlers.ofByteArray());
            assertEquals(200, snapshot.statusCode());
            String zxid = snapshot.headers().firstValue("last_zxid").orElseThrow();
            changeEverything(client);
            Stat last = new Stat();
            CountDownLatch changed = new CountDownLatch(1);
            witness.getData("/kept", event -> changed.countDown(), last);

            assertTrue(restore(new byte[10], null).statusCode() >= 400);
            byte[] broken = snapshot.body().clone();
            broken[broken.length / 2] ^= 1;
            for (byte[] wrong : List.of(new byte[10], broken, Arrays.copyOf(snapshot.body(), broken.length / 2))) {
                HttpResponse<String> refused = restore(wrong, "digest root:root");
                assertEquals(refused.body(), 500, refused.statusCode());
                assertTrue(refused.body(), refused.body().contains("nothing was changed"));
            }
            assertEquals("now", new String(client.getData("/kept", false, null), StandardCharsets.UTF_8));

            HttpResponse<String> restored = restore(snapshot.body(), "digest root:root");
            assertEquals(restored.body(), 200, restored.statusCode());
            assertEquals(
                    Long.decode(zxid).longValue(),
                    new ObjectMapper()
                            .readTree(restored.body())
                            .get("last_zxid")
                            .asLong());
            assertTrue("watches fire", changed.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
            Stat stat = new Stat();
            assertEquals("then", new String(witness.getData("/kept", false, stat), StandardCharsets.UTF_8));
            assertTrue("zxids go on", stat.getMzxid() > last.getMzxid());
            assertEquals(Ids.OPEN_ACL_UNSAFE, witness.getACL("/kept", null));
            assertEquals("deep", new String(witness.getData("/gone/child", false, null), StandardCharsets.UTF_8));
            assertEquals(Ids.READ_ACL_UNSAFE, witness.getACL("/gone/child", null));
            assertNull(witness.exists("/surplus", false));
            assertNotNull("the session goes on", witness.exists("/mine", false));
            assertNotNull(witness.exists("/container/child", false));
            assertEquals(EphemeralType.CONTAINER, kind("/kind"));
            assertEquals(List.of("child"), witness.getChildren("/kind", false));
            assertEquals(700, witness.getChildren("/queue", false).size());
            assertEquals(
                    "/queue/n-0000000700",
                    client.create("/queue/n-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL));
        }
        ensemble.awaitEqualPositions();
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    @Test
    public void snapshotOfTheAdminServer_startsAnotherEnsemble() throws Exception {
        try (ZooKeeper client = ensemble.client(1)) {
            client.create("/started-from", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        ensemble.awaitEqualPositions();
        Path taken = ensemble.server(SERVED).takeSnapshot(false, false).toPath();
        try (TestEnsemble restored =
                new TestEnsemble(FOLDER.newFolder("restored").toPath(), 3)) {
            for (int id = 1; id <= 3; id++) {
                Path files = restored.dataDirectory(id).resolve("version-2");
                Files.createDirectories(files);
                Files.copy(taken, files.resolve(taken.getFileName()));
            }
            restored.startAll();
            assertNotNull(restored.client(2).exists("/started-from", false));
            EnsembleChecks.assertReplicasEqual(restored, 3);
        }
    }
}
