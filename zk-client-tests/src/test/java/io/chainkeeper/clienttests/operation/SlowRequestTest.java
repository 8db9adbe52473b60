package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.chainkeeper.clienttests.harness.AdminClient;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** A server says where a slow request spent its time, and all servers together show the way of a command. */
public class SlowRequestTest {
    private static final int SLOW_MILLIS = 300;

    /** Longer than the second in which one line is logged, so that an earlier slow request does not take its place. */
    private static final Duration FAULT = Duration.ofMillis(1_500);

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long LIMIT_SECONDS = 30;
    private static final int LOG_LINES = 500;
    private static final double MICROS_PER_MILLI = 1_000;

    private final Ensemble three = build("slow-requests").servers(3).build();
    private final Ensemble one = build("slow-disk").servers(1).build();

    @Rule(order = 0)
    public final TestRule servers = three.startedByTheTest();

    @Rule(order = 1)
    public final TestRule server = one.startedByTheTest();

    @Rule(order = 2)
    public final TestRule limit = three.testLimit(180);

    /** Who is paused is not suspected. */
    private static Ensemble.Builder build(String name) {
        return Ensemble.named(name)
                .suspicionTimeoutMillis(20_000)
                .memberSilenceMillis(20_000)
                .set("standaloneEnabled", "false")
                .set("ordering.slowRequestMillis", Integer.toString(SLOW_MILLIS))
                .set("ordering.traceEvery", "1")
                .set("fsync.warningthresholdms", "200")
                .set("admin.enableServer", "true")
                .set("admin.serverAddress", "127.0.0.1")
                .port(AdminClient.PORT);
    }

    @Before
    public void ours() {
        Assume.assumeFalse("the stock server knows neither", three.isStock());
    }

    private static String line(ServerProcess server, String word) throws Exception {
        List<String> found = new ArrayList<>();
        Await.until("server " + server.id() + " logs " + word, LIMIT, () -> {
            server.lastLogLines(LOG_LINES).stream()
                    .filter(line -> line.contains(word))
                    .forEach(found::add);
            return !found.isEmpty();
        });
        return found.get(0);
    }

    private static CompletableFuture<Integer> write(ZooKeeper client, String path) {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        client.setData(path, new byte[10], -1, (code, at, context, stat) -> answer.complete(code), null);
        return answer;
    }

    private static JsonNode trace(ServerProcess server, String path) throws Exception {
        JsonNode[] found = new JsonNode[1];
        Await.until("server " + server.id() + " has a trace of setData " + path, LIMIT, () -> {
            for (JsonNode trace :
                    AdminClient.command(server, "traces?limit=1024").get("traces")) {
                if (trace.get("op").asText().equals("setData")
                        && trace.get("path").asText().equals(path)) {
                    found[0] = trace;
                }
            }
            return found[0] != null;
        });
        return found[0];
    }

    private static double millis(JsonNode trace, String from, String to) {
        JsonNode micros = trace.get("stages_micros");
        return (micros.get(to).asLong() - micros.get(from).asLong()) / MICROS_PER_MILLI;
    }

