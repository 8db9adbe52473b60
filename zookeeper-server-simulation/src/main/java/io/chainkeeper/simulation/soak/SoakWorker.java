package io.chainkeeper.simulation.soak;

import com.sun.management.OperatingSystemMXBean;
import io.chainkeeper.simulation.Attempt;
import io.chainkeeper.simulation.Protocols;
import io.chainkeeper.simulation.Script;
import io.chainkeeper.simulation.Shrinker;
import io.chainkeeper.simulation.Simulation;
import io.chainkeeper.simulation.StateCoverage;
import io.chainkeeper.simulation.Story;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * One process of a soak: runs the seeds that its standard input names, one by one, and reports each on its standard
 * output. It ends when its input does. A seed that fails is shrunk and its story written.
 */
final class SoakWorker {
    private static final int SHRINK_RUNS = 400;

    private final Path directory;
    private final StateCoverage coverage = new StateCoverage();
    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private long cpuNanos;

    private SoakWorker(Path directory) {
        this.directory = directory;
    }

    /** @param arguments the directory of the soak */
    public static void main(String[] arguments) throws IOException {
        SoakWorker worker = new SoakWorker(Path.of(arguments[0]));
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            String[] words = order.split(" ");
            Script script = Script.of(
                    Protocols.named(words[0]), SimulatedApplication.named(words[1]), Long.parseLong(words[2]));
            System.out.println(worker.run(script).line());
        }
    }

    private Report run(Script script) throws IOException {
        Attempt attempt = Simulation.attempt(script, coverage);
        String failure = "";
        if (attempt.hasFailed()) {
            System.out.println("shrinking seed " + script.seed());
            failure = tell(script, attempt);
        }
        long before = cpuNanos;
        cpuNanos = process.getProcessCpuTime();
        Simulation.Result result = attempt.result();
        Runtime heap = Runtime.getRuntime();
        return new Report(
                attempt.steps(),
                cpuNanos - before,
                attempt.virtualMicros(),
                result == null ? 0 : result.settlingMicros(),
                result == null ? attempt.requests().size() : result.operations(),
                result == null ? 0 : result.answered(),
                heap.totalMemory() - heap.freeMemory(),
                result == null ? Map.of() : result.faults(),
                coverage.takeFresh(),
                failure);
    }

    private String tell(Script script, Attempt attempt) throws IOException {
        String name = String.join(
                "-",
                "failed",
                script.factory().name(),
                script.application().optionValue(),
                String.valueOf(script.seed()));
        Path file = directory.resolve(name + ".txt");
        Files.writeString(file, attempt.failure() + "\nreplay: " + script.command() + "\n");
        Files.writeString(file, Story.tell(Shrinker.shrink(script, SHRINK_RUNS)));
        String what = attempt.failure().toString().lines().findFirst().orElse("");
        return what + " (" + file.getFileName() + ")";
    }
}
