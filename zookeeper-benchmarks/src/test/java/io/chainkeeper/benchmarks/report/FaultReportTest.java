package io.chainkeeper.benchmarks.report;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.benchmarks.faults.FaultFigures;
import io.chainkeeper.benchmarks.faults.FaultFigures.Piece;
import io.chainkeeper.benchmarks.faults.FaultResult;
import io.chainkeeper.benchmarks.faults.Rejoin;
import io.chainkeeper.benchmarks.host.MachineFacts;
import io.chainkeeper.benchmarks.load.WriteHistory;
import io.chainkeeper.benchmarks.options.FaultOptions;
import io.chainkeeper.benchmarks.options.FaultOptionsParser;
import io.chainkeeper.benchmarks.options.Mode;
import io.chainkeeper.benchmarks.options.Scenario;
import io.chainkeeper.benchmarks.options.UsageException;
import io.chainkeeper.benchmarks.options.Victim;
import io.chainkeeper.benchmarks.rounds.Outcome.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** From moments of writes to the figures, tables and files of the modes failover and join. */
public final class FaultReportTest {
    private static final MachineFacts MACHINE =
            new MachineFacts(2, "processor", 1 << 30, "Linux", "JVM", "ext4", "cgroup v1");
    private static final Scenario TAIL = new Scenario("chain", 3, 0, Victim.TAIL);

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** A client that writes every 50 ms, except from one moment to another. */
    private static WriteHistory history(long offset, long silentFrom, long silentTo) {
        WriteHistory history = new WriteHistory();
        for (long at = offset; at < 5000; at += 50) {
            if (at < silentFrom || at >= silentTo) {
                history.add(millis(at), millis(at < 3000 ? 2 : 4));
            }
        }
        return history;
    }

    /** Killed after one second, started again after three, caught up after four, over after five. */
    private static FaultFigures figures(Mode mode, boolean cameBack) {
        Rejoin rejoin = cameBack ? new Rejoin(millis(3500), millis(4100), millis(4000)) : null;
        return new FaultFigures(mode, 0, millis(1000), millis(3000), rejoin, millis(5000));
    }

    private FaultReport report(FaultResult... results) throws UsageException {
        FaultOptions options = FaultOptionsParser.parse(
                List.of("failover", "--lib", folder.getRoot().toString()));
        return new FaultReport(options, MACHINE, List.of(results));
    }

    private static FaultResult result(int round, double gap, List<String> voidReasons, String failure) {
        return new FaultResult(
                TAIL,
                round,
                3,
                Map.of("gap_all_ms", gap),
                List.of(new Piece(-100, 40), new Piece(0, 0)),
                voidReasons,
                List.of(),
                failure);
    }

    @Test
    public void serverIsKilled_gapsOfAllOfSurvivorsAndOfItsClientsAreToldApart() {
        // The two survivors are silent at different times, so the ensemble's gap is shorter than theirs.
        Map<String, Double> figures = figures(Mode.FAILOVER, true)
                .of(List.of(history(10, 1000, 1500), history(30, 1200, 1900)), List.of(history(20, 1000, 2500)), 7);
        assertEquals(750, figures.get("gap_survivors_client_ms"), 1e-6);
        assertEquals(1550, figures.get("gap_killed_client_ms"), 1e-6);
        assertEquals(330, figures.get("gap_all_ms"), 1e-6);
        assertEquals(30, figures.get("gap_before_ms"), 1e-6);
        assertEquals(50, figures.get("rejoin_gap_client_ms"), 1e-6);
        assertEquals(60, figures.get("writes_before_per_s"), 1e-6);
        assertEquals(60, figures.get("writes_after_per_s"), 1e-6);
        assertEquals(7, figures.get("unknown_writes"), 0);
        assertEquals(2, figures.get("restart_s"), 1e-6);
        assertEquals(0.5, figures.get("serving_s"), 1e-6);
        assertEquals(1, figures.get("caught_up_s"), 1e-6);
        assertEquals(1.1, figures.get("read_s"), 1e-6);
    }

