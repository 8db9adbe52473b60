package io.chainkeeper.server;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import java.util.function.IntToLongFunction;

/** What a leader does about its membership, one step at a time. */
final class MembershipSteps {
    private MembershipSteps() {}

    /**
     * The membership one step closer to the configured ensemble, null if it is there.
     *
     * @param diskOf the disk of a replica that may be admitted, else 0
     */
    static Membership next(Membership now, Ensemble wanted, IntToLongFunction diskOf) {
        for (int id : wanted.participants()) {
            long disk = diskOf.applyAsLong(id);
            if (!now.contains(id) && disk != 0) {
                return now.with(new Member(id, disk));
            }
        }
        for (int id : now.replicaIds()) {
            if (!wanted.participants().contains(id) && now.members().size() > 1) {
                return now.without(id);
            }
        }
        return null;
    }
}
