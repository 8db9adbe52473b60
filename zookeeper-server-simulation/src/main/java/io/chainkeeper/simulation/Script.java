package io.chainkeeper.simulation;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.mutant.Mutant;
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
 * @param without name of the rule that replicas do without, empty if they follow all
 */
public record Script(
        OrderingProtocolFactory factory,
        SimulatedApplication application,
        Set<HostRule> missing,
        long seed,
        Selection selection,
        String without) {
    /** A run of a seed with all that it draws, of replicas that follow all rules. Parameters as above. */
    public static Script of(OrderingProtocolFactory factory, SimulatedApplication application, long seed) {
        return new Script(factory, application, Set.of(), seed, Selection.ALL, "");
    }

    /** A run of a seed with all that it draws, of replicas that do without a rule. */
    public static Script of(Mutant mutant, long seed) {
        return new Script(mutant.factory(), mutant.application(), mutant.missing(), seed, Selection.ALL, mutant.rule());
    }

    /** The same with a part of what the seed draws. */
    public Script with(Selection part) {
        return new Script(factory, application, missing, seed, part, without);
    }

    /** The same with another seed. */
    Script at(long other) {
        return new Script(factory, application, missing, other, selection, without);
    }

    Set<HostRule> rules() {
        Set<HostRule> rules = EnumSet.allOf(HostRule.class);
        rules.removeAll(missing);
        return rules;
    }

    /** The command that runs it again. */
    public String command() {
        return "bin/simulate.sh --protocol " + factory.name() + application.option() + " --seed " + seed
                + (without.isEmpty() ? "" : " --without " + without) + selection.options();
    }
}
