package io.chainkeeper.simulation.znode;

import io.chainkeeper.simulation.cluster.Cluster;

/**
 * Where a server runs, and whose directory it has.
 *
 * @param cluster whose time, links and configuration it has
 * @param origin of its directory: the same, unless an operator has made a mistake
 */
record ServerPlace(Cluster cluster, Cluster origin) {
    /** Whether its directory is another cluster's. */
    boolean isOfAStranger() {
        return cluster != origin;
    }
}
