package io.chainkeeper.server.monitoring;

import io.chainkeeper.replica.TotalOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.zookeeper.metrics.MetricsContext;
import org.apache.zookeeper.server.ServerMetrics;

/** Shows the order's numbers beside ZooKeeper's own, in {@code mntr}, AdminServer and every metrics provider. */
public final class OrderingGauges {
    private static final String PREFIX = "ordering_";
    private static final String MEMBER = ".";
    private static final String OF_DISKS = "shared_disk_";

    private final MetricsContext context;
    private final List<String> names = new ArrayList<>();
    private final List<String> setNames = new ArrayList<>();

    private OrderingGauges(MetricsContext context) {
        this.context = context;
    }

    /** Puts several parts' numbers together. */
    public static Map<String, LongSupplier> merged(List<Map<String, LongSupplier>> parts) {
        Map<String, LongSupplier> all = new TreeMap<>();
        parts.forEach(all::putAll);
        return all;
    }

    /** Registers a gauge for each number that the order reports now, for further ones, and for each member. */
    static OrderingGauges register(TotalOrder order, OrderView view, Map<String, LongSupplier> further) {
        OrderingGauges gauges = new OrderingGauges(
                ServerMetrics.getMetrics().getMetricsProvider().getRootContext());
        for (String name : order.gauges().keySet()) {
            if (!name.contains(MEMBER)) {
                gauges.add(name, () -> order.gauges().get(name));
            }
        }
        gauges.addOfDisks(order);
        further.forEach(gauges::add);
        gauges.add("role", () -> view.status().role().ordinal());
        gauges.add("epoch", () -> view.status().epoch());
        gauges.add("links_up", () -> view.linkedPeers().size());
        gauges.add("loop_silent_millis", view::silentMillis);
        gauges.add("last_election_millis", view::electionMillis);
        gauges.add("lag_positions", () -> Math.max(0, view.lagPositions(view.replicaId())));
        gauges.add("lag_millis", () -> Math.max(0, view.lagMillis(view.replicaId())));
        gauges.addOfMembers("member_acknowledged", view, view::acknowledged);
        gauges.addOfMembers("member_lag_positions", view, view::lagPositions);
        gauges.addOfMembers("member_lag_millis", view, view::lagMillis);
        return gauges;
    }

    private void add(String name, LongSupplier number) {
        context.registerGauge(PREFIX + name, number::getAsLong);
        names.add(PREFIX + name);
    }

    /** A number about a member. */
    @FunctionalInterface
    private interface OfMember {
        long get(int member);
    }

    private void addOfMembers(String name, OrderView view, OfMember number) {
        context.registerGaugeSet(PREFIX + name, () -> {
            Map<String, Number> values = new TreeMap<>();
            for (int member : view.chain()) {
                long value = number.get(member);
                if (value != OrderView.UNKNOWN) {
                    values.put(Integer.toString(member), value);
                }
            }
            return values;
        });
        setNames.add(PREFIX + name);
    }

    /** The numbers about shared disks, each with the number of its disk behind a dot. */
    private void addOfDisks(TotalOrder order) {
        Set<String> ofDisks = order.gauges().keySet().stream()
                .filter(name -> name.startsWith(OF_DISKS) && name.contains(MEMBER))
                .map(name -> name.substring(0, name.indexOf(MEMBER) + 1))
                .collect(Collectors.toCollection(TreeSet::new));
        for (String prefix : ofDisks) {
            String name = PREFIX + prefix.substring(0, prefix.length() - 1);
            context.registerGaugeSet(name, () -> {
                Map<String, Number> values = new TreeMap<>();
                order.gauges().forEach((each, value) -> {
                    if (each.startsWith(prefix)) {
                        values.put(each.substring(prefix.length()), value);
                    }
                });
                return values;
            });
            setNames.add(name);
        }
    }

    void unregister() {
        names.forEach(context::unregisterGauge);
        setNames.forEach(context::unregisterGaugeSet);
    }
}