    @Test
    public void serverJoins_latenciesOfTheOthersAreThere() {
        Map<String, Double> figures =
                figures(Mode.JOIN, true).of(List.of(history(10, 0, 0), history(30, 0, 0)), List.of(), 0);
        assertEquals(2, figures.get("latency_before_p50_ms"), 0.01);
        assertEquals(4, figures.get("latency_joining_p99_ms"), 0.01);
        assertEquals(4, figures.get("latency_after_max_ms"), 0.01);
        assertFalse(figures.containsKey("gap_killed_client_ms"));
    }

    @Test
    public void serverDoesNotComeBack_whatWasBeforeStaysWorthKnowing() {
        Map<String, Double> figures = figures(Mode.FAILOVER, false).of(List.of(history(10, 1000, 1500)), List.of(), 0);
        assertEquals(550, figures.get("gap_all_ms"), 1e-6);
        assertFalse(figures.containsKey("caught_up_s"));
        assertFalse(figures.containsKey("writes_after_per_s"));
    }

    @Test
    public void throughput_hasABorderAtTheFault() {
        FaultFigures figures = new FaultFigures(Mode.FAILOVER, millis(30), millis(250), millis(300), null, millis(460));
        WriteHistory history = new WriteHistory();
        for (long at : new long[] {40, 60, 249, 250, 349, 350, 455}) {
            history.add(millis(at), 1);
        }
        assertEquals(
                List.of(new Piece(-200, 10), new Piece(-100, 10), new Piece(0, 20), new Piece(100, 10)),
                figures.throughput(List.of(history)));
    }

    @Test
    public void severalRounds_medianOfTheValidAndAllValues() throws Exception {
        FaultReport report = report(
                result(1, 100, List.of(), null),
                result(2, 300, List.of(), null),
                result(3, 900, List.of("other processes"), null),
                result(4, 110, List.of(), null));
        assertTrue(report.table(), report.table().contains("110.0   100.0  300.0  (900.0)  110.0"));
        assertTrue(report.table(), report.table().contains("VOID chain, 3 replicas, no tree, tail, round 3: other"));
        assertTrue(report.table(), report.table().contains("machine: 2 cores, processor"));
        assertEquals(Verdict.MEASURED, report.verdict());
    }

    @Test
    public void verdict_isTheWorst() throws Exception {
        FaultResult valid = result(1, 1, List.of(), null);
        FaultResult voided = result(2, 1, List.of("other processes"), null);
        assertEquals(Verdict.VOID, report(voided).verdict());
        assertEquals(
                Verdict.FAILED,
                report(valid, voided, result(3, 1, List.of(), "gone")).verdict());
    }

    @Test
    public void files_holdRoundsThroughputAndMachine() throws Exception {
        Path directory = folder.getRoot().toPath().resolve("results");
        List<FaultResult> results = new ArrayList<>(List.of(result(1, 100, List.of(), null)));
        results.add(new FaultResult(
                TAIL, 2, 0, Map.of(), List.of(), List.of(), List.of("a note"), "ended; its log ends:\n\"x\", y"));
        report(results.toArray(new FaultResult[0])).writeTo(directory);
        assertEquals(
                "protocol,replicas,tree_mb,victim,round,victim_id,verdict,gap_all_ms,comment\n"
                        + "chain,3,0,tail,1,3,measured,100.000,\n"
                        + "chain,3,0,tail,2,0,failed,,\"ended; its log ends:\n\"\"x\"\", y; a note\"\n",
                Files.readString(directory.resolve("rounds.csv")));
        assertEquals(
                "protocol,replicas,tree_mb,victim,round,millis,writes_per_s\n"
                        + "chain,3,0,tail,1,-100,40\n"
                        + "chain,3,0,tail,1,0,0\n",
                Files.readString(directory.resolve("throughput.csv")));
        assertEquals(
                "ext4",
                new ObjectMapper()
                        .readTree(directory.resolve("run.json").toFile())
                        .at("/machine/dataFileSystem")
                        .asText());
    }
}
