package io.chainkeeper.server.storage;

import io.chainkeeper.ordering.ByteSlice;

/**
 * Replicated state beside the tree, captured between two positions.
 *
 * @param position last position executed
 * @param zxid last zxid taken by then
 * @param proposers see {@link io.chainkeeper.replica.ProposerTable#encode}
 * @param replicatedState see {@link io.chainkeeper.server.state.ReplicatedState#encode}
 */
public record CheckpointRequest(long position, long zxid, ByteSlice proposers, ByteSlice replicatedState) {}
