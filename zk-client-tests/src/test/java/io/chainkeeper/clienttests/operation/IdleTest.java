package io.chainkeeper.clienttests.operation;

import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** What an ensemble costs that nobody uses. */
public class IdleTest {
    /** Linux counts CPU time in hundredths of a second for user space, whatever the kernel was built with. */
    private static final long CPU_CLOCK_HERTZ = 100;

    private static final double MOST_CORE_PERCENT = 1.5;
    private static final long MOST_WRITTEN_BYTES_PER_SECOND = 1_000;
    private static final long WINDOW_SECONDS = 6;
    private static final Duration SETTLING_LIMIT = Duration.ofSeconds(90);

    @ClassRule
    public static final Ensemble ensemble = Ensemble.named("idle").build();

    @Rule
    public final TestRule limit = ensemble.testLimit(150);

    /** @param cpuClockTicks by thread; not of compilers, whose work ends, how soon depends on the machine */
    private record Usage(Map<Path, Long> cpuClockTicks, long writtenBytes) {
        private static Usage of(ServerProcess server) throws IOException {
            Path process = Path.of("/proc", Long.toString(server.pid()));
            for (String line : Files.readAllLines(process.resolve("io"))) {
                if (line.startsWith("write_bytes: ")) {
                    long writtenBytes = Long.parseLong(line.substring("write_bytes: ".length()));
                    return new Usage(cpuClockTicks(process.resolve("task")), writtenBytes);
                }
            }
            throw new IOException("no write_bytes in " + process.resolve("io"));
        }

        private static Map<Path, Long> cpuClockTicks(Path threads) throws IOException {
            Map<Path, Long> cpuClockTicks = new HashMap<>();
            try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
                for (Path thread : all) {
                    try {
                        String stat = Files.readString(thread.resolve("stat"));
                        // The name in parentheses may contain blanks; utime and stime: fields 12 and 13 after it.
                        String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
                        String[] fields =
                                stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                        if (!name.matches("C[12] .*")) {
                            cpuClockTicks.put(thread, Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
                        }
                    } catch (IOException e) {
                        // The thread has ended since.
                    }
                }
            }
            return cpuClockTicks;
        }

        private long cpuClockTicksSince(Usage before) {
            return cpuClockTicks.entrySet().stream()
                    .mapToLong(each -> each.getValue() - before.cpuClockTicks.getOrDefault(each.getKey(), 0L))
                    .sum();
        }
    }

    /** What runs five times a second is compiled when it has been called two hundred times: so long it settles. */
    @Test
    public void nobodyUsesTheEnsemble_itNeedsHardlyAnyCpuAndDisk() throws Exception {
        long start = System.nanoTime();
        List<String> excess;
        do {
            excess = measureWindow();
        } while (!excess.isEmpty() && System.nanoTime() - start < SETTLING_LIMIT.toNanos());
        if (!excess.isEmpty()) {
            throw new AssertionError("not idle within " + SETTLING_LIMIT.toSeconds() + " s: " + excess);
        }
    }

    private static List<String> measureWindow() throws Exception {
        Map<ServerProcess, Usage> before = new HashMap<>();
        for (ServerProcess server : ensemble.servers()) {
            before.put(server, Usage.of(server));
        }
        long start = System.nanoTime();
        TimeUnit.SECONDS.sleep(WINDOW_SECONDS);
        double seconds = (System.nanoTime() - start) / 1e9;
        List<String> excess = new ArrayList<>();
        for (ServerProcess server : ensemble.servers()) {
            Usage now = Usage.of(server);
            Usage then = before.get(server);
            double percent = 100.0 * now.cpuClockTicksSince(then) / CPU_CLOCK_HERTZ / seconds;
            double bytesPerSecond = (now.writtenBytes - then.writtenBytes) / seconds;
            String figures = String.format(
                    "server %d (%s): %.2f %% of a core, %.0f bytes written per second",
                    server.id(), server.mode(), percent, bytesPerSecond);
            System.out.println(figures);
            if (percent >= MOST_CORE_PERCENT || bytesPerSecond >= MOST_WRITTEN_BYTES_PER_SECOND) {
                excess.add(figures);
            }
        }
        return excess;
    }
}
