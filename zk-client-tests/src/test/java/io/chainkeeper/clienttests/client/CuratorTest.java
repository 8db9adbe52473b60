package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.atomic.AtomicValue;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.CreateMode;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Curator's recipes with one client at each replica. */
public class CuratorTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @ClassRule
    public static final Ensemble ensemble = Ensemble.named("curator").build();

    @Rule
    public final TestRule limit = ensemble.testLimit(60);

    private final List<CuratorFramework> clients = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @Before
    public void openSessions() throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            CuratorFramework client = CuratorFrameworkFactory.newClient(
                    server.connectString(), Clients.SESSION_TIMEOUT_MILLIS, 30_000, new RetryForever(200));
            client.start();
            assertTrue(client.blockUntilConnected(30, TimeUnit.SECONDS));
            clients.add(client);
        }
    }

    @After
    public void closeSessions() {
        threads.shutdownNow();
        clients.forEach(CuratorFramework::close);
    }

    @Test
    public void mutexAtAllReplicas_onlyOneHolderAtATime() throws Exception {
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger mostHolders = new AtomicInteger();
        List<Future<?>> results = new ArrayList<>();
        for (CuratorFramework client : clients) {
            results.add(threads.submit(() -> {
                InterProcessMutex mutex = new InterProcessMutex(client, "/mutex");
                for (int i = 0; i < 30; i++) {
                    mutex.acquire();
                    mostHolders.accumulateAndGet(holders.incrementAndGet(), Math::max);
                    holders.decrementAndGet();
                    mutex.release();
                }
                return null;
            }));
        }
        for (Future<?> result : results) {
            result.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        assertEquals(1, mostHolders.get());
    }

    @Test
    public void leaderLatch_leadershipGoesOnWhenItsHolderCloses() throws Exception {
        List<LeaderLatch> latches = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            LeaderLatch latch = new LeaderLatch(clients.get(i), "/latch", "participant-" + i);
            latch.start();
            latches.add(latch);
        }
        while (!latches.isEmpty()) {
            Await.until(
                    "one of " + latches.size() + " latches leads",
                    LIMIT,
                    () -> latches.stream().anyMatch(LeaderLatch::hasLeadership));
            assertEquals(1, latches.stream().filter(LeaderLatch::hasLeadership).count());
            LeaderLatch leader = latches.stream()
                    .filter(LeaderLatch::hasLeadership)
                    .findFirst()
                    .orElseThrow();
            latches.remove(leader);
            leader.close();
        }
    }

    @Test
    public void atomicLongAtAllReplicas_countsEveryIncrementOnce() throws Exception {
        int increments = 40;
        List<Future<?>> results = new ArrayList<>();
        for (CuratorFramework client : clients) {
            results.add(threads.submit(() -> {
                DistributedAtomicLong counter =
                        new DistributedAtomicLong(client, "/counter", new RetryNTimes(1_000, 2));
                for (int i = 0; i < increments; i++) {
                    AtomicValue<Long> value = counter.increment();
                    assertTrue("increment " + i, value.succeeded());
                }
                return null;
            }));
        }
        for (Future<?> result : results) {
            result.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        long counted = new DistributedAtomicLong(clients.get(0), "/counter", new RetryNTimes(1, 1))
                .get()
                .postValue();
        assertEquals((long) clients.size() * increments, counted);
    }

    @Test
    public void persistentNode_comesBackWhenSomebodyDeletesIt() throws Exception {
        byte[] data = "here".getBytes(StandardCharsets.US_ASCII);
        try (PersistentNode node =
                new PersistentNode(clients.get(0), CreateMode.EPHEMERAL, false, "/persistent", data)) {
            node.start();
            assertTrue(node.waitForInitialCreate(LIMIT.toSeconds(), TimeUnit.SECONDS));
            long first = clients.get(0).checkExists().forPath("/persistent").getCzxid();
            clients.get(1).sync().forPath("/persistent");
            clients.get(1).delete().forPath("/persistent");
            Await.until("the znode is created again", LIMIT, () -> {
                var stat = clients.get(2).checkExists().forPath("/persistent");
                return stat != null && stat.getCzxid() > first;
            });
            assertArrayEquals(data, clients.get(2).getData().forPath("/persistent"));
        }
    }

    @Test
    public void cacheAtOneReplica_followsChangesMadeAtTheOthers() throws Exception {
        try (CuratorCache cache = CuratorCache.build(clients.get(0), "/cached")) {
            cache.start();
            for (int i = 0; i < 50; i++) {
                CuratorFramework writer = clients.get(1 + i % 2);
                writer.create().orSetData().creatingParentsIfNeeded().forPath("/cached/n" + i % 10, new byte[] {(byte) i
                });
            }
            clients.get(1).sync().forPath("/cached");
            clients.get(1).delete().forPath("/cached/n0");
            Await.until("the cache holds what was written last", LIMIT, () -> {
                for (int i = 1; i < 10; i++) {
                    var data = cache.get("/cached/n" + i);
                    if (data.isEmpty() || data.get().getData()[0] != 40 + i) {
                        return false;
                    }
                }
                return cache.get("/cached/n0").isEmpty() && cache.size() == 10;
            });
        }
    }
}
