package io.chainkeeper.server.bootstrap;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.maintenance.ServingPolicy;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.reconfig.Aside;
import io.chainkeeper.server.transfer.Waiting;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.admin.AdminServer;

/** One caller drives everything: no thread, no port, and no time but that of its scheduler. */
final class DrivenRuntime implements ReplicaRuntime {
    private final Scheduler scheduler;
    private final DrivenServer.Surroundings surroundings;
    private final Waiting waiting;

    /**
     * @param scheduler of the caller
     * @param surroundings bring the connections, and delay answers to other members
     */
    DrivenRuntime(Scheduler scheduler, DrivenServer.Surroundings surroundings) {
        this.scheduler = scheduler;
        this.surroundings = surroundings;
        this.waiting = new NoThread(surroundings);
    }

    @Override
    public Scheduler scheduler() {
        return scheduler;
    }

    @Override
    public Waiting waiting() {
        return waiting;
    }

    @Override
    public Aside aside(Consumer<Runnable> submit) {
        return Aside.AT_ONCE;
    }

    @Override
    public Consumer<Boolean> containerReaper(ZKDatabase database, RequestProcessor requests) {
        return new TickedReaper(database, requests, this::wallClockMillis)::look;
    }

    @Override
    public ReplicaFront front(ReplicaCore core, OrderView view) {
        return new NoPorts(core, view, surroundings);
    }

    @Override
    public void close() {}

    /** Whoever asks is told to ask again, instead of waiting. */
    private record NoThread(DrivenServer.Surroundings surroundings) implements Waiting {
        @Override
        public void pause(long nanos) {
            surroundings.answerLeavesLater(nanos);
        }

        @Override
        public boolean await(CompletableFuture<?> awaited, long nanos) throws IOException {
            return Waiting.hasEnded(awaited);
        }
    }

    /** Connections are brought by the caller. */
    private record NoPorts(ReplicaCore core, OrderView view, DrivenServer.Surroundings surroundings)
            implements ReplicaFront {
        @Override
        public void startServer() {
            surroundings.serverStarts(core.server());
            core.router().onRefusal(refused -> surroundings.writeRefused(refused.sessionId, refused.cxid));
            core.server().startWithoutThreads();
        }

        @Override
        public void orderStarted(TotalOrder order, Map<String, LongSupplier> further) {}

        @Override
        public void openClientPorts() {}

        @Override
        public void startAdminServer(Supplier<AdminServer> adminServer) {}

        @Override
        public ServingPolicy.WithoutOrder withoutOrder() {
            return ServingPolicy.WithoutOrder.NOBODY;
        }

        @Override
        public void showRole(OrderingStatus status) {
            view.tick(status);
        }

        @Override
        public void close() {}
    }
}
