package io.chainkeeper.benchmarks.report;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.benchmarks.host.MachineFacts;
import io.chainkeeper.benchmarks.host.ProcFiles.SystemCpu;
import io.chainkeeper.benchmarks.load.Clients.Latencies;
import io.chainkeeper.benchmarks.options.RunOptions;
import io.chainkeeper.benchmarks.options.RunOptionsParser;
import io.chainkeeper.benchmarks.options.UsageException;
import io.chainkeeper.benchmarks.report.Report.Figure;
import io.chainkeeper.benchmarks.rounds.Phase;
import io.chainkeeper.benchmarks.rounds.RoundResult;
import io.chainkeeper.benchmarks.rounds.VoidCheck;
import io.chainkeeper.benchmarks.server.UsageSample;
import io.chainkeeper.benchmarks.server.UsageSample.ServerCounters;
import io.chainkeeper.benchmarks.statistics.Latency;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** From counters to the figures and warnings that a reader sees. */
public final class ReportTest {
    private static final MachineFacts MACHINE =
            new MachineFacts(2, "processor", 1 << 30, "Linux", "JVM", "ext4", "cgroup v1");
    private static final SystemCpu SYSTEM_START = new SystemCpu(0, 0, 0, 0);

    /** Ten seconds of two cores. */
    private static final long TOTAL_MICROS = 20_000_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private RunOptions options() throws UsageException {
        return RunOptionsParser.parse(
                List.of("writes", "--lib", folder.getRoot().toString()));
    }

    private static UsageSample start() {
        ServerCounters zero = new ServerCounters(0, OptionalLong.of(0), 0, 0, 0, 0);
        return new UsageSample(0, 0, List.of(zero, zero), 0, SYSTEM_START);
    }

    /** Ten seconds later; the client used one second of CPU. */
    private static UsageSample end(long operations, long busiestMicros, long idleMicros, long stealMicros) {
        return new UsageSample(
                10_000_000_000L,
                operations,
                List.of(
                        new ServerCounters(
                                busiestMicros, OptionalLong.of(busiestMicros), 200_000, 1_000_000, 300_000_000, 0),
                        new ServerCounters(1_000_000, OptionalLong.of(1_000_000), 0, 3_000_000, 200_000_000, 0)),
                1_000_000,
                new SystemCpu(TOTAL_MICROS, idleMicros, 0, stealMicros));
    }

    private static Phase phase(String name, UsageSample end) {
        Latency none = new Latency(0, 0, 0, 0, 0);
        Latency writes = new Latency(end.operations(), 2000, 1500, 9000, 10_000);
        return new Phase(
                name,
                Phase.ALL_REPLICAS,
                List.of("leader", "follower"),
                start().until(end),
                new Latencies(none, writes),
                true);
    }

    private static RoundResult round(String protocol, int number, UsageSample end) {
        List<Phase> phases = List.of(phase(Phase.SATURATION, end));
        return new RoundResult(protocol, number, 2.5, null, phases, new VoidCheck(0.02, 0.15).reasons(phases));
    }

    private static Figure figure(Report report, String label) {
        return report.figures().stream()
                .filter(f -> f.metric().startsWith(label))
                .findFirst()
                .orElseThrow();
    }

    @Test
    public void twoSamples_differenceIsSplitAmongServersClientAndOthers() {
        UsageSample.Use use = start().until(end(5000, 2_000_000, 15_000_000, 400_000));
        assertEquals(10, use.seconds(), 1e-9);
        assertEquals(500, use.operationsPerSecond(), 1e-9);
        assertEquals(2_000_000, use.servers().get(0).cpuMicros(), 1e-9);
        assertEquals(3_000_000, use.servers().get(1).writtenBytes());
        assertEquals(0.2 / 3, use.compilerShare(), 1e-9);
        assertEquals(0.1, use.clientCores(), 1e-9);
        // 20 s - 15 s idle - 0.4 s steal - 3 s servers - 1 s client
        assertEquals(0.06, use.otherCores(), 1e-9);
        assertEquals(0.02, use.stealShare(), 1e-9);
    }

