package io.chainkeeper.clienttests.recipes;

import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.queue.DistributedQueue;
import org.apache.curator.framework.recipes.queue.QueueBuilder;
import org.apache.curator.framework.recipes.queue.QueueConsumer;
import org.apache.curator.framework.recipes.queue.QueueSerializer;
import org.apache.curator.framework.state.ConnectionState;

/**
 * A queue into which every client puts and from which every client takes. With a lock for each item Curator promises
 * that each is taken at least once.
 *
 * <p>A client whose connection breaks while it creates a lock takes its own lock for somebody else's, and the item
 * waits until the session ends. Therefore the queue has clients of its own, whose sessions end before the last item has
 * to be taken.
 */
final class QueueRecipe implements Recipe {
    /** More than clients can lock in this way, and few enough for the queue to stay short. */
    private static final int MAX_WAITING_ITEMS = 30;

    private final Callable<CuratorFramework> connect;
    private final int participants;
    private final List<CuratorFramework> clients = new ArrayList<>();
    private final List<DistributedQueue<String>> queues = new ArrayList<>();
    private final Set<String> put = ConcurrentHashMap.newKeySet();
    private final Set<String> taken = ConcurrentHashMap.newKeySet();
    private final RepeatedSteps steps;

    /**
     * Names the queue; nothing is done yet.
     *
     * @param connect opens a session
     */
    QueueRecipe(Callable<CuratorFramework> connect, int participants) {
        this.connect = connect;
        this.participants = participants;
        this.steps = new RepeatedSteps("queue", participants);
    }

    private final class Taker implements QueueConsumer<String> {
        @Override
        public void consumeMessage(String item) {
            taken.add(item);
        }

        @Override
        public void stateChanged(CuratorFramework client, ConnectionState newState) {
            // The queue itself goes on when the connection is back.
        }
    }

    private static final class Text implements QueueSerializer<String> {
        @Override
        public byte[] serialize(String item) {
            return item.getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public String deserialize(byte[] bytes) {
            return new String(bytes, StandardCharsets.US_ASCII);
        }
    }

    private DistributedQueue<String> openQueue() throws Exception {
        CuratorFramework client = connect.call();
        clients.add(client);
        DistributedQueue<String> queue = QueueBuilder.builder(client, new Taker(), new Text(), "/recipes/queue")
                .lockPath("/recipes/queue-locks")
                .buildQueue();
        queue.start();
        return queue;
    }

    @Override
    public void start() throws Exception {
        for (int i = 0; i < participants; i++) {
            queues.add(openQueue());
        }
        steps.start((participant, round) -> {
            Await.until("items are taken", LIMIT, () -> put.size() - taken.size() < MAX_WAITING_ITEMS);
            String item = participant + "-" + round;
            queues.get(participant).put(item);
            assertTrue(
                    "item " + item + " is in the queue",
                    queues.get(participant).flushPuts(LIMIT.toSeconds(), TimeUnit.SECONDS));
            put.add(item);
        });
    }

    @Override
    public void awaitProgress() throws Exception {
        int takenBefore = taken.size();
        steps.awaitProgress();
        Await.until("another item is taken", LIMIT, () -> taken.size() > takenBefore);
    }

    @Override
    public void finish() throws Exception {
        steps.finish();
        close();
        DistributedQueue<String> last = openQueue();
        Await.until("all of " + put.size() + " items are taken", LIMIT, () -> taken.containsAll(put));
        last.close();
    }

    @Override
    public void close() throws Exception {
        steps.close();
        for (DistributedQueue<String> queue : queues) {
            queue.close();
        }
        queues.clear();
        clients.forEach(CuratorFramework::close);
        clients.clear();
    }
}
