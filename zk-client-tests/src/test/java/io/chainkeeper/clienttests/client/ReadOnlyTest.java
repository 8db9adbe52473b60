package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.FourLetterWord;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.time.Duration;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NotReadOnlyException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** {@code readonlymode.enabled} in zoo.cfg, with two of three servers killed. */
public class ReadOnlyTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final byte[] DATA = {1, 2, 3};

    private final Ensemble ensemble =
            Ensemble.named("read-only").set("readonlymode.enabled", "true").build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(180);

    @Test
    public void majorityKilled_survivorServesReadersUntilTheOthersAreBack() throws Exception {
        Assume.assumeFalse(
                "with shared disks one server is enough to go on",
                Ensemble.defaultProtocol().equals("disk"));
        ServerProcess survivor = ensemble.server(3);
        try (ZooKeeper writer = Clients.connect(survivor.connectString())) {
            writer.create("/a", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        ensemble.server(1).kill();
        ensemble.server(2).kill();
        survivor.kill();
        survivor.start();
        try (ZooKeeper reader = new ZooKeeper(survivor.connectString(), 20_000, event -> {}, true)) {
            Await.until("a reader is let in", LIMIT, () -> reader.getState() == States.CONNECTEDREADONLY);
            assertArrayEquals(DATA, reader.getData("/a", false, null));
            assertThrows(NotReadOnlyException.class, () -> reader.setData("/a", null, -1));
            Await.until("its mode says so", LIMIT, () -> "read-only".equals(survivor.mode()));
            assertEquals("ro", FourLetterWord.ask(survivor, "isro"));
            assertTrue(FourLetterWord.ask(survivor, "mntr").contains("zk_server_state\tread-only"));
            ensemble.startAll();
            Await.until("the reader may write", LIMIT, () -> reader.getState() == States.CONNECTED);
            reader.setData("/a", null, 0);
            assertEquals("rw", FourLetterWord.ask(survivor, "isro"));
        }
    }
}
