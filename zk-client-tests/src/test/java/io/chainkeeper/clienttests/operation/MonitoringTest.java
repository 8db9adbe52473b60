package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.AdminClient;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.FourLetterWord;
import io.chainkeeper.clienttests.harness.RawConnection;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.Shape;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.AfterClass;
import org.junit.Assume;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.RuleChain;
import org.junit.rules.TestRule;

/**
 * Programs that watch ZooKeeper find in an ensemble what they know: every four-letter word and every AdminServer
 * command is asked at the leader and at a follower, of this ensemble and of one of stock Apache ZooKeeper, and the
 * answers must have the same shape.
 */
public class MonitoringTest {
    private static final int MAX_CONNECTIONS = 12;
    private static final String ROOT = "/monitored";
    private static final String PROMETHEUS_CLASS = "org.apache.zookeeper.metrics.prometheus.PrometheusMetricsProvider";
    private static final String PROMETHEUS_PORT = "metricsProvider.httpPort";
    private static final int LAST_LINES = 400;
    private static final Set<String> DEPEND_ON_THE_ROLE =
            Set.of("leader", "monitor", "observers", "server_stats", "stats", "zabstate", "dump");
    private static final Duration PAGE_LIMIT = Duration.ofSeconds(60);

    private static final Ensemble OURS = build("monitoring").build();
    private static final Ensemble STOCK =
            build("monitoring-stock").set("ordering.protocol", "zab").build();

    /** Both run as long as this class. */
    @ClassRule
    public static final TestRule SERVERS =
            RuleChain.outerRule(OURS.startedByTheTest()).around(STOCK.startedByTheTest());

    @Rule
    public final TestRule limit = OURS.testLimit(240);

    private static boolean restartedWithPrometheus;
    private static final List<ZooKeeper> CLIENTS = new ArrayList<>();

    private static Ensemble.Builder build(String name) {
        return Ensemble.named(name)
                .superUser()
                .set("admin.enableServer", "true")
                .set("admin.serverAddress", "127.0.0.1")
                .set("audit.enable", "true")
                .set("maxClientCnxns", Integer.toString(MAX_CONNECTIONS))
                .port(AdminClient.PORT)
                // Which server leads decides what is compared, so it stays, however busy the machine is.
                .suspicionTimeoutMillis(20_000);
    }

    /** A pair of servers with the same role. */
    private record Pair(String role, ServerProcess ours, ServerProcess stock) {}

    private static List<Pair> pairs() throws Exception {
        ServerProcess leader = OURS.leader();
        ServerProcess stockLeader = STOCK.leader();
        return List.of(
                new Pair("leader", leader, stockLeader),
                new Pair(
                        "follower",
                        OURS.behind(leader).get(0),
                        STOCK.behind(stockLeader).get(0)));
    }

