package io.chainkeeper.server.bootstrap;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.maintenance.ReadOnlyMode;
import io.chainkeeper.server.maintenance.ServingPolicy;
import io.chainkeeper.server.monitoring.Monitoring;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.monitoring.RoleView;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.server.admin.AdminServer;

/** The ports, metrics and beans of a server. */
final class ServerFront implements ReplicaFront {
    private final ReplicaCore core;
    private final Monitoring monitoring;

    ServerFront(ReplicaCore core, OrderView view) {
        this.core = core;
        this.monitoring = new Monitoring(core.server(), new RoleView(core.peer()), view);
    }

    @Override
    public void startServer() {
        core.server().startup();
        core.peer().activate(core.server());
    }

    @Override
    public void orderStarted(TotalOrder order, Map<String, LongSupplier> further) {
        monitoring.start(order, further);
    }

    @Override
    public void openClientPorts() {
        core.peer().openClientPorts();
    }

    @Override
    public void startAdminServer(Supplier<AdminServer> adminServer) {
        monitoring.startAdminServer(adminServer.get());
    }

    @Override
    public ServingPolicy.WithoutOrder withoutOrder() {
        return ReadOnlyMode.ifEnabled(core.peer(), core.server(), core.lock(), monitoring::showServer);
    }

    @Override
    public void showRole(OrderingStatus status) {
        monitoring.tick(status);
    }

    @Override
    public void close() {
        monitoring.close();
    }
}
