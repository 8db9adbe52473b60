package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.EnsembleDisks;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Rings on shared disks that are small: checkpoints free them, a server that is gone fills them. */
public class RingFullTest {
    private static final String PATH = "/ring";

    /** Not much more than the least for requests of a megabyte. */
    private static final int REGION_BYTES = 33 << 20;

    private static final byte[] VALUE = new byte[20_000];

    /** Each takes six blocks of 4 KiB. */
    private static final int WRITES_OF_TWO_RINGS = 2 * REGION_BYTES / (6 * 4096);

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int LAST_LOG_LINES = 200;

    private final Ensemble ensemble = Ensemble.named("ring-full")
            .set("ordering.protocol", "disk")
            .set("disk.regionBytes", Integer.toString(REGION_BYTES))
            .set("reconfigEnabled", "true")
            .set("standaloneEnabled", "false")
            .superUser()
            .servers(2)
            .disks(new EnsembleDisks(3))
            .build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(240);

    private ServerProcess leader;
    private ServerProcess other;

    @Before
    public void findLeader() throws Exception {
        leader = ensemble.leader();
        other = ensemble.server(leader.id() == 1 ? 2 : 1);
    }

    /** Returns how many writes were refused. */
    private static int write(ZooKeeper client, int count) throws Exception {
        int refused = 0;
        for (int i = 0; i < count; i++) {
            try {
                client.setData(PATH, VALUE, -1);
            } catch (KeeperException.ThrottledOpException e) {
                refused++;
            }
        }
        return refused;
    }

    @Test
    public void ringIsFilledManyTimes_checkpointsFreeItInTime() throws Exception {
        try (ZooKeeper client = Clients.connect(leader.connectString())) {
            client.create(PATH, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            assertEquals(0, write(client, WRITES_OF_TWO_RINGS));
        }
        // What a start finds on the disks is behind its checkpoint, not behind its last snapshot.
        ensemble.killAll();
        leader.start();
        leader.awaitServing();
        try (ZooKeeper client = Clients.connect(leader.connectString())) {
            assertEquals(WRITES_OF_TWO_RINGS, client.exists(PATH, false).getVersion());
        }
    }

    @Test
    public void serverIsGone_writesAreRefusedByName_untilItIsRemoved() throws Exception {
        try (ZooKeeperAdmin admin = Clients.admin(leader.connectString())) {
            admin.addAuthInfo("digest", Ensemble.SUPER_USER.getBytes(StandardCharsets.UTF_8));
            admin.create(PATH, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            other.kill();
            Await.until("refusal", LIMIT, () -> write(admin, 100) > 0);
            assertThrows(KeeperException.ThrottledOpException.class, () -> admin.delete(PATH, -1));
            assertEquals("reads go on", VALUE.length, admin.getData(PATH, false, null).length);
            try (ZooKeeper second = Clients.connect(leader.connectString())) {
                assertTrue("so do sessions", second.getSessionId() != 0);
            }
            String name = "because server " + other.id() + " has no checkpoint";
            Await.until(
                    "the leader says so",
                    LIMIT,
                    () -> leader.lastLogLines(LAST_LOG_LINES).stream().anyMatch(line -> line.contains(name)));
            assertEquals(other.id(), leader.gauge("ordering_ring_held_by"));
            admin.reconfigure(null, Integer.toString(other.id()), null, -1, null);
            Await.until("writes", LIMIT, () -> write(admin, 1) == 0);
            assertEquals(0, write(admin, WRITES_OF_TWO_RINGS));
        }
    }

    /** A client's writes in flight when the ring fills up are answered, one way or the other. */
    @Test
    public void serverIsGoneUnderLoad_everyWriteIsAnswered_andItsReturnFreesTheRing() throws Exception {
        try (ZooKeeper client = Clients.connect(leader.connectString())) {
            client.create(PATH, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            other.kill();
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            int refused = 0;
            while (refused == 0) {
                for (int i = 0; i < 50; i++) {
                    CompletableFuture<Integer> answer = new CompletableFuture<>();
                    client.setData(PATH, VALUE, -1, (code, p, c, s) -> answer.complete(code), null);
                    answers.add(answer);
                }
                for (CompletableFuture<Integer> answer : answers) {
                    int code = answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                    refused += code == KeeperException.Code.THROTTLEDOP.intValue() ? 1 : 0;
                }
                answers.clear();
            }
            other.start();
            other.awaitServing();
            Await.until("writes", LIMIT, () -> write(client, 1) == 0);
            assertEquals(0, write(client, WRITES_OF_TWO_RINGS));
        }
    }
}
