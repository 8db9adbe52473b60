package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** {@code zkServer.sh force-new-cluster}: the way on when the quorum is lost for good. */
public class ForceNewClusterTest {
    private static final long SCRIPT_LIMIT_SECONDS = 60;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int LAST_LOG_LINES = 200;

    private final Ensemble ensemble = Ensemble.named("force-new-cluster").build();
    private final ServerProcess survivor = ensemble.server(1);

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(180);

    @Before
    public void startEnsemble() throws Exception {
        Assume.assumeFalse("the stock server has no such command", ensemble.isStock());
        Assume.assumeFalse("with shared disks any one server goes on alone, without it", ensemble.hasDisks());
        ensemble.start();
        try (ZooKeeper client = Clients.connect(survivor.connectString())) {
            client.create("/kept", new byte[7], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }

    private Scripts.Result force(String... consent) throws Exception {
        String[] arguments = new String[consent.length + 2];
        arguments[0] = "force-new-cluster";
        System.arraycopy(consent, 0, arguments, 1, consent.length);
        arguments[arguments.length - 1] = survivor.configFile().toString();
        return Scripts.run(SCRIPT_LIMIT_SECONDS, survivor.directory(), "zkServer.sh", arguments);
    }

    private Path request() {
        return survivor.directory().resolve("data/ordering/force-new-cluster");
    }

    @Test
    public void command_refusesARunningServerAndExplainsAStoppedOne() throws Exception {
        Scripts.Result running = force("--yes");
        assertTrue(running.toString(), running.exitCode() != 0);
        assertTrue(running.toString(), running.errors().contains("in use"));
        assertFalse(Files.exists(request()));

        ensemble.killAll();
        Scripts.Result explained = force();
        assertEquals(explained.toString(), 1, explained.exitCode());
        assertTrue(explained.toString(), explained.output().contains("every write that only server.2, server.3 held"));
        assertTrue(explained.toString(), explained.output().contains("Nothing has been changed"));
        assertFalse(Files.exists(request()));

        Scripts.Result done = force("--yes");
        assertEquals(done.toString(), 0, done.exitCode());
        assertTrue(Files.exists(request()));
    }

    @Test
    public void survivor_goesOnAloneAndRefusesLateOnes() throws Exception {
        ensemble.killAll();
        assertEquals(0, force("--yes").exitCode());
        survivor.start();
        survivor.awaitServing();
        try (ZooKeeper client = Clients.connect(survivor.connectString())) {
            assertEquals(7, client.getData("/kept", false, null).length);
            client.create("/alone", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            Await.until("the request is fulfilled", LIMIT, () -> !Files.exists(request()));

            ServerProcess late = ensemble.server(2);
            late.start();
            Await.until(
                    "the late survivor is refused",
                    LIMIT,
                    () -> late.lastLogLines(LAST_LOG_LINES).stream()
                            .anyMatch(line -> line.contains("belongs to cluster")));
            assertNull("it must not serve", late.mode());
            client.setData("/alone", new byte[3], -1);
            late.kill();
        }

        survivor.kill();
        survivor.start();
        survivor.awaitServing();
        try (ZooKeeper client = Clients.connect(survivor.connectString())) {
            assertEquals(3, client.getData("/alone", false, null).length);
            client.setData("/kept", new byte[2], -1);
        }
    }

    /** Nobody is let in before the request is gone, so it cannot be carried out once more when it must not be. */
    @Test
    public void anotherComesAtOnceWithEmptyDirectories_itJoinsAndEachStartAfterThatIsAnOrdinaryOne() throws Exception {
        ensemble.killAll();
        ServerProcess joiner = ensemble.server(2);
        joiner.emptyData();
        joiner.start();
        assertEquals(0, force("--yes").exitCode());
        survivor.start();
        joiner.awaitServing();
        assertFalse(Files.exists(request()));
        survivor.kill();
        survivor.start();
        survivor.awaitServing();
        joiner.awaitServing();
        try (ZooKeeper client = Clients.connect(survivor.connectString());
                ZooKeeper other = Clients.connect(joiner.connectString())) {
            client.setData("/kept", new byte[2], -1);
            assertEquals(2, other.getData("/kept", false, null).length);
            other.setData("/kept", new byte[3], -1);
            assertEquals(3, client.getData("/kept", false, null).length);
        }
    }
}
