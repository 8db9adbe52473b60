package io.chainkeeper.simulation;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.swarm.Selection;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.util.EnumSet;
import java.util.Set;

/**
 * What decides a run.
 *
 * @param factory the protocol
 * @param application above it
 * @param missing rules that hosts do not follow
 * @param seed decides everything else
 * @param selection which part of what the seed draws happens
 */
public record Script(
        OrderingProtocolFactory factory,
        SimulatedApplication application,
        Set<HostRule> missing,
        long seed,
        Selection selection) {
    /** A run of a seed with all that it draws, of replicas that follow all rules. Parameters as above. */
    public static Script of(OrderingProtocolFactory factory, SimulatedApplication application, long seed) {
        return new Script(factory, application, Set.of(), seed, Selection.ALL);
    }

    /** The same with a part of what the seed draws. */
    public Script with(Selection part) {
        return new Script(factory, application, missing, seed, part);
    }

    Set<HostRule> rules() {
        Set<HostRule> rules = EnumSet.allOf(HostRule.class);
        rules.removeAll(missing);
        return rules;
    }

    /** The command that runs it again. */
    public String command() {
        return "bin/simulate.sh --protocol " + factory.name() + application.option() + " --seed " + seed
                + selection.options();
    }
}
