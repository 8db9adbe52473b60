package io.chainkeeper.server.bootstrap;

import io.chainkeeper.server.maintenance.Background;
import io.chainkeeper.server.reconfig.Aside;
import java.util.function.Consumer;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ZKDatabase;

/**
 * What makes a {@link ReplicaAssembly} run: clocks and threads in production ({@link ThreadedRuntime}), or one caller
 * that drives everything and says what time it is ({@link ThreadlessReplica}). Nothing else of a replica knows which.
 */
interface ReplicaRuntime {
    /** @return a clock that never runs backwards, in milliseconds; any thread */
    long monotonicMillis();

    /** @return milliseconds since 1970; any thread */
    long wallClockMillis();

    /** @return runs the maintenance tasks; the same object for each call */
    Background maintenance();

    /**
     * Called once.
     *
     * @param submit takes a task for {@link #maintenance}
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
}