    @Test
    public void followersStandStill_theOtherServersAreBlamedAndAllShowTheCommand() throws Exception {
        three.start();
        ServerProcess leader = three.leader();
        try (ZooKeeper client = Clients.connect(leader.connectString())) {
            client.create("/paused", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            for (ServerProcess follower : three.behind(leader)) {
                follower.pause();
            }
            CompletableFuture<Integer> answer = write(client, "/paused");
            Await.until("the leader has the write", LIMIT, () -> leader.gauge("outstanding_requests") > 0);
            Await.pass(FAULT);
            for (ServerProcess follower : three.behind(leader)) {
                follower.resume();
            }
            assertEquals(0, (int) answer.get(LIMIT_SECONDS, TimeUnit.SECONDS));

            String line = line(leader, "Slow request: setData /paused of session 0x");
            assertTrue(line, line.contains("most of it the other servers"));
            assertTrue(line, line.matches(".*zxid 0x[0-9a-f]+, position [0-9]+, took [0-9]+ ms, .*"));
            assertTrue(leader.gauge("ordering_slow_requests") > 0);

            String name = trace(leader, "/paused").get("command").asText();
            assertTrue(millis(trace(leader, "/paused"), "durable", "ordered") > SLOW_MILLIS);
            for (ServerProcess follower : three.behind(leader)) {
                JsonNode seen = trace(follower, "/paused");
                assertEquals(name, seen.get("command").asText());
                assertTrue(seen.toString(), millis(seen, "accepted", "executed") >= 0);
            }
            assertTimeline(name);
            assertReadsOfASessionAreTraced(client, leader);
        }
    }

    private void assertTimeline(String name) throws Exception {
        String addresses = three.servers().stream()
                .map(each -> each.clientHost() + ":" + each.port(AdminClient.PORT))
                .collect(Collectors.joining(","));
        Path config = three.server(1).configFile();
        Scripts.Result result = Scripts.run(
                LIMIT_SECONDS,
                config.getParent(),
                "zkServer.sh",
                "trace",
                "--limit",
                "100",
                "--connect",
                addresses,
                config.toString());
        assertEquals(result.toString(), 0, result.exitCode());
        List<String> lines = result.output().lines().toList();
        int at = 0;
        while (!lines.get(at).endsWith(name)) {
            at++;
        }
        assertTrue(lines.get(at), lines.get(at).startsWith("setData /paused  session 0x"));
        for (int id = 1; id <= 3; id++) {
            String line = lines.get(at + id);
            assertTrue(line, line.matches("  server " + id + ": .*accepted .*durable .*ordered .*executed .* ms"));
        }
    }

    private static void assertReadsOfASessionAreTraced(ZooKeeper client, ServerProcess leader) throws Exception {
        String session = "session=0x" + Long.toHexString(client.getSessionId());
        JsonNode watching = AdminClient.command(leader, "traces?watch=true&" + session);
        assertTrue(watching.toString(), watching.get("error").isNull());
        client.getData("/paused", false, null);
        JsonNode traces = AdminClient.command(leader, "traces?" + session).get("traces");
        JsonNode read = traces.get(traces.size() - 1);
        assertEquals("getData", read.get("op").asText());
        assertTrue(read.toString(), millis(read, "received", "answered") >= 0);
        assertEquals(
                400,
                AdminClient.get(AdminClient.address(leader, "/commands/traces?limit=many"))
                        .statusCode());
    }

    @Test
    public void diskIsSlow_theOwnDiskIsBlamed() throws Exception {
        one.start();
        ServerProcess only = one.server(1);
        Path report = only.directory().resolve("strace.txt");
        try (ZooKeeper client = Clients.connect(only.connectString())) {
            client.create("/slow", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            Process delay = delayForces(only, report);
            try {
                assertEquals(0, (int) write(client, "/slow").get(LIMIT_SECONDS, TimeUnit.SECONDS));
            } finally {
                delay.destroy();
                delay.waitFor();
            }
            String line = line(only, "Slow request: setData /slow of session 0x");
            assertTrue(line, line.contains("most of it this server's disk"));
            String force = line(only, "to disk took");
            assertTrue(force, force.matches(".*Forcing .*ordering/.* took [0-9]+ ms for [0-9]+ bytes .*"));
            assertTrue(only.gauge("ordering_slow_forces") > 0);
            assertTrue(millis(trace(only, "/slow"), "accepted", "durable") > SLOW_MILLIS);
        }
    }

    /** Each force of the server takes so much longer, until the process that this returns is ended. */
    private static Process delayForces(ServerProcess server, Path report) throws Exception {
        Process process;
        try {
            process = new ProcessBuilder(
                            "strace",
                            "-f",
                            "-p",
                            Long.toString(server.pid()),
                            "-o",
                            "/dev/null",
                            "-e",
                            "trace=fdatasync",
                            "-e",
                            "inject=fdatasync:delay_enter=" + FAULT.toNanos() / 1_000)
                    .redirectErrorStream(true)
                    .redirectOutput(report.toFile())
                    .start();
        } catch (IOException e) {
            Assume.assumeNoException("there is no strace here", e);
            throw e;
        }
        Await.until("strace has said something", LIMIT, () -> Files.size(report) > 0 || !process.isAlive());
        Assume.assumeTrue(
                "strace may not look at processes here: " + Files.readString(report),
                process.isAlive() && Files.readString(report).contains("attached"));
        return process;
    }
}
