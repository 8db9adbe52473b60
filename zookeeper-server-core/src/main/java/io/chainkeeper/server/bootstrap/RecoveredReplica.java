package io.chainkeeper.server.bootstrap;

import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.RecoveredTransactions;

/**
 * What a replica begins with, beside the tree that its database has loaded.
 *
 * @param position executed; the tree may be that of a later one, as a fuzzy snapshot's is
 * @param state the replicated state beside the tree, of that position
 * @param proposers which commands have been executed
 * @param transactions that the tree holds and the order is about to repeat
 * @param ownConfiguration the ensemble as this server's own files have it
 */
record RecoveredReplica(
        long position,
        ReplicatedState state,
        ProposerTable proposers,
        RecoveredTransactions transactions,
        EnsembleConfig ownConfiguration) {}
