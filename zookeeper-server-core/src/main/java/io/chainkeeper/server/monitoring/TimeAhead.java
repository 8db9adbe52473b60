package io.chainkeeper.server.monitoring;

import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says when the agreed time, which is that of the clock that is furthest ahead, has left this server's own clock
 * behind: times to live and the times of znodes are wrong then, at all servers. Looked at by one thread; its gauge by
 * any.
 */
public final class TimeAhead {
    private static final Logger LOG = LoggerFactory.getLogger(TimeAhead.class);
    private static final long REPORTED_MILLIS = 5_000;

    private final LongSupplier agreedMillis;
    private final LongSupplier wallClockMillis;
    private boolean reported;

    /**
     * @param agreedMillis the agreed time of the last command, milliseconds since 1970
     * @param wallClockMillis this server's clock, milliseconds since 1970
     */
    public TimeAhead(LongSupplier agreedMillis, LongSupplier wallClockMillis) {
        this.agreedMillis = agreedMillis;
        this.wallClockMillis = wallClockMillis;
    }

    /** @return by how many milliseconds the agreed time is ahead of this server's clock, 0 if it is not */
    public long millis() {
        return Math.max(0, agreedMillis.getAsLong() - wallClockMillis.getAsLong());
    }

    /**
     * Logs a line when the agreed time gets more than five seconds ahead, and one when it is no more than one second
     * ahead again; called several times a second.
     *
     * @return whether the first of them has been logged, and not the second one since
     */
    public boolean look() {
        long ahead = millis();
        if (!reported && ahead > REPORTED_MILLIS) {
            reported = true;
            LOG.warn(
                    "The agreed time is {} ms ahead of this server's clock: the clock of a server is ahead, or was, or"
                            + " this one's is behind. Until the clocks have reached it the agreed time stands still,"
                            + " and times to live have ended too early. Set the clocks of all servers, with NTP for"
                            + " example (ordering_time_ahead_millis; the server that shows 0 has the clock that is"
                            + " ahead)",
                    ahead);
        } else if (reported && ahead <= REPORTED_MILLIS / 5) {
            reported = false;
            LOG.info("The agreed time is no longer ahead of this server's clock");
        }
        return reported;
    }

    /** @return the number for monitoring, its name without the prefix */
    public Map<String, LongSupplier> gauges() {
        return Map.of("time_ahead_millis", this::millis);
    }
}
