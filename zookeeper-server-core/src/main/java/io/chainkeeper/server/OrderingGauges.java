package io.chainkeeper.server;

import io.chainkeeper.replica.TotalOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
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

    /** Registers a gauge for each number that the order reports now, and for further ones. */
    static OrderingGauges register(TotalOrder order, Map<String, LongSupplier> further) {
        MetricsContext context = ServerMetrics.getMetrics().getMetricsProvider().getRootContext();
        List<String> names = new ArrayList<>(order.gauges().keySet());
        for (String name : names) {
            context.registerGauge(PREFIX + name, () -> order.gauges().get(name));
        }
        further.forEach((name, number) -> context.registerGauge(PREFIX + name, number::getAsLong));
        names.addAll(further.keySet());
        return new OrderingGauges(context, names);
    }

    void unregister() {
        names.forEach(name -> context.unregisterGauge(PREFIX + name));
    }
}
