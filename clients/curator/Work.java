import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.atomic.AtomicValue;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.KeeperException;

/** Four clients with Curator's recipes: mutex, semaphore, leader latch, counter, cache. Work SERVERS DONE_FILE */
public final class Work {
    private static final int CLIENTS = 4;
    private static final int LEASES = 2;

    private final String servers;
    private final Path done;
    private final AtomicInteger inMutex = new AtomicInteger();
    private final AtomicInteger mutexes = new AtomicInteger();
    private final AtomicInteger inSemaphore = new AtomicInteger();
    private final AtomicInteger semaphores = new AtomicInteger();
    private final AtomicInteger leaders = new AtomicInteger();
    private final AtomicInteger increments = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final Set<String> created = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private Work(String servers, Path done) {
        this.servers = servers;
        this.done = done;
    }

    public static void main(String[] args) throws Exception {
        new Work(args[0], Path.of(args[1])).run();
        System.exit(0);
    }

    private CuratorFramework connect() {
        CuratorFramework client = CuratorFrameworkFactory.newClient(servers, 15_000, 30_000, new RetryForever(100));
        client.getConnectionStateListenable().addListener((which, state) -> {
            if (state == ConnectionState.LOST) {
                lost.incrementAndGet();
            }
        });
        client.start();
        return client;
    }

    private void run() throws Exception {
        CuratorFramework observer = connect();
        for (String path : List.of("/created", "/mutex", "/semaphore", "/latch", "/counter")) {
            observer.create().forPath(path);
        }
        CuratorCache cache = CuratorCache.build(observer, "/created");
        cache.start();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            String name = "client-" + i;
            Thread thread = new Thread(() -> work(name), name);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        require(failure.get() == null, "a client failed", failure.get());
        require(lost.get() == 0, lost + " sessions were lost", null);
        Set<String> missing = new TreeSet<>(created);
        missing.removeAll(observer.getChildren().forPath("/created"));
        require(missing.isEmpty(), "lost: " + missing, null);
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (created.stream().anyMatch(name -> cache.get("/created/" + name).isEmpty())) {
            require(System.nanoTime() < deadline, "the cache does not have all znodes", null);
            Thread.sleep(50);
        }
        long counter = counter(observer).get().postValue();
        require(counter >= increments.get(), increments + " increments, but the counter is " + counter, null);
        System.out.printf(
                "%d clients: %d znodes created and in a cache, %d times in a mutex, %d in a semaphore, "
                        + "%d times leader, %d increments; no session lost%n",
                CLIENTS, created.size(), mutexes.get(), semaphores.get(), leaders.get(), increments.get());
    }

    private static DistributedAtomicLong counter(CuratorFramework client) {
        return new DistributedAtomicLong(client, "/counter/value", new RetryNTimes(1000, 20));
    }

    private static void require(boolean condition, String otherwise, Throwable cause) {
        if (!condition) {
            throw new IllegalStateException(otherwise, cause);
        }
    }

    private void work(String name) {
        try (CuratorFramework client = connect()) {
            InterProcessMutex mutex = new InterProcessMutex(client, "/mutex");
            InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, "/semaphore", LEASES);
            DistributedAtomicLong counter = counter(client);
            for (int number = 0; !Files.exists(done) && failure.get() == null; number++) {
                create(client, name + "-" + number);
                mutex.acquire();
                require(inMutex.incrementAndGet() == 1, "two in the mutex", null);
                mutexes.incrementAndGet();
                inMutex.decrementAndGet();
                mutex.release();
                Lease lease = semaphore.acquire();
                require(inSemaphore.incrementAndGet() <= LEASES, "too many in the semaphore", null);
                semaphores.incrementAndGet();
                inSemaphore.decrementAndGet();
                semaphore.returnLease(lease);
                AtomicValue<Long> value = counter.increment();
                if (value.succeeded()) {
                    increments.incrementAndGet();
                }
                if (number % 10 == 0) {
                    lead(client, name);
                }
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private void create(CuratorFramework client, String name) throws Exception {
        try {
            client.create().forPath("/created/" + name, name.getBytes());
        } catch (KeeperException.NodeExistsException e) {
            // the answer to an earlier try was lost
            require(new String(client.getData().forPath("/created/" + name)).equals(name), name, null);
        }
        created.add(name);
    }

    private void lead(CuratorFramework client, String name) throws Exception {
        try (LeaderLatch latch = new LeaderLatch(client, "/latch", name)) {
            latch.start();
            require(latch.await(60, TimeUnit.SECONDS), name + " does not become leader", null);
            leaders.incrementAndGet();
        }
    }
}
