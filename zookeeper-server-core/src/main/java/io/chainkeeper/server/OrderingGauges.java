package io.chainkeeper.server;

import io.chainkeeper.replica.TotalOrder;
import java.util.List;
import org.apache.zookeeper.metrics.MetricsContext;
import org.apache.zookeeper.server.ServerMetrics;

/** Shows the order's numbers beside ZooKeeper's own, in {@code mntr}, AdminServer and every metrics provider. */
final class OrderingGauges {
    private static final String PREFIX = "ordering_";

    private final MetricsContext context;
    private final List<String> names;

    private OrderingGauges(MetricsContext context, List<String> names) {
        this.context = context;
        this.names = names;
    }

    /** Registers a gauge for each number that the order reports now. */
    static OrderingGauges register(TotalOrder order) {
        MetricsContext context = ServerMetrics.getMetrics().getMetricsProvider().getRootContext();
        List<String> names = List.copyOf(order.gauges().keySet());
        for (String name : names) {
            context.registerGauge(PREFIX + name, () -> order.gauges().get(name));
        }
        return new OrderingGauges(context, names);
    }

    void unregister() {
        names.forEach(name -> context.unregisterGauge(PREFIX + name));
    }
}
