package io.chainkeeper.server.bootstrap;

import io.chainkeeper.server.maintenance.Background;
import io.chainkeeper.server.maintenance.ContainerReaper;
import io.chainkeeper.server.maintenance.MaintenanceThread;
import io.chainkeeper.server.reconfig.Aside;
import io.chainkeeper.server.reconfig.NameLookUps;
import java.util.function.Consumer;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ZKDatabase;

/** The system's clocks, and threads of this replica's own. */
final class ThreadedRuntime implements ReplicaRuntime, AutoCloseable {
    private final int replicaId;
    private final MaintenanceThread maintenance;
    private NameLookUps nameLookUps;

    /** @param replicaId for the names of the threads */
    ThreadedRuntime(int replicaId) {
        this.replicaId = replicaId;
        this.maintenance = new MaintenanceThread(replicaId);
    }

    @Override
    public long monotonicMillis() {
        return System.nanoTime() / 1_000_000;
    }

    @Override
    public long wallClockMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public Background maintenance() {
        return maintenance;
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

    /** After maintenance has ended: looks up no more names. */
    @Override
    public void close() {
        if (nameLookUps != null) {
            nameLookUps.close();
        }
    }
}
