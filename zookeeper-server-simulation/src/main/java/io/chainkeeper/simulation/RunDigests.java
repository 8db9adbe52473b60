package io.chainkeeper.simulation;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What some seeds of every protocol and application amount to, one line each, so that a file of them shows whether the
 * same seed is the same run on another machine. {@code bin/simulate.sh --digests FILE} writes the file anew.
 */
public final class RunDigests {
    private static final long SEEDS = 3;

    private RunDigests() {}

    /** The digests of this machine. */
    public static List<String> all() {
        List<String> lines = new ArrayList<>();
        for (String protocol : Protocols.all().keySet()) {
            for (SimulatedApplication application : SimulatedApplication.values()) {
                OrderingProtocolFactory factory = Protocols.named(protocol);
                for (long seed = 1; seed <= SEEDS && application.concerns(factory); seed++) {
                    lines.add(of(Script.of(factory, application, seed)));
                }
            }
        }
        return lines;
    }

    private static String of(Script script) {
        Attempt attempt = Simulation.attempt(script);
        String end = attempt.hasFailed()
                ? "failed"
                : String.format("%016x", attempt.result().traceHash());
        return String.join(
                " ",
                script.factory().name(),
                script.application().optionValue(),
                String.valueOf(script.seed()),
                String.valueOf(attempt.steps()),
                end);
    }

    /** Writes them to a file. */
    static void write(Path file) throws IOException {
        Files.writeString(file, String.join("\n", all()) + "\n");
    }
}
