package io.chainkeeper.simulation.znode;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.server.session.SessionTable;
import org.apache.zookeeper.server.DataTree;

/** Checks the ephemeral nodes of a replica. */
final class Ephemerals {
    private Ephemerals() {}

    /**
     * An ephemeral node lives no longer than its session.
     *
     * @param id replica id
     * @param position executed last
     * @param tree of the replica
     * @param sessions of the replica
     */
    static void check(int id, long position, DataTree tree, SessionTable sessions) {
        for (long owner : tree.getSessions()) {
            if (sessions.get(owner) == null) {
                InvariantViolated.check(
                        tree.getEphemerals(owner).isEmpty(),
                        "replica %d: ephemerals %s outlive session 0x%x at position %d",
                        id,
                        tree.getEphemerals(owner),
                        owner,
                        position);
            }
        }
    }
}
