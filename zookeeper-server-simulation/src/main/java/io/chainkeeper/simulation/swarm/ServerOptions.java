package io.chainkeeper.simulation.swarm;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;

/**
 * What stands in the configuration of whole servers, where a run has them.
 *
 * @param reads what reads promise
 */
public record ServerOptions(ReadConsistency reads) {
    /** As by default. */
    public static final ServerOptions DEFAULT = new ServerOptions(ReadConsistency.LINEARIZABLE);

    /** Whether a read sees what was answered before it was asked. */
    public boolean areReadsLinearizable() {
        return reads == ReadConsistency.LINEARIZABLE;
    }
}
