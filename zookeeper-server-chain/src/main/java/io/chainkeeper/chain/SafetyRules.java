package io.chainkeeper.chain;

import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * The rules that safety hangs on and that no other check would miss. They stand apart so that a test can take one out
 * and show that the simulator then finds a violation.
 */
class SafetyRules {
    /** Only a value accepted in the current ballot may be acknowledged and decided by its vector. */
    boolean countsAsAccepted(Ballot accepted, Ballot current) {
        return accepted.equals(current);
    }

    /**
     * A replica executes in a ballot only when its disk keeps the promise of that ballot: what is executed may be on
     * disk, as a checkpoint, before the acceptor log is.
     */
    boolean mayDeliver(boolean promiseIsDurable) {
        return promiseIsDurable;
    }

    /** A read round is confirmed when a quorum of each membership that may be in force has seen it. */
    boolean isConfirmed(IntToLongFunction roundSeen, long round, List<Membership> inForce) {
        for (Membership membership : inForce) {
            if (Memberships.reachedByQuorum(roundSeen, membership) < round) {
                return false;
            }
        }
        return true;
    }

    /** A read is answered only after everything that was proposed when its round began has been delivered. */
    boolean isCovered(long readIndex, long maxDecided) {
        return readIndex <= maxDecided;
    }

    /** A candidate needs promises from a quorum of every membership in force where it is going to propose. */
    boolean suffices(int promises, Membership inForce, boolean isFirst) {
        return promises >= inForce.quorum();
    }
}