    /** Every server that is asked has a client with a watch and an ephemeral, so that there is something to show. */
    @BeforeClass
    public static void startAndConnect() throws Exception {
        Assume.assumeFalse("stock servers need not be compared with themselves", OURS.isStock());
        for (Ensemble ensemble : List.of(OURS, STOCK)) {
            ensemble.writeConfigurations();
            for (ServerProcess server : ensemble.servers()) {
                server.start();
            }
        }
        OURS.startAll();
        STOCK.startAll();
        for (Pair pair : pairs()) {
            for (ServerProcess server : List.of(pair.ours(), pair.stock())) {
                ZooKeeper client = Clients.connect(server.connectString());
                CLIENTS.add(client);
                String path = ROOT + "/" + pair.role();
                create(client, ROOT, CreateMode.PERSISTENT);
                client.create(path, new byte[10], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
                client.exists(path, event -> {});
                // The leader has to have noticed that the others follow.
                Await.until(
                        "server " + server.id() + " knows its role",
                        PAGE_LIMIT,
                        () -> pair.role().equals(server.mode()));
            }
        }
    }

    private static void create(ZooKeeper client, String path, CreateMode mode) throws Exception {
        if (client.exists(path, false) == null) {
            client.create(path, null, Ids.OPEN_ACL_UNSAFE, mode);
        }
    }

    @AfterClass
    public static void disconnect() throws Exception {
        for (ZooKeeper client : CLIENTS) {
            client.close();
        }
    }

    @Test
    public void fourLetterWords_haveTheStockShape() throws Exception {
        String[] words = {
            "srvr", "stat", "cons", "wchs", "wchc", "wchp", "ruok", "isro", "gtmk", "dirs", "hash", "crst", "srst"
        };
        List<String> differences = new ArrayList<>();
        for (Pair pair : pairs()) {
            for (String word : words) {
                compare(
                        differences,
                        pair.role() + " " + word,
                        Shape.ofText(FourLetterWord.ask(pair.stock(), word)),
                        Shape.ofText(FourLetterWord.ask(pair.ours(), word)));
            }
            assertEquals(lineNames(pair.stock()), lineNames(pair.ours()));
            for (String word : new String[] {"conf", "envi"}) {
                compare(
                        differences,
                        pair.role() + " " + word,
                        Shape.keys(FourLetterWord.ask(pair.stock(), word), "="),
                        Shape.keys(FourLetterWord.ask(pair.ours(), word), "="));
            }
        }
        // ZooKeeper's leader shows when sessions expire, which here their own servers know; its followers show this.
        ServerProcess stockFollower = pairs().get(1).stock();
        for (Pair pair : pairs()) {
            compare(
                    differences,
                    pair.role() + " dump",
                    Shape.ofText(withoutConnections(FourLetterWord.ask(stockFollower, "dump"))),
                    Shape.ofText(FourLetterWord.ask(pair.ours(), "dump")));
        }
        assertEquals(String.join("\n", differences), 0, differences.size());
    }

    /** ZooKeeper's NIO connections, its default, list themselves at the end; its Netty connections, ours, do not. */
    private static String withoutConnections(String dump) {
        String heading = "Connections dump:\n";
        int end = dump.indexOf(heading);
        assertTrue(dump, end >= 0);
        return dump.substring(0, end + heading.length());
    }

    /** Some scripts go by the place of a line in the answer. */
    private static List<String> lineNames(ServerProcess server) throws IOException {
        return FourLetterWord.ask(server, "srvr")
                .lines()
                .map(line -> line.replaceAll(":.*", ""))
                .toList();
    }

    @Test
    public void mntr_timesOfPreparationAreTimes() throws Exception {
        for (Pair pair : pairs()) {
            long most = FourLetterWord.ask(pair.ours(), "mntr")
                    .lines()
                    .filter(line -> line.startsWith("zk_max_prep_process_time\t"))
                    .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf('\t') + 1)))
                    .findFirst()
                    .orElseThrow();
            assertTrue("preparing one request took " + most + " ms", most < 60_000);
        }
    }

    @Test
    public void mntr_hasTheStockNamesAndOurOwn() throws Exception {
        List<String> differences = new ArrayList<>();
        for (Pair pair : pairs()) {
            SortedSet<String> ours = Shape.keys(FourLetterWord.ask(pair.ours(), "mntr"), "\t");
            assertTrue(ours.removeIf(name -> name.contains("_ordering_")));
            SortedSet<String> stock = Shape.keys(FourLetterWord.ask(pair.stock(), "mntr"), "\t");
            stock.removeIf(MonitoringTest::isOfAnotherProtocol);
            compare(differences, pair.role(), stock, ours);
        }
        assertEquals(String.join("\n", differences), 0, differences.size());
    }

    @Test
    public void adminCommands_haveTheStockShape() throws Exception {
        List<String> differences = new ArrayList<>();
        SortedSet<String> commands = new TreeSet<>();
        for (String line : AdminClient.get(AdminClient.address(STOCK.server(1), "/commands"))
                .body()
                .split("\n")) {
            if (line.contains(">")) {
                commands.add(line.replaceAll("<a href=\"[^\"]*\">|</a>", "").trim());
            }
        }
        commands.remove("<br/>");
        commands.remove("system_properties");
        for (Pair pair : pairs()) {
            commands.removeIf(command -> pair.role().equals("follower") && !DEPEND_ON_THE_ROLE.contains(command));
            for (String command : commands) {
                SortedSet<String> ours = Shape.ofJson(AdminClient.command(pair.ours(), command));
                ours.removeIf(path -> path.contains("ordering_"));
                // Here every server knows when its own clients' sessions expire; ZooKeeper's followers show none.
                ours.removeIf(path -> path.startsWith("/expiry_time_to_session_ids/#"));
                SortedSet<String> stock = Shape.ofJson(AdminClient.command(pair.stock(), command));
                stock.removeIf(path -> path.startsWith("/expiry_time_to_session_ids/#"));
                stock.removeIf(MonitoringTest::isOfAnotherProtocol);
                compare(differences, pair.role() + " " + command, stock, ours);
            }
        }
        assertEquals(String.join("\n", differences), 0, differences.size());
    }

    @Test
    public void ourMetrics_areAllDocumented() throws Exception {
        SortedSet<String> documented = MetricsDocument.metrics(Ensemble.defaultProtocol());
        SortedSet<String> registered = new TreeSet<>();
        for (String name : Shape.keys(FourLetterWord.ask(OURS.leader(), "mntr"), "\t")) {
            if (name.contains("ordering_")) {
                registered.add(name.replaceAll("zk_([0-9]+_)?", ""));
            }
        }
        assertEquals(documented, registered);
    }

    /** The follower that is compared with nobody. */
    private static ServerProcess last() throws Exception {
        return OURS.behind(OURS.leader()).get(1);
    }

    private static void restartWithPrometheus(ServerProcess server) throws Exception {
        if (!restartedWithPrometheus) {
            Files.write(
                    server.configFile(),
                    List.of(
                            "metricsProvider.className=" + PROMETHEUS_CLASS,
                            "metricsProvider.httpHost=127.0.0.1",
                            PROMETHEUS_PORT + "=" + server.port(PROMETHEUS_PORT)),
                    StandardOpenOption.APPEND);
        }
        restartedWithPrometheus = true;
        OURS.startAll();
    }

    @Test
    public void prometheus_getsEverything() throws Exception {
        ServerProcess server = last();
        if (!restartedWithPrometheus) {
            server.kill();
            restartWithPrometheus(server);
        }
        URI metrics = URI.create("http://127.0.0.1:" + server.port(PROMETHEUS_PORT) + "/metrics");
        for (String name : List.of(
                "znode_count ",
                "quorum_size ",
                "synced_observers ",
                "ordering_applied_position ",
                "ordering_fsync_micros_avg ",
                "ordering_member_acknowledged{key=\"" + server.id() + "\",}",
                "jvm_threads_current ")) {
            // What is known of the members comes with the first look at the order, a moment after the start.
            Await.until(name, PAGE_LIMIT, () -> AdminClient.get(metrics).body().contains("\n" + name));
        }
    }

    /** Every metric that is documented, and every one that alerts and dashboard ask for. */
    @Test
    public void prometheus_getsWhatIsWatched() throws Exception {
        ServerProcess server = last();
        if (!restartedWithPrometheus) {
            server.kill();
            restartWithPrometheus(server);
        }
        SortedSet<String> wanted = MetricsDocument.metrics(Ensemble.defaultProtocol());
        SortedSet<String> ofOtherProtocols = new TreeSet<>();
        for (MetricsDocument.Row row : MetricsDocument.rows()) {
            ofOtherProtocols.addAll(row.metrics());
        }
        ofOtherProtocols.removeAll(wanted);
        wanted.addAll(MonitoringFiles.metrics());
        wanted.removeAll(ofOtherProtocols);
        URI metrics = URI.create("http://127.0.0.1:" + server.port(PROMETHEUS_PORT) + "/metrics");
        SortedSet<String> missing = new TreeSet<>(wanted);
        // What is known of the members comes with the first look at the order, a moment after the start.
        Await.until("all of " + wanted, PAGE_LIMIT, () -> {
            AdminClient.get(metrics).body().lines().forEach(line -> missing.remove(line.split("[{ ]", 2)[0]));
            return missing.isEmpty();
        });
    }

    @Test
    public void auditLog_hasTheStockLines() throws Exception {
        assertEquals(auditOf(STOCK.server(1)), auditOf(OURS.server(1)));
    }

    /** What this server's audit log says of one session that does one of each. */
    private static List<String> auditOf(ServerProcess server) throws Exception {
        try (ZooKeeper client = Clients.connect(server.connectString())) {
            client.create("/audit", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            client.setData("/audit", new byte[3], -1);
            client.setACL("/audit", Ids.READ_ACL_UNSAFE, -1);
            assertThrows(KeeperException.NoAuthException.class, () -> client.setData("/audit", null, -1));
            assertThrows(KeeperException.NoNodeException.class, () -> client.delete("/absent", -1));
            client.multi(List.of(
                    Op.create("/audit2", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL),
                    Op.setData("/audit2", null, 0)));
            client.delete("/audit", -1);
        }
        String end = "operation=ephemeralZNodeDeletionOnSessionCloseOrExpire\tznode=/audit2\tresult=success";
        List<String> lines = new ArrayList<>();
        Await.until("the end of the session is in the audit log", PAGE_LIMIT, () -> {
            lines.clear();
            for (String line : server.lastLogLines(LAST_LINES)) {
                if (line.contains("operation=") && line.contains("/a")) {
                    lines.add(line.substring(line.indexOf("session=")).replaceAll("0x[0-9a-f]+", "#"));
                }
            }
            return lines.stream().anyMatch(line -> line.endsWith(end));
        });
        return lines;
    }

    @Test
    public void connectionsOfAnAddress_areLimited() throws Exception {
        for (ServerProcess server : List.of(OURS.server(2), STOCK.server(2))) {
            List<RawConnection> open = new ArrayList<>();
            try {
                assertThrows(IOException.class, () -> {
                    while (open.size() <= MAX_CONNECTIONS) {
                        open.add(RawConnection.open(server, Clients.SESSION_TIMEOUT_MILLIS));
                    }
                });
                assertTrue(open.size() + " connections", open.size() >= MAX_CONNECTIONS / 2);
            } finally {
                for (RawConnection connection : open) {
                    connection.close();
                }
            }
            Await.until("others are let in again", PAGE_LIMIT, () -> server.mode() != null);
        }
    }

    /** Per learner, and only after traffic: the queues of a ZooKeeper leader. Ours: {@code ordering_member_...}. */
    private static boolean isOfAnotherProtocol(String name) {
        return name.contains("_learner_handler_qp_");
    }

    private static void compare(List<String> differences, String what, Set<String> stock, Set<String> ours) {
        SortedSet<String> missing = new TreeSet<>(stock);
        missing.removeAll(ours);
        SortedSet<String> more = new TreeSet<>(ours);
        more.removeAll(stock);
        if (!missing.isEmpty() || !more.isEmpty()) {
            differences.add(what + ": missing " + missing + ", unknown to ZooKeeper " + more);
        }
    }
}
