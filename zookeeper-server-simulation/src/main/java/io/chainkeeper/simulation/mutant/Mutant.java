package io.chainkeeper.simulation.mutant;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.util.Set;

/**
 * Replicas that do without one rule.
 *
 * @param rule its name
 * @param statement what it says, in words, without a full stop
 * @param application under which its loss is looked for
 * @param factory of the protocol without the rule, or of the protocol as it is if the rule is the host's
 * @param missing rules of the host that are missing
 */
public record Mutant(
        String rule,
        String statement,
        SimulatedApplication application,
        OrderingProtocolFactory factory,
        Set<HostRule> missing) {
    /** @return name of the protocol */
    public String protocol() {
        return factory.name();
    }

    /**
     * @param other application to look for it under
     * @return the same without the same rule
     */
    public Mutant under(SimulatedApplication other) {
        return new Mutant(rule, statement, other, factory, missing);
    }

    @Override
    public String toString() {
        return protocol() + " without " + rule + " under " + application.optionValue();
    }
}
