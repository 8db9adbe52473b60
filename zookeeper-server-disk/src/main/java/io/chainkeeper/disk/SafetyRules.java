package io.chainkeeper.disk;

import io.chainkeeper.ordering.RuleSwitches;

/** Rules that safety rests on, one by one, so that tests can show what happens without each. */
final class SafetyRules {
    private final RuleSwitches switches;

    SafetyRules(RuleSwitches switches) {
        this.switches = switches;
    }

    RuleSwitches switches() {
        return switches;
    }

    boolean isOn(SafetyRule rule) {
        return switches.isOn(rule);
    }
}
