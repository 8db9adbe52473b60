package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.swarm.FaultCount;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import io.chainkeeper.simulation.swarm.SwarmDraw;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.Test;

/**
 * A kind of fault that runs of an application draw does something in some of them: what its own guards always refuse,
 * or what waits for a moment that never comes, is no fault.
 */
public class FaultEffectsTest {
    /** Among so many seeds are those that draw even what is rarest. */
    private static final long SEEDS_DRAWN = 400;

    /**
     * So many seeds that draw a kind of fault may pass without any effect of it. The rarest have one in every tenth,
     * and runs change with each protocol: too few here would be a test that fails by chance.
     */
    private static final int SEEDS_TRIED = 100;

    @Test
    public void chain_everyKindOfFaultHasAnEffect() {
        assertAllHaveEffects("chain");
    }

    @Test
    public void iss_everyKindOfFaultHasAnEffect() {
        assertAllHaveEffects("iss");
    }

    @Test
    public void disk_everyKindOfFaultHasAnEffect() {
        assertAllHaveEffects("disk");
    }

    private static void assertAllHaveEffects(String protocol) {
        OrderingProtocolFactory factory = Protocols.named(protocol);
        List<String> missing = new ArrayList<>();
        for (SimulatedApplication application : SimulatedApplication.values()) {
            if (application.concerns(factory)) {
                withoutEffect(factory, application)
                        .forEach(fault -> missing.add(fault + " under " + application.optionValue()));
            }
        }
        assertEquals("never effective with " + protocol, List.of(), missing);
    }

    /** Runs seeds that draw what was not effective yet, the rarest first, and returns what never is. */
    private static List<Fault> withoutEffect(OrderingProtocolFactory factory, SimulatedApplication application) {
        Map<Fault, List<Long>> drawing = seedsByFault(factory, application);
        List<Fault> kinds = new ArrayList<>(drawing.keySet());
        kinds.sort(Comparator.comparingInt(fault -> drawing.get(fault).size()));
        Set<Fault> effective = EnumSet.noneOf(Fault.class);
        List<Fault> never = new ArrayList<>();
        for (Fault kind : kinds) {
            List<Long> seeds = drawing.get(kind);
            for (int i = 0; i < Math.min(SEEDS_TRIED, seeds.size()) && !effective.contains(kind); i++) {
                effective.addAll(effectsOf(Script.of(factory, application, seeds.get(i))));
            }
            if (!effective.contains(kind)) {
                never.add(kind);
            }
        }
        return never;
    }

    private static Map<Fault, List<Long>> seedsByFault(
            OrderingProtocolFactory factory, SimulatedApplication application) {
        Map<Fault, List<Long>> drawing = new EnumMap<>(Fault.class);
        for (long seed = 1; seed <= SEEDS_DRAWN; seed++) {
            SplittableRandom random = new SplittableRandom(seed).split();
            for (Fault fault : SwarmDraw.draw(random, factory, application)
                    .faultIntervalMicros()
                    .keySet()) {
                drawing.computeIfAbsent(fault, kind -> new ArrayList<>()).add(seed);
            }
        }
        return drawing;
    }

    private static Set<Fault> effectsOf(Script script) {
        Map<String, FaultCount> counts = Simulation.run(script).faults();
        Set<Fault> effective = EnumSet.noneOf(Fault.class);
        counts.forEach((kind, count) ->
                assertTrue(script.command() + ": " + kind + " " + count, count.effective() <= count.due()));
        for (Fault fault : Fault.values()) {
            String name = fault.name().toLowerCase(Locale.ROOT).replace('_', '-');
            if (counts.getOrDefault(name, FaultCount.NONE).effective() > 0) {
                effective.add(fault);
            }
        }
        return effective;
    }
}
