package io.chainkeeper.clienttests.recipes;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.atomic.AtomicValue;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.data.Stat;

/**
 * An atomic long that every client increments. No increment that was reported as done is missing. One whose answer was
 * lost with a connection may be counted twice, because Curator repeats it; but each execution counts one, so that the
 * value and the version of its znode go together.
 */
final class CounterRecipe implements Recipe {
    private static final String PATH = "/recipes/counter";
    private static final int MAX_TRIES = 10_000;

    private final List<CuratorFramework> clients;
    private final List<DistributedAtomicLong> counters = new ArrayList<>();
    private final RepeatedSteps steps;

    CounterRecipe(List<CuratorFramework> clients) {
        this.clients = clients;
        this.steps = new RepeatedSteps("counter", clients.size());
        for (CuratorFramework client : clients) {
            counters.add(new DistributedAtomicLong(client, PATH, new RetryNTimes(MAX_TRIES, 2)));
        }
    }

    @Override
    public void start() {
        steps.start((participant, round) -> {
            AtomicValue<Long> value = counters.get(participant).increment();
            assertTrue("client " + participant + " can increment the counter", value.succeeded());
        });
    }

    @Override
    public void awaitProgress() throws Exception {
        steps.awaitProgress();
    }

    @Override
    public void finish() throws Exception {
        steps.finish();
        for (int i = 0; i < clients.size(); i++) {
            long value = counters.get(i).get().postValue();
            assertTrue(value + " counted of " + steps.total() + " increments", value >= steps.total());
            Stat stat = clients.get(i).checkExists().forPath(PATH);
            // Created with the value 1 and the version 0.
            assertEquals("value of the counter, from its version", stat.getVersion() + 1L, value);
        }
    }

    @Override
    public void close() {
        steps.close();
    }
}
