package io.chainkeeper.server.guard;

import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches whether a protocol whose order has bounded space says that it runs out of it. While it does, this replica's
 * clients may not write, so that there is room for sessions and for removing the server that is to blame.
 */
public final class OrderSpaceGuard {
    private static final Logger LOG = LoggerFactory.getLogger(OrderSpaceGuard.class);
    private static final String LOW = "ring_low";
    private static final String HELD_BY = "ring_held_by";

    private final Supplier<Map<String, Long>> gauges;
    private volatile String refusal;

    /** @param gauges of the order; empty while there is none */
    public OrderSpaceGuard(Supplier<Map<String, Long>> gauges) {
        this.gauges = gauges;
    }

    /** Looks at what the order says; called twice a second, by one thread at a time. */
    void look() {
        Map<String, Long> now = gauges.get();
        boolean wasLow = refusal != null;
        boolean isLow = now.getOrDefault(LOW, 0L) != 0;
        refusal = isLow ? refusal(now.getOrDefault(HELD_BY, 0L)) : null;
        if (isLow && !wasLow) {
            LOG.warn("Refusing client writes: {}. Reads and sessions go on", refusal);
        } else if (wasLow && !isLow) {
            LOG.warn("Accepting client writes again: the rings on the shared disks have room");
        }
    }

    private static String refusal(long server) {
        return "the rings on the shared disks are nearly full, because server " + server
                + " has no checkpoint of what they hold; start it, or remove it with reconfig";
    }

    /** @return why clients' writes are refused, one line; null if they are not. Any thread */
    public String refusal() {
        return refusal;
    }
}
