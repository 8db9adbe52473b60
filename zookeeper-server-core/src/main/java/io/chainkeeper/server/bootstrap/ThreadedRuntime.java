package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.RequestTracing;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.maintenance.ContainerReaper;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.reconfig.Aside;
import io.chainkeeper.server.reconfig.NameLookUps;
import io.chainkeeper.server.tracing.RequestWatch;
import io.chainkeeper.server.transfer.Waiting;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ZKDatabase;

/** The clocks and threads of a scheduler, by default the system's, and this replica's ports. */
final class ThreadedRuntime implements ReplicaRuntime {
    private final int replicaId;
    private final Scheduler scheduler;
    private NameLookUps nameLookUps;

    /**
     * @param replicaId for the names of the threads
     * @param scheduler gives clocks and threads
     */
    ThreadedRuntime(int replicaId, Scheduler scheduler) {
        this.replicaId = replicaId;
        this.scheduler = scheduler;
    }

    @Override
    public Scheduler scheduler() {
        return scheduler;
    }

    @Override
    public Waiting waiting() {
        return Waiting.OF_THREADS;
    }

    @Override
    public Aside aside(Consumer<Runnable> submit) {
        nameLookUps = new NameLookUps(replicaId, submit);
        return nameLookUps;
    }

    @Override
    public Consumer<Boolean> containerReaper(ZKDatabase database, RequestProcessor requests) {
        if (scheduler == ThreadScheduler.INSTANCE) {
            return new ContainerReaper(database, requests)::setActive;
        }
        // ZooKeeper's own thread knows the system's clocks only.
        return new TickedReaper(database, requests, this::wallClockMillis, this::monotonicMillis)::look;
    }

    @Override
    public RequestWatch requestWatch(RequestTracing settings, LongSupplier lastZxid, Supplier<TotalOrder> order) {
        return scheduler == ThreadScheduler.INSTANCE
                ? new RequestWatch(settings, scheduler::nanoTime, ThreadedRuntime::wallMicros, lastZxid, order)
                : RequestWatch.none(lastZxid, order);
    }

    private static long wallMicros() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(now.getNano());
    }

    @Override
    public ReplicaFront front(ReplicaCore core, OrderView view) {
        return new ServerFront(core, view);
    }

    /** Looks up no more names. */
    @Override
    public void close() {
        if (nameLookUps != null) {
            nameLookUps.close();
        }
    }
}