    @Test
    public void groupIsNotAccountedFor_ticksAreUsed() {
        ServerCounters before = new ServerCounters(10_000, OptionalLong.empty(), 0, 0, 0, 0);
        ServerCounters after = new ServerCounters(30_000, OptionalLong.empty(), 0, 0, 0, 0);
        UsageSample.Use use = new UsageSample(0, 0, List.of(before), 0, SYSTEM_START)
                .until(new UsageSample(1_000_000_000, 1, List.of(after), 0, SYSTEM_START));
        assertEquals(20_000, use.servers().get(0).cpuMicros(), 0);
    }

    @Test
    public void severalRounds_mediansAndTheirRatio() throws Exception {
        Report report = new Report(
                options(),
                MACHINE,
                List.of(
                        round("chain", 1, end(90_000, 2_000_000, 16_000_000, 0)),
                        round("zab", 1, end(30_000, 2_000_000, 16_000_000, 0)),
                        round("chain", 2, end(60_000, 2_000_000, 16_000_000, 0)),
                        round("chain", 3, end(10_000, 2_000_000, 16_000_000, 0))));
        Figure throughput = figure(report, "operations/s");
        assertEquals(6000, throughput.medians().get("chain"), 1e-9);
        assertEquals(3000, throughput.medians().get("zab"), 1e-9);
        assertEquals(2, throughput.ratio(), 1e-9);
        assertEquals(1.5, figure(report, "write latency p50").medians().get("chain"), 1e-9);
        assertEquals(
                100,
                figure(report, "CPU of the busiest replica, % of its quota")
                        .medians()
                        .get("zab"),
                1e-9);
        assertEquals(
                "2 s where the mean of both is 1.5 s",
                100.0 / 3,
                figure(report, "CPU of the busiest replica above the mean")
                        .medians()
                        .get("chain"),
                1e-9);
        assertTrue(report.isUsable());
        assertEquals(List.of(), report.notes());
        assertTrue(report.table(), report.table().contains("chain/zab"));
    }

    @Test
    public void othersUsedTheMachine_roundIsVoidAndLeftOut() throws Exception {
        Report report = new Report(
                options(),
                MACHINE,
                List.of(
                        round("chain", 1, end(90_000, 2_000_000, 12_000_000, 0)),
                        round("zab", 1, end(30_000, 2_000_000, 16_000_000, 0))));
        assertFalse(report.isUsable());
        Figure throughput = figure(report, "operations/s");
        assertFalse(throughput.medians().containsKey("chain"));
        assertNull(throughput.ratio());
        assertTrue(report.table(), report.table().contains("VOID chain, round 1: saturation, closed loop: other proc"));
    }

    @Test
    public void roundsAreVoid_theirMediansStandApartAndAreMarked() throws Exception {
        Report report = new Report(
                options(),
                MACHINE,
                List.of(
                        round("chain", 1, end(90_000, 2_000_000, 12_000_000, 0)),
                        round("zab", 1, end(30_000, 2_000_000, 16_000_000, 0)),
                        round("zab", 2, end(50_000, 2_000_000, 12_000_000, 0))));
        String[] blocks = report.table().split("Medians of VOID intervals, not to be quoted as results");
        assertEquals(report.table(), 2, blocks.length);
        assertTrue(blocks[0], blocks[0].contains("3000") && !blocks[0].contains("9000 "));
        assertTrue(blocks[1], blocks[1].contains("9000") && blocks[1].contains("5000"));
        Path file = folder.getRoot().toPath().resolve("result.json");
        report.writeTo(file);
        assertEquals(9000, read(file).at("/voidFigures/1/medians/chain").asDouble(), 1e-9);
        assertTrue(read(file).at("/figures/1/medians/chain").isMissingNode());
    }

