package io.chainkeeper.iss;

import io.chainkeeper.ordering.RuleSwitches;

/** Rules that safety rests on, one by one, so that tests and the simulator can show what happens without each. */
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

    /** Whether so many promises are enough for phase 1. */
    boolean suffices(int promises, int quorum) {
        return promises >= quorum || !isOn(SafetyRule.QUORUM_OF_PROMISES);
    }

    /** Whether so many answers are enough for a read. */
    boolean isReadAnswered(int answers, int quorum) {
        return answers >= quorum || !isOn(SafetyRule.QUORUM_OF_ANSWERS);
    }
}
