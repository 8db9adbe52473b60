package io.chainkeeper.server.execution;

import io.chainkeeper.server.state.StateDigest;
import java.util.List;

/**
 * What the reports for an audit amount to, as one replica sees it.
 *
 * @param position position of the audit
 * @param own what this replica has found itself, null if it could not compare at that position
 * @param agreed what a majority of the members has found, null if no majority can agree any more
 * @param agreeing the members that found it, ascending; empty if there is no majority
 * @param differing the replicas that have found something else, ascending
 */
public record AuditVerdict(
        long position, StateDigest own, StateDigest agreed, List<Integer> agreeing, List<Integer> differing) {
    /** Copies the lists. */
    public AuditVerdict {
        agreeing = List.copyOf(agreeing);
        differing = List.copyOf(differing);
    }

    /** @return whether this replica's state is not that of the majority */
    public boolean ownStateDiffers() {
        return own != null && agreed != null && !own.equals(agreed);
    }
}
