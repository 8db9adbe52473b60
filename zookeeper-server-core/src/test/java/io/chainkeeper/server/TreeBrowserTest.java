package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.FreePorts;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The browser of the tree shows what ZooKeeper's clients may see, and no more. */
public class TreeBrowserTest {
    private static final int PAGE_CHILDREN = 200;
    private static final String READER = "reader:password:2";
    private static final String OWNER = "owner:secret";

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TestEnsemble ensemble;
    private static ZooKeeper client;
    private static int port;

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeClass
    public static void start() throws Exception {
        port = FreePorts.next();
        Map<String, String> settings = new HashMap<>();
        settings.put("admin.enableServer", "true");
        settings.put("admin.serverAddress", "127.0.0.1");
        settings.put("admin.serverPort", Integer.toString(port));
        settings.put("admin.tree.enabled", "true");
        ensemble = new TestEnsemble(FOLDER.getRoot().toPath(), 1, ReadConsistency.LINEARIZABLE, settings);
        ensemble.startAll();
        client = ensemble.client(1);
    }

    @AfterClass
    public static void stop() throws Exception {
        ensemble.close();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private HttpResponse<String> get(String address, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + address));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    /** As the page does it: one character for each byte. */
    private static String authorization(String user) {
        return "digest " + new String(user.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private JsonNode node(String path, String... headers) throws Exception {
        HttpResponse<String> answer = get("/tree/node.json?path=" + encoded(path), headers);
        assertEquals(answer.body(), 200, answer.statusCode());
        return new ObjectMapper().readTree(answer.body());
    }

    private JsonNode node(String path, String user) throws Exception {
        return node(path, "Authorization", authorization(user));
    }

    private static ACL entry(int permissions, String user) throws Exception {
        return new ACL(permissions, new Id("digest", DigestAuthenticationProvider.generateDigest(user)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    public void openNode_isShownToAnybody() throws Exception {
        client.create("/open", bytes("data \u00e4"), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/open/child", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        JsonNode shown = node("/open");
        assertTrue(shown.get("may_read").asBoolean());
        assertArrayEquals(bytes("data \u00e4"), shown.get("data").binaryValue());
        assertEquals("[\"child\"]", shown.get("children").toString());
        assertTrue(shown.get("next").isNull());
        assertEquals(
                "[{\"scheme\":\"world\",\"id\":\"anyone\",\"permissions\":\"rwcda\"}]",
                shown.get("acl").toString());
        assertEquals(1, shown.get("stat").get("num_children").asInt());
        assertEquals(
                "0x" + Long.toHexString(client.getSessionId()),
                node("/open/child").get("stat").get("ephemeral_owner").asText());
        assertTrue(node("/open/child").get("data").isNull());
    }

    @Test
    public void closedNode_isShownToThoseWhoMayReadItOnly() throws Exception {
        List<ACL> list = Arrays.asList(entry(Perms.READ, READER), entry(Perms.ALL, OWNER));
        client.create("/closed", bytes("hidden"), list, CreateMode.PERSISTENT);
        for (JsonNode shown : List.of(node("/closed"), node("/closed", "reader:guessed"), node("/closed", "x:y"))) {
            assertFalse(shown.get("may_read").asBoolean());
            assertEquals(6, shown.get("stat").get("data_length").asInt());
            assertTrue(shown.get("acl").isNull());
            assertFalse(shown.toString(), shown.has("data") || shown.has("children"));
        }
        JsonNode read = node("/closed", READER);
        assertArrayEquals(bytes("hidden"), read.get("data").binaryValue());
        assertEquals("reader:x", read.get("acl").get(0).get("id").asText());
        assertEquals("r", read.get("acl").get(0).get("permissions").asText());
        JsonNode owned = node("/closed", OWNER);
        assertEquals(
                list.get(0).getId().getId(), owned.get("acl").get(0).get("id").asText());
    }

    @Test
    public void names_areTextWhateverTheyAre() throws Exception {
        String name = "<img src=x onerror=alert(1)>\"'&\u202egnp.\u00e4\u20ac %2F?#";
        client.create("/names", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/names/" + name, bytes("</script><b>"), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertEquals(name, node("/names").get("children").get(0).asText());
        HttpResponse<String> answer = get("/tree/node.json?path=" + encoded("/names/" + name));
        assertEquals(200, answer.statusCode());
        Map<String, String> wanted = Map.of(
                "Content-Type", "application/json;charset=utf-8",
                "X-Content-Type-Options", "nosniff",
                "Cache-Control", "no-store",
                "Cross-Origin-Resource-Policy", "same-origin");
        wanted.forEach((header, value) ->
                assertEquals(value, answer.headers().firstValue(header).orElseThrow()));
        assertFalse(answer.headers().firstValue("Access-Control-Allow-Origin").isPresent());
        HttpResponse<String> page = get("/tree");
        String policy = page.headers().firstValue("Content-Security-Policy").orElseThrow();
        assertTrue(policy, policy.startsWith("default-src 'none'; script-src 'sha256-") && !policy.contains("unsafe"));
        assertFalse("nothing from elsewhere", page.body().contains("://"));
    }

    @Test
    public void manyChildrenAndMuchData_areShownInParts() throws Exception {
        client.create("/many", new byte[70_000], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        TreeSet<String> names = new TreeSet<>();
        List<Op> creations = new ArrayList<>();
        for (int i = 0; i < 2 * PAGE_CHILDREN + 1; i++) {
            names.add("n" + i);
            creations.add(Op.create("/many/n" + i, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        }
        client.multi(creations);
        List<String> seen = new ArrayList<>();
        JsonNode page = node("/many");
        assertEquals(65_536, Base64.getDecoder().decode(page.get("data").asText()).length);
        assertEquals(70_000, page.get("stat").get("data_length").asInt());
        for (int pages = 1; ; pages++) {
            assertTrue(page.get("children").size() <= PAGE_CHILDREN);
            page.get("children").forEach(child -> seen.add(child.asText()));
            if (page.get("next").isNull()) {
                assertEquals(3, pages);
                break;
            }
            String from = "&from=" + encoded(page.get("next").asText());
            page = new ObjectMapper()
                    .readTree(get("/tree/node.json?path=%2Fmany" + from).body());
        }
        assertEquals(List.copyOf(names), seen);
    }

    @Test
    public void whatCannotBeShown_isSaidInOneLine() throws Exception {
        assertRefused(404, "/tree/node.json?path=%2Fabsent");
        assertRefused(400, "/tree/node.json?path=relative");
        assertRefused(400, "/tree/node.json?path=%2Fa%2F..%2Fb");
        assertRefused(403, "/tree/node.json", "Sec-Fetch-Site", "cross-site");
        assertRefused(401, "/tree/node.json", "Authorization", "Basic dXNlcjpwYXNz");
        assertEquals(
                200, get("/tree/node.json", "Sec-Fetch-Site", "same-origin").statusCode());
        HttpRequest post = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/tree/node.json"))
                .POST(HttpRequest.BodyPublishers.ofString("path=/"))
                .build();
        assertEquals(405, http.send(post, BodyHandlers.ofString()).statusCode());
    }

    private void assertRefused(int status, String address, String... headers) throws Exception {
        HttpResponse<String> answer = get(address, headers);
        assertEquals(answer.body(), status, answer.statusCode());
        String problem =
                new ObjectMapper().readTree(answer.body()).get("problem").asText();
        assertTrue(problem, !problem.isEmpty() && problem.lines().count() == 1);
    }
}
