package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Membership;

/**
 * What the application of a replica has made durable by itself.
 *
 * @param position covered; 0 if there is none
 * @param applied how many commands it had applied by then
 * @param proposers the table of what was applied, encoded; null if there is none
 * @param membership the latest ordered one; null if none was ordered
 */
record ExploredCheckpoint(long position, int applied, ByteSlice proposers, Membership membership) {
    static final ExploredCheckpoint NOTHING = new ExploredCheckpoint(0, 0, null, null);
}
