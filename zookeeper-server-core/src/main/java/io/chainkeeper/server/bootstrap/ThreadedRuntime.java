package io.chainkeeper.server.bootstrap;

import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.server.maintenance.ContainerReaper;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.reconfig.Aside;
import io.chainkeeper.server.reconfig.NameLookUps;
import io.chainkeeper.server.transfer.Waiting;
import java.util.function.Consumer;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ZKDatabase;

/** The system's clocks, threads of this replica's own, and its ports. */
final class ThreadedRuntime implements ReplicaRuntime {
    private final int replicaId;
    private NameLookUps nameLookUps;

    /** @param replicaId for the names of the threads */
    ThreadedRuntime(int replicaId) {
        this.replicaId = replicaId;
    }

    @Override
    public Scheduler scheduler() {
        return ThreadScheduler.INSTANCE;
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
        return new ContainerReaper(database, requests)::setActive;
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
