package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.RequestTracing;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.background.Background;
import io.chainkeeper.server.background.BackgroundWork;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.reconfig.Aside;
import io.chainkeeper.server.tracing.RequestWatch;
import io.chainkeeper.server.transfer.Waiting;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ZKDatabase;

/**
 * What makes a replica run: clocks, threads and ports in production ({@link ThreadedRuntime}), or one caller that
 * drives everything and says what time it is ({@link DrivenRuntime}). Nothing else of a replica knows which.
 */
interface ReplicaRuntime {
    /** RFC 4122: version 4, random, of variant 2. */
    long VERSION_BITS = 0xf000L;

    long VERSION = 0x4000L;
    long VARIANT = 1L << 63;
    long VARIANT_BITS = 3L << 62;

    /** @return gives time, chance, and what works in the background */
    Scheduler scheduler();

    /** @return a clock that never runs backwards, in milliseconds; any thread */
    default long monotonicMillis() {
        return TimeUnit.NANOSECONDS.toMillis(scheduler().nanoTime());
    }

    /** @return milliseconds since 1970; any thread */
    default long wallClockMillis() {
        return scheduler().currentTimeMillis();
    }

    /** @return a name for a new cluster; any thread */
    default UUID newClusterId() {
        return new UUID(
                scheduler().seed() & ~VERSION_BITS | VERSION, scheduler().seed() & ~VARIANT_BITS | VARIANT);
    }

    /**
     * Called once.
     *
     * @param replicaId for the name
     * @return runs the maintenance tasks
     */
    default Background maintenance(int replicaId) {
        return new BackgroundWork(scheduler(), "maintenance-" + replicaId);
    }

    /** @return how whoever answers another member waits */
    Waiting waiting();

    /**
     * Called once.
     *
     * @param submit takes a task for the maintenance
     * @return does what may take long, such as looking a name up, where maintenance tasks do not wait for it
     */
    Aside aside(Consumer<Runnable> submit);

    /**
     * Called once.
     *
     * @param database where empty containers and nodes whose time has passed are looked for
     * @param requests takes requests without connection
     * @return told with each look of the maintenance tasks whether this replica is to propose their deletion
     */
    Consumer<Boolean> containerReaper(ZKDatabase database, RequestProcessor requests);

    /**
     * Called once.
     *
     * @param core of the replica
     * @param view what it knows of the order
     * @return where it is seen from outside
     */
    ReplicaFront front(ReplicaCore core, OrderView view);

    /**
     * Called once.
     *
     * @param settings what is noted of the way of single requests
     * @param lastZxid of the tree; any thread
     * @param order gives null before it has been started; any thread
     * @return sees requests; by default nothing: ZooKeeper's requests bear times of the system's clock only
     */
    default RequestWatch requestWatch(RequestTracing settings, LongSupplier lastZxid, Supplier<TotalOrder> order) {
        return RequestWatch.none(lastZxid, order);
    }

    /** After maintenance has ended. */
    void close();
}
