package io.chainkeeper.chain;

import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.RuleSwitches;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * The rules that safety hangs on and that no other check would miss. They stand apart so that a test, or the simulator,
 * can take one out and show that a violation is then found.
 */
final class SafetyRules {
    private final RuleSwitches switches;

    /** All of them. */
    SafetyRules() {
        this(RuleSwitches.ALL_ON);
    }

    SafetyRules(RuleSwitches switches) {
        this.switches = switches;
    }

    static SafetyRules without(SafetyRule rule) {
        return new SafetyRules(RuleSwitches.without(rule));
    }

    RuleSwitches switches() {
        return switches;
    }

    boolean isOn(SafetyRule rule) {
        return switches.isOn(rule);
    }

    /** Whether a value may be acknowledged, and decided by the vector, in a ballot. */
    boolean countsAsAccepted(Ballot accepted, Ballot current) {
        return accepted.equals(current) || !isOn(SafetyRule.VALUE_OF_THIS_BALLOT_COUNTS);
    }

    /** Whether anything may be executed in the present ballot. */
    boolean mayDeliver(boolean promiseIsDurable) {
        return promiseIsDurable || !isOn(SafetyRule.PROMISE_IS_DURABLE_BEFORE_DELIVERY);
    }

    /** Whether a quorum of each of these memberships has seen a read round. */
    boolean isConfirmed(IntToLongFunction roundSeen, long round, List<Membership> inForce) {
        for (Membership membership : inForce) {
            if (Memberships.reachedByQuorum(roundSeen, membership) < round
                    && isOn(SafetyRule.READ_ROUND_NEEDS_QUORUM)) {
                return false;
            }
        }
        return true;
    }

    /** Whether a voter may say that it has seen a request for a read index. */
    boolean mayHaveSeenRequest(boolean isOfItsBallot) {
        return isOfItsBallot || !isOn(SafetyRule.READ_REQUEST_SEEN_IN_ITS_BALLOT);
    }

    /** Whether everything up to the read index of a round has been delivered. */
    boolean isCovered(long readIndex, long maxDecided) {
        return readIndex <= maxDecided || !isOn(SafetyRule.READ_WAITS_FOR_READ_INDEX);
    }

    /** Whether so many promises of members are enough where this membership is in force. */
    boolean suffices(int promises, Membership inForce, boolean isFirst) {
        SafetyRule rule = isFirst ? SafetyRule.QUORUM_OF_PROMISES : SafetyRule.QUORUM_OF_LATER_MEMBERSHIPS;
        return promises >= inForce.quorum() || !isOn(rule);
    }
}
