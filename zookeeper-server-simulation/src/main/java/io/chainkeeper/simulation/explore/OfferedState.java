package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.ByteSlice;

/**
 * The state of a replica as another one takes it.
 *
 * @param checkpoint what is installed
 * @param promise what its sender had promised; empty if nothing, or if its protocol gives none with a state
 */
record OfferedState(ExploredCheckpoint checkpoint, ByteSlice promise) {
    static final OfferedState NOTHING = new OfferedState(ExploredCheckpoint.NOTHING, ByteSlice.EMPTY);
}