    @Test
    public void oneIntervalIsDisturbed_othersOfTheRoundCount() throws Exception {
        RoundResult round = round("chain", 1, end(90_000, 2_000_000, 16_000_000, 0));
        Phase disturbed = phase(Phase.HALF_LOAD, end(40_000, 2_000_000, 12_000_000, 0));
        RoundResult both = new RoundResult(
                "chain", 1, 2.5, null, List.of(round.phases().get(0), disturbed), List.of("half load: ..."));
        Report report =
                new Report(options(), MACHINE, List.of(both, round("zab", 1, end(30_000, 2_000_000, 16_000_000, 0))));
        assertEquals(3, figure(report, "operations/s").ratio(), 1e-9);
        assertEquals(2.5, figure(report, "all replicas serve").medians().get("chain"), 1e-9);
        assertFalse("half load has no valid interval", report.isUsable());
        assertTrue(report.voidFigures().stream().allMatch(f -> f.phase().equals(Phase.HALF_LOAD)));
    }

    @Test
    public void severalIntervalsOfOneRound_eachCounts() throws Exception {
        RunOptions three = RunOptionsParser.parse(List.of(
                "writes",
                "--rounds",
                "1",
                "--intervals",
                "3",
                "--lib",
                folder.getRoot().toString()));
        List<Phase> phases = List.of(
                phase(Phase.SATURATION, end(90_000, 2_000_000, 16_000_000, 0)),
                phase(Phase.SATURATION, end(20_000, 2_000_000, 12_000_000, 0)),
                phase(Phase.SATURATION, end(30_000, 2_000_000, 16_000_000, 0)),
                phase(Phase.SATURATION, end(40_000, 2_000_000, 16_000_000, 0)));
        Report report = new Report(
                three,
                MACHINE,
                List.of(new RoundResult("chain", 1, 2.5, null, phases, new VoidCheck(0.02, 0.15).reasons(phases))));
        assertEquals(4000, figure(report, "operations/s").medians().get("chain"), 1e-9);
        assertTrue(report.table(), report.table().contains("(rounds: 1, intervals in each: 3)"));
        assertTrue(report.table(), report.table().contains("VOID chain, round 1"));
    }

    @Test
    public void boundsAreRaised_headSaysSo() throws Exception {
        RunOptions raised = RunOptionsParser.parse(List.of(
                "writes", "--max-steal", "0.1", "--lib", folder.getRoot().toString()));
        String table = new Report(raised, MACHINE, List.of()).table();
        assertTrue(table, table.contains("took up to 10.0 % of the CPU (default 2.0 %)"));
        assertFalse(new Report(options(), MACHINE, List.of()).table().contains("BOUNDS"));
    }

    @Test
    public void hypervisorTookCpu_roundIsVoid() {
        RoundResult round = round("zab", 1, end(30_000, 2_000_000, 15_000_000, 1_000_000));
        assertEquals(1, round.voidReasons().size());
        assertTrue(round.voidReasons().get(0).contains("the hypervisor took 5.0 % of the CPU"));
    }

    @Test
    public void busiestReplicaIsBelowItsQuota_reportDoubtsSaturation() throws Exception {
        Report report = new Report(options(), MACHINE, List.of(round("zab", 1, end(9, 1_000_000, 17_000_000, 0))));
        assertTrue(report.notes().get(0), report.notes().get(0).contains("only 50 % of its quota: not saturated"));
    }

    @Test
    public void json_holdsFiguresAndRounds() throws Exception {
        Path file = folder.getRoot().toPath().resolve("result.json");
        new Report(options(), MACHINE, List.of(round("zab", 1, end(30_000, 2_000_000, 16_000_000, 0)))).writeTo(file);
        JsonNode root = read(file);
        assertEquals("WRITES", root.at("/options/mode").asText());
        assertEquals(2.5, root.at("/figures/0/medians/zab").asDouble(), 1e-9);
        assertEquals(3000, root.at("/figures/1/medians/zab").asDouble(), 1e-9);
        assertEquals(30_000, root.at("/rounds/0/phases/0/use/operations").asLong());
        assertEquals("leader", root.at("/rounds/0/phases/0/roles/0").asText());
        assertEquals("ext4", root.at("/machine/dataFileSystem").asText());
    }

    private static JsonNode read(Path file) throws IOException {
        return new ObjectMapper().readTree(file.toFile());
    }
}
