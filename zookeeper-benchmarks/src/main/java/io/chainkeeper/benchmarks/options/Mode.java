package io.chainkeeper.benchmarks.options;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What is measured. */
public enum Mode {
    /** setData, as fast as the ensemble takes it. */
    WRITES(0, 0.2),
    /** A mix of getData and setData, as fast as the ensemble takes it. */
    READS(0.95, 0.2),
    /** One client with one operation outstanding, at each replica in turn: writes, then reads. */
    LATENCY(0, 0),
    /** Servers in several regions, each client at the server of its own: writes, then reads. */
    WIDE_AREA(0, 0),
    /** Many idle sessions that all lose their connections at once and come back, while others write. */
    STORM(0, 0),
    /** Nothing but sessions' keep-alives: CPU and disk writes of an idle ensemble. */
    IDLE(0, 0),
    /** The longest time without a successful write around the death of a server. */
    FAILOVER(0, 0),
    /** A server that comes back with an empty data directory, and what that costs the others. */
    JOIN(0, 0);

    private final double defaultReadRatio;
    private final double defaultCpuCores;

    Mode(double defaultReadRatio, double defaultCpuCores) {
        this.defaultReadRatio = defaultReadRatio;
        this.defaultCpuCores = defaultCpuCores;
    }

    double defaultReadRatio() {
        return defaultReadRatio;
    }

    double defaultCpuCores() {
        return defaultCpuCores;
    }

    /** @return whether servers are stopped while it is measured */
    boolean isFault() {
        return this == FAILOVER || this == JOIN;
    }

    /** @return whether each session has one operation in flight unless the user asks for more */
    boolean hasFewInFlight() {
        return isFault() || this == WIDE_AREA || this == STORM;
    }

    /** @return the name in the command line */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Mode of(String word) throws UsageException {
        for (Mode mode : values()) {
            if (mode.word().equals(word)) {
                return mode;
            }
        }
        throw new UsageException("unknown mode '" + word + "'; give one of "
                + Arrays.stream(values()).map(Mode::word).collect(Collectors.joining(", ")));
    }
}
