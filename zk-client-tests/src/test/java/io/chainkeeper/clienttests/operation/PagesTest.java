package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.chainkeeper.clienttests.harness.AdminClient;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Chromium;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.AfterClass;
import org.junit.Assume;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** The pages for people in a real browser. Skipped where none is installed. */
public class PagesTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Path SHOTS = Path.of("target");
    private static final int ALL_LINES = 100_000;
    private static final int[] WIDTHS = {360, 800, 1400};
    private static final String USER = "mouse";
    private static final String PASSWORD = "K\u00e4se:cheddar";

    /** Texts of one chart that stand on each other. */
    private static final String OVERLAPS = "[...document.querySelectorAll('figure > svg')].flatMap(svg => {"
            + " const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);"
            + " return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([b, q]) => p.left < q.right"
            + " && q.left < p.right && p.top < q.bottom && q.top < p.bottom).map(([b]) => a + ' on ' + b)); }).join()";

    private static final String IS_DRAWN =
            "[...document.querySelectorAll('figure .series')].some(s => s.getAttribute('d'))";

    private static final Ensemble SERVERS = Ensemble.named("pages")
            .set("admin.enableServer", "true")
            .set("admin.serverAddress", "127.0.0.1")
            .set("admin.tree.enabled", "true")
            .port(AdminClient.PORT)
            // A browser that starts takes the processors from all servers; who leads must stay all the same.
            .suspicionTimeoutMillis(20_000)
            .build();

    @ClassRule
    public static final TestRule RUNNING = SERVERS.startedByTheTest();

    private static Chromium page;

    @Rule
    public final TestRule limit = SERVERS.testLimit(240);

    @BeforeClass
    public static void start() throws Exception {
        Assume.assumeFalse("stock servers have no such pages", SERVERS.isStock());
        Optional<Path> browser = Chromium.find();
        if (browser.isEmpty()) {
            System.err.println("SKIPPED: nobody has looked at the pages, because this machine has no Chromium."
                    + " Install one (apt-get install chromium) or name it with -Dchromium=/path");
        }
        Assume.assumeTrue("no Chromium on this machine", browser.isPresent());
        SERVERS.start();
        page = Chromium.start(browser.get(), Path.of("target", "chromium-pages").toAbsolutePath());
    }

    @AfterClass
    public static void stop() throws Exception {
        if (page != null) {
            page.close();
        }
    }

    private static void await(String what, String condition) throws Exception {
        Await.until(what, LIMIT, () -> page.ask("String(" + condition + ")").equals("true"));
    }

    private static void awaitText(String selector, String text) throws Exception {
        Await.until(selector + " shows " + text, LIMIT, () -> textOf(selector).contains(text));
    }

    private static void awaitExactly(String selector, String text) throws Exception {
        Await.until(selector + " is " + text, LIMIT, () -> textOf(selector).equals(text));
    }

    private static String textOf(String selector) throws Exception {
        return page.ask("(document.querySelector('" + selector + "') || {}).textContent");
    }

    private static String cell(int member, int column) {
        return "#members tr:nth-child(" + member + ") td:nth-child(" + column + ")";
    }

    private static void assertNothingFromElsewhere() throws Exception {
        assertEquals(
                "everything comes from the server itself",
                "true",
                page.ask("String(performance.getEntriesByType('resource')"
                        + ".every(e => e.name.startsWith(location.origin)))"));
    }

    @Test
    public void statusPage_showsAllMembersAtEachOfThem() throws Exception {
        ServerProcess leader = SERVERS.leader();
        ServerProcess lost = SERVERS.behind(leader).get(1);
        for (ServerProcess server : SERVERS.servers()) {
            page.open(AdminClient.address(server, "/status"));
            for (ServerProcess member : SERVERS.servers()) {
                awaitText(cell(member.id(), 4), member == server ? "this server" : "answers");
                awaitText(cell(member.id(), 2), member == leader ? "leader" : "follower");
                awaitExactly(cell(member.id(), 3), "served");
                awaitExactly(cell(member.id(), 10), "0");
            }
            awaitText("#alarms", "none");
        }
        page.open(AdminClient.address(lost, "/status"));
        awaitText("#state", "follower, serving clients");
        awaitText("#fresh", "live");
        lost.kill();
        awaitText("#fresh", "no answer");
        page.open(AdminClient.address(leader, "/"));
        awaitText("#alarms", "No link to server " + lost.id());
        awaitText("#alarms", "Server " + lost.id() + " has not answered for");
        awaitText(cell(lost.id(), 4), "silent for");
        await("charts of the leader", IS_DRAWN);
        page.ask("at('charted').value = '" + lost.id() + "'; at('charted').dispatchEvent(new Event('change'))");
        await("no charts of the server that is lost", "!" + IS_DRAWN);
        SERVERS.startAll();
        await("charts of the server that is back", IS_DRAWN);
        lost.kill();
        await("no charts of the server that is lost again", "!" + IS_DRAWN);
        SERVERS.startAll();
        awaitText("#alarms", "none");
        assertEquals("server " + leader.id() + " (leader)", page.ask("at('chain').firstChild.textContent"));
        awaitProgressOf(leader);
        assertNothingFromElsewhere();
        String hostile = "<img src=x onerror=window.broken=1>";
        assertEquals(
                "0" + hostile,
                page.ask("fetch('/status.json').then(a => a.json()).then(r => { r.alarms = ['" + hostile
                        + "']; r.members[0].address = r.state = '" + hostile
                        + "'; said = {1: {silent_millis: 0, says: {"
                        + "state: '" + hostile + "', release: '" + hostile + "', alarms: ['" + hostile
                        + "']}}}; show(r);"
                        + " return document.querySelectorAll('img').length + at('alarms').firstChild.textContent; })"));
    }

    private static void awaitProgressOf(ServerProcess leader) throws Exception {
        String decided = "at('tiles').firstChild.lastChild.textContent.replaceAll(',', '')";
        long before = Long.parseLong(page.ask(decided));
        try (ZooKeeper client = Clients.connect(leader.connectString())) {
            client.create("/seen", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        Await.until("the page shows the write", LIMIT, () -> Long.parseLong(page.ask(decided)) > before);
    }

    /** Points in which writes of this server's clients have ended. */
    private static int measured(ServerProcess server) throws Exception {
        int measured = 0;
        for (JsonNode micros : AdminClient.json(AdminClient.address(server, "/status/history.json"))
                .get("write_micros_p99")) {
            measured += micros.isNull() ? 0 : 1;
        }
        return measured;
    }

    @Test
    public void charts_showWhatWasBeforeThePageWasOpened() throws Exception {
        ServerProcess server = SERVERS.server(1);
        try (ZooKeeper client = Clients.connect(server.connectString())) {
            client.create("/drawn", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            Await.until("writes are in the history", LIMIT, () -> {
                client.setData("/drawn", new byte[9], -1);
                return measured(server) > 1;
            });
        }
        page.open(AdminClient.address(server, "/status"));
        await("all charts are drawn", "document.querySelectorAll('figure > svg .series').length >= 9");
        assertTrue(page.ask("document.querySelector('figure .series').getAttribute('d')")
                .contains("L"));
        assertTrue(
                textOf("figure:nth-child(2) ul"),
                textOf("figure:nth-child(2) ul").matches("p50.+p99.+"));
        String[] back = new String[2];
        for (boolean dark : new boolean[] {false, true}) {
            for (int width : WIDTHS) {
                page.look(width, dark);
                await(
                        "the charts fit",
                        "[...document.querySelectorAll('figure > svg')].every(s =>"
                                + " Number(s.getAttribute('width')) === Math.max(220, s.parentNode.clientWidth))");
                assertEquals("at " + width, "", page.ask(OVERLAPS));
                assertEquals("at " + width, "true", page.ask("String(document.body.scrollWidth <= innerWidth)"));
                page.screenshot(SHOTS.resolve("status-page-" + width + (dark ? "-dark" : "-light") + ".png"));
            }
            back[dark ? 1 : 0] = page.ask("getComputedStyle(document.body).backgroundColor");
        }
        assertNotEquals(back[0], back[1]);
        assertEquals(
                "without data",
                "no data yet",
                page.ask("empty = {age_millis: [], span_millis: 900000, period_millis: 5000, executed_per_second: [],"
                        + " own_per_second: [], forced_per_second: [], write_micros_p50: [], write_micros_p99: [],"
                        + " read_micros_p50: [], read_micros_p99: [], lag_millis: {}, heap_bytes: [],"
                        + " heap_max_bytes: 1}, showHistory(empty, empty),"
                        + " document.querySelector('figure > svg > text:last-of-type').textContent"));
        assertEquals("", page.ask(OVERLAPS));
    }

    @Test
    public void treePage_showsHostileNamesAsText() throws Exception {
        ServerProcess server = SERVERS.server(2);
        String hostile = "<img src=x onerror=window.broken=1>\u202e'\"&%2F";
        try (ZooKeeper client = Clients.connect(server.connectString())) {
            client.addAuthInfo("digest", (USER + ":" + PASSWORD).getBytes(StandardCharsets.UTF_8));
            client.create("/pages", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            client.create(
                    "/pages/" + hostile,
                    hostile.getBytes(StandardCharsets.UTF_8),
                    Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT);
            client.create(
                    "/pages/binary", new byte[] {0, 'A', (byte) 0xff}, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            client.create(
                    "/pages/closed",
                    "cheese".getBytes(StandardCharsets.UTF_8),
                    Ids.CREATOR_ALL_ACL,
                    CreateMode.PERSISTENT);
        }
        page.open(AdminClient.address(server, "/tree"));
        awaitText("#children", "pages");
        click("pages");
        awaitText("#children", "closed");
        String shown = hostile.replace("\u202e", "\\u202e");
        assertTrue(textOf("#children"), textOf("#children").contains(shown));
        page.ask("document.querySelector('#children a').click()");
        awaitText("#data", shown);
        awaitText("#crumbs", shown);
        assertEquals("0", page.ask("String(document.querySelectorAll('img').length)"));
        assertEquals("undefined", page.ask("String(window.broken)"));
        for (int width : WIDTHS) {
            page.look(width, width == WIDTHS[0]);
            assertEquals("at " + width, "true", page.ask("String(document.body.scrollWidth <= innerWidth)"));
            page.screenshot(SHOTS.resolve("tree-page-" + width + ".png"));
        }
        page.ask("location.hash = '#/pages/binary'");
        awaitText("#data", "00 41 ff");
        page.ask("location.hash = '#/pages/closed'");
        awaitText("#problem", "You may not read");
        assertEquals("", textOf("#data"));
        page.ask("at('user').value = '" + USER + "'; at('password').value = '" + PASSWORD + "';"
                + " document.querySelector('#login button').click()");
        awaitText("#data", "cheese");
        awaitText("#acl", USER + ":");
        assertFalse(page.ask("location.href").contains(USER));
        assertEquals("", page.ask("at('password').value"));
        page.ask("at('forget').click()");
        awaitText("#problem", "You may not read");
        page.ask("location.hash = '#/absent'");
        awaitText("#problem", "there is no such znode");
        assertNothingFromElsewhere();
        List<String> log = server.lastLogLines(ALL_LINES);
        assertTrue("no credentials in the log", log.stream().noneMatch(line -> line.contains("cheddar")));
    }

    private static void click(String name) throws Exception {
        page.ask("[...document.querySelectorAll('#children a')].find(a => a.textContent === '" + name + "').click()");
    }
}
