package io.chainkeeper.simulation.znode;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.swarm.SwarmOptions;

/**
 * Where a server runs, and whose directory it has.
 *
 * @param cluster whose time, links and configuration it has
 * @param origin of its directory: the same, unless an operator has made a mistake
 * @param options of the run
 */
record ServerPlace(Cluster cluster, Cluster origin, SwarmOptions options) {
    /** Whether its directory is another cluster's. */
    boolean isOfAStranger() {
        return cluster != origin;
    }
}
