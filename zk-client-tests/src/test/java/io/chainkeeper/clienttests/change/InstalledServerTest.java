package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.AcceptorLogFiles;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LinkRelay;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * A server has accepted a write that the others never saw, and comes back with the state of another one. Its log still
 * holds that write, where something else was decided, and a server that is behind has nobody else to ask. With three
 * members that is one that does not vote: both of the others have taken part in what was decided.
 */
@RunWith(Parameterized.class)
public class InstalledServerTest {
    private static final int MEMBERS = 3;
    private static final int OBSERVER = 4;

    /** Under the limit of a request. A segment of the acceptor log, of 17 MiB, takes few of them. */
    private static final int LARGE_BYTES = 900_000;

    private static final int LARGE_NODES = 3;

    /** Several times what it takes until the oldest segment is deleted. */
    private static final int MOST_LARGE_WRITES = 500;

    private static final String MARK = "accepted-in-a-minority";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final String protocol;
    private final LinkRelay links = new LinkRelay(OBSERVER);
    private final Map<String, String> acknowledged = new TreeMap<>();

    @Rule(order = 0)
    public final Ensemble ensemble;

    @Rule(order = 1)
    public final TestRule limit;

    private ServerProcess installed;
    private ServerProcess second;
    private ServerProcess third;
    private ServerProcess observer;

    public InstalledServerTest(String protocol) {
        this.protocol = protocol;
        ensemble = Ensemble.named("installed-server-" + protocol)
                .set("ordering.protocol", protocol)
                .set("ordering.logRetentionBytes", "1048576")
                .set("snapCount", "8")
                .servers(OBSERVER)
                .observers(1)
                .network(links)
                .suspicionTimeoutMillis(1_000)
                .build();
        limit = ensemble.testLimit(300);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return List.of("chain", "iss");
    }

    @Before
    public void chooseRoles() throws Exception {
        installed = ensemble.leader();
        List<ServerProcess> others = new ArrayList<>(ensemble.servers().subList(0, MEMBERS));
        others.remove(installed);
        second = others.get(0);
        third = others.get(1);
        observer = ensemble.server(OBSERVER);
    }

    @Test
    public void whatWasAcceptedBelowAnInstalledState_isSeenByNobody() throws Exception {
        acceptInTheMinority();
        writeMoreThanTheLogsKeep();

        installed.start();
        Await.until("server " + installed.id() + " has installed a state", LIMIT, () -> hasInstalled(installed));
        String promise = protocol.equals("chain") ? "promise=[0-9a-f]{24}" : "promise=";
        assertTrue(
                "what its sender had promised came with it",
                Files.readAllLines(installedFile(installed)).stream().anyMatch(line -> line.matches(promise)));
        for (int start = 1; start <= 2; start++) {
            installed.kill();
            installed.start();
            installed.awaitServing();
            assertTrue(
                    "start " + start + " is to find it",
                    AcceptorLogFiles.of(installed).hold(MARK));
            create(installed, "/after-start-" + start);
        }

        leaveOnlyTheInstalledToAsk();
        links.cutBoth(observer.id(), second.id());
        observer.start();
        Await.until("the observer has installed a state", LIMIT, () -> hasInstalled(observer));
        create(installed, "/fed");
        Await.until(
                "the observer has been fed",
                LIMIT,
                () -> AcceptorLogFiles.of(observer).hold("/fed"));
        links.healAll();

        third.start();
        third.awaitServing();
        second.kill();
        create(installed, "/without-second");
        second.start();
        checkAll();
    }

    /**
     * At the first position that the observer lacks, because a server holds what it is asked for from there on. With
     * ISS that is a position of the leader, who comes last in turn, if the one before it in turn has written last. The
     * others do not get it later either: what is under way is lost.
     */
    private void acceptInTheMinority() throws Exception {
        try (ZooKeeper client = Clients.connect(installed.connectString())) {
            create(third, "/before");
            ensemble.awaitCaughtUp();
            observer.kill();
            links.separate(List.of(installed), List.of(second, third));
            client.create(
                    "/" + MARK,
                    null,
                    Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT,
                    (resultCode, path, context, name) -> {},
                    null);
            AcceptorLogFiles log = AcceptorLogFiles.of(installed);
            Await.until("server " + installed.id() + " has accepted the write", LIMIT, () -> log.hold(MARK));
            installed.kill();
        }
        links.reset(installed.id(), second.id());
        links.reset(installed.id(), third.id());
        links.healAll();
    }

    /** Until neither of the others could feed a server that lacks what it lacked before. */
    private void writeMoreThanTheLogsKeep() throws Exception {
        AcceptorLogFiles log = AcceptorLogFiles.of(second);
        AcceptorLogFiles otherLog = AcceptorLogFiles.of(third);
        String oldest = log.oldestSegment();
        String otherOldest = otherLog.oldestSegment();
        try (ZooKeeper client = Clients.connect(second.connectString())) {
            for (int i = 0;
                    log.oldestSegment().equals(oldest)
                            || otherLog.oldestSegment().equals(otherOldest);
                    i++) {
                assertTrue("the logs are not cut", i < MOST_LARGE_WRITES);
                String path = "/large-" + i % LARGE_NODES;
                if (i < LARGE_NODES) {
                    client.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                }
                String value = Integer.toString(i)
                        .repeat(LARGE_BYTES / Integer.toString(i).length());
                client.setData(path, value.getBytes(StandardCharsets.ISO_8859_1), -1);
                acknowledged.put(path, value);
            }
        }
    }

    /**
     * Stops the third. With ChainPaxos the installed one has to lead: only what the leader lacks is asked for as a
     * state. Whoever is next in the chain takes the lead of one that is killed.
     */
    private void leaveOnlyTheInstalledToAsk() throws Exception {
        if (!protocol.equals("chain")) {
            third.kill();
            return;
        }
        ServerProcess leader = ensemble.leader();
        while (leader != installed) {
            if (leader == second) {
                second = third;
                third = leader;
            }
            third.kill();
            leader = ensemble.leader();
            if (leader != installed) {
                third.start();
                third.awaitServing();
            }
        }
        if (third.isRunning()) {
            third.kill(); // the installed one led already
        }
    }

    private void create(ServerProcess server, String path) throws Exception {
        String value = "by " + server.id();
        try (ZooKeeper client = Clients.connect(server.connectString())) {
            client.create(
                    path, value.getBytes(StandardCharsets.ISO_8859_1), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        acknowledged.put(path, value);
    }

    private static boolean hasInstalled(ServerProcess server) {
        return Files.exists(installedFile(server));
    }

    private static Path installedFile(ServerProcess server) {
        return server.directory().resolve("data/ordering/installed");
    }

    private void checkAll() throws Exception {
        ensemble.awaitCaughtUp();
        TreeDump tree = TreeDump.ofAllEqual(ensemble);
        acknowledged.forEach((path, value) ->
                assertEquals(path, value, tree.nodes().get(path).data()));
        assertFalse("nobody has decided it", tree.nodes().containsKey("/" + MARK));
        for (ServerProcess server : ensemble.servers()) {
            assertEquals("server " + server.id(), 0, server.gauge("ordering_order_contradicted_by"));
            assertEquals("server " + server.id(), 0, server.gauge("ordering_diverged"));
        }
        ensemble.killAll(); // they may drop files of their logs as long as they run
        for (ServerProcess server : List.of(second, third, observer)) {
            assertFalse(
                    "server " + server.id() + " has been told of it",
                    AcceptorLogFiles.of(server).hold(MARK));
        }
    }
}
