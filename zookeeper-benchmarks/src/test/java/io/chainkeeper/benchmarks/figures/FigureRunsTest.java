package io.chainkeeper.benchmarks.figures;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.benchmarks.options.UsageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What {@code benchmark.sh figures} makes of results. */
public final class FigureRunsTest {
    private static final String RUN = """
            {"options": {"mode": "WRITES", "replicas": %d, "valueBytes": 128, "readRatio": 0.0, "outstanding": 32,
              "linearizableReads": true},
             "figures": [
              {"phase": "saturation, closed loop", "metric": "operations/s", "medians": {"chain": 3000, "zab": 1000},
               "ratio": 3.0},
              {"phase": "saturation, closed loop", "metric": "write latency p50, ms",
               "medians": {"chain": 5, "zab": 9}, "ratio": 0.55},
              {"phase": "1 in flight per session, closed loop", "metric": "operations/s",
               "medians": {"chain": 500}, "ratio": null},
              {"phase": "1 in flight per session, closed loop", "metric": "write latency p50, ms",
               "medians": {"chain": 2}, "ratio": null}]}
            """;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private Path directory() {
        return folder.getRoot().toPath();
    }

    private void figures() throws Exception {
        FigureRuns.write(
                List.of("figures", directory().toString()), new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    private String file(String name) throws IOException {
        return Files.readString(directory().resolve(name));
    }

    @Test
    public void runsWithThreeAndFiveReplicas_giveTableCsvAndCharts() throws Exception {
        Files.writeString(directory().resolve("writes-3.json"), RUN.formatted(3));
        Files.writeString(directory().resolve("writes-5.json"), RUN.formatted(5));
        figures();
        String table = out.toString(StandardCharsets.UTF_8);
        assertTrue(table, table.contains("writes, 128 B, 5 replicas, saturation, closed loop"));
        assertTrue(table, table.contains("ratio 3.00"));
        assertTrue(file("figures.csv")
                .contains("writes-3,\"writes, 128 B\",3,\"saturation, closed loop\",operations/s,zab,1000.0,3.0"));
        assertTrue(file("replicas-throughput-writes-128-B.svg").contains(">zab</text>"));
        assertTrue(file("writes-3-write-latency.svg").contains("<polyline"));
        assertFalse(Files.exists(directory().resolve("writes-3-read-latency.svg")));
        assertTrue(Files.size(directory().resolve("writes-3-write-latency.png")) > 0);
        String tables = file("tables.md");
        assertTrue(tables, tables.contains("""
                ## Throughput

                | operations/s | replicas | chain | zab | chain / zab |
                |---|---|---|---|---|
                | writes, 128 B, 32 in flight | 3 | 3 000 | 1 000 | 3.00 |
                | writes, 128 B, 1 in flight | 3 | 500 |  |  |
                """));
    }

    @Test
    public void runsDifferInOneAmount_growthIsDrawnOverIt() throws Exception {
        String more = "\"keys\": 1000, \"furtherZnodes\": %d, \"sessions\": 12, \"watches\": 0, \"valueBytes\"";
        Files.writeString(
                directory().resolve("znodes-1k.json"), RUN.formatted(3).replace("\"valueBytes\"", more.formatted(0)));
        Files.writeString(
                directory().resolve("znodes-1m.json"),
                RUN.formatted(3).replace("\"valueBytes\"", more.formatted(999_000)));
        figures();
        String table = out.toString(StandardCharsets.UTF_8);
        assertTrue(table, table.contains("writes, 128 B, 1000000 znodes, 3 replicas"));
        String chart = file("growth-throughput-over-znodes-writes-3-replicas-128-B-values-12-sessions.svg");
        assertTrue(chart, chart.contains(">1 000 000</text>") && chart.contains("<polyline"));
        assertFalse(Files.exists(directory()
                .resolve("growth-throughput-over-watches-writes-3-replicas-128-B-values-12-sessions-1000-znodes.svg")));
    }

    @Test
    public void runsDifferInLanes_throughputIsDrawnOverThem() throws Exception {
        String config = "\"serverConfig\": {\"disk.lanes\": \"%d\", \"disk.maxBatchCommands\": \"1\"}, \"valueBytes\"";
        for (int lanes : new int[] {1, 16}) {
            String run = RUN.formatted(2).replace("\"valueBytes\"", config.formatted(lanes));
            Files.writeString(directory().resolve("lanes-" + lanes + ".json"), run);
        }
        Files.writeString(directory().resolve("writes-2.json"), RUN.formatted(2));
        figures();
        String table = out.toString(StandardCharsets.UTF_8);
        assertTrue(table, table.contains("writes, 128 B, lanes 16, batches of 1, 2 replicas"));
        String chart = file("growth-throughput-over-lanes-writes-batches-of-1-2-replicas-128-B-values.svg");
        assertTrue(chart, chart.contains(">10</text>") && chart.contains("<polyline"));
        assertFalse(
                Files.exists(directory().resolve("growth-throughput-over-lanes-writes-2-replicas-128-B-values.svg")));
    }

    @Test
    public void throughputOverTime_isDrawnForEachFault() throws Exception {
        Files.writeString(directory().resolve("throughput.csv"), """
                protocol,replicas,tree_mb,victim,round,millis,writes_per_s
                chain,3,0,leader,1,-100,500
                chain,3,0,leader,1,0,0
                chain,3,0,leader,2,0,0
                chain,5,0,tail,1,0,480
                """);
        figures();
        assertTrue(file("recovery-3-replicas-leader-stopped-at-0-s.svg").contains("<polyline"));
        assertTrue(Files.exists(directory().resolve("recovery-5-replicas-tail-stopped-at-0-s.svg")));
        Files.writeString(directory().resolve("throughput.csv"), "a\nb\n");
        assertTrue(assertThrows(IOException.class, this::figures).getMessage().contains("throughput.csv: 'b' has not"));
    }

    @Test
    public void latencies_areMedianAndTailInOneCell() throws Exception {
        String one = RUN.formatted(3)
                .replace("WRITES", "LATENCY")
                .replace("saturation, closed loop", "one client, writes")
                .replace("operations/s", "write latency p99, ms");
        Files.writeString(directory().resolve("latency-3.json"), one);
        figures();
        assertTrue(file("tables.md"), file("tables.md").contains("| latency, 128 B: write | 3 | 5.00 / 3 000 |"));
    }

    @Test
    public void rounds_giveTheMediansOfValidOnes() throws Exception {
        Files.writeString(directory().resolve("throughput.csv"), """
                protocol,replicas,tree_mb,victim,round,millis,writes_per_s
                chain,3,0,leader,1,0,0
                """);
        Files.writeString(directory().resolve("rounds.csv"), """
                protocol,replicas,tree_mb,victim,round,verdict,comment,gap_all_ms,serving_s
                chain,3,0,leader,1,measured,,100,2.5
                chain,3,0,leader,2,measured,"a, ""b"" and c",200,
                chain,3,0,leader,3,void,,9000,1
                zab,3,10,tail,1,measured,,7,1
                """);
        figures();
        String tables = file("tables.md");
        assertTrue(tables, tables.contains("| chain | 3 | leader | 150 |  |  | 2.50 |"));
        assertTrue(tables, tables.contains("| zab | 3 | tail, tree of 10 MB | 7.00 |  |  | 1.00 |"));
        Files.writeString(directory().resolve("rounds.csv"), "a,b\n1\n");
        assertTrue(assertThrows(IOException.class, this::figures).getMessage().contains("rounds.csv: '1' has not 2"));
    }

    @Test
    public void misuse_isNamed() throws Exception {
        assertEquals(
                directory() + " holds no results (*.json, throughput.csv)",
                assertThrows(UsageException.class, this::figures).getMessage());
        Files.writeString(directory().resolve("other.json"), "{}");
        assertTrue(assertThrows(IOException.class, this::figures).getMessage().contains("other.json is not a result"));
        UsageException missing = assertThrows(
                UsageException.class, () -> FigureRuns.write(List.of("figures", directory() + "/none"), System.out));
        assertTrue(missing.getMessage(), missing.getMessage().endsWith("none is not a directory of results"));
    }
}
