package io.chainkeeper.clienttests.recipes;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.clienttests.harness.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;

/**
 * A latch at every client: never two leaders, and always one again. A latch calls its listener before it gives up the
 * znode that makes it the leader, so that counting there cannot be too high by accident.
 */
final class LeaderLatchRecipe implements Recipe {
    private final List<LeaderLatch> latches = new ArrayList<>();
    private final AtomicInteger leaders = new AtomicInteger();
    private final AtomicInteger mostLeaders = new AtomicInteger();

    LeaderLatchRecipe(List<CuratorFramework> clients) {
        for (CuratorFramework client : clients) {
            LeaderLatch latch = new LeaderLatch(client, "/recipes/latch");
            latch.addListener(new LeaderLatchListener() {
                @Override
                public void isLeader() {
                    mostLeaders.accumulateAndGet(leaders.incrementAndGet(), Math::max);
                }

                @Override
                public void notLeader() {
                    leaders.decrementAndGet();
                }
            });
            latches.add(latch);
        }
    }

    @Override
    public void start() throws Exception {
        for (LeaderLatch latch : latches) {
            latch.start();
        }
    }

    @Override
    public void awaitProgress() throws Exception {
        Await.until("a latch leads", LIMIT, () -> leaders.get() == 1);
        assertEquals("latches that led at the same time", 1, mostLeaders.get());
    }

    @Override
    public void finish() throws Exception {
        awaitProgress();
        // One after the other: each that closes has to leave the leadership to one of the others.
        while (!latches.isEmpty()) {
            Await.until(
                    "one of the latches that are left leads",
                    LIMIT,
                    () -> latches.stream().filter(LeaderLatch::hasLeadership).count() == 1);
            LeaderLatch leader = latches.stream()
                    .filter(LeaderLatch::hasLeadership)
                    .findFirst()
                    .orElseThrow();
            latches.remove(leader);
            // A latch has its node deleted before it tells that it does not lead: by then the next one may.
            leaders.decrementAndGet();
            leader.close(LeaderLatch.CloseMode.SILENT);
        }
        assertEquals("latches that led at the same time", 1, mostLeaders.get());
    }

    @Override
    public void close() throws Exception {
        for (LeaderLatch latch : latches) {
            latch.close();
        }
    }
}
