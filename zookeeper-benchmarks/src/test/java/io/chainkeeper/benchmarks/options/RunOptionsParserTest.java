package io.chainkeeper.benchmarks.options;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.benchmarks.relay.Region;
import io.chainkeeper.benchmarks.server.ServerCommand;
import io.chainkeeper.benchmarks.server.SharedDisks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The runner's command line. */
public final class RunOptionsParserTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private RunOptions parse(String... args) throws UsageException {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--lib");
        all.add(folder.getRoot().toString());
        return RunOptionsParser.parse(all);
    }

    private void assertRefused(String hint, String... args) {
        UsageException refusal = assertThrows(UsageException.class, () -> parse(args));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains(hint));
    }

    @Test
    public void modeOnly_defaultsOfThatMode() throws UsageException {
        RunOptions writes = parse("writes");
        assertEquals(List.of("chain", "zab"), writes.protocols());
        assertEquals(3, writes.replicas());
        assertEquals(12, writes.sessions());
        assertEquals(1, writes.intervals());
        assertEquals(3, parse("writes", "--intervals", "3").intervals());
        assertRefused("--intervals 0", "writes", "--intervals", "0");
        assertEquals(0.2, writes.cpuCores(), 0);
        assertEquals(10_000, writes.quotaPeriodMicros());
        assertEquals(0, writes.readRatio(), 0);
        assertEquals(128, writes.valueBytes());
        assertTrue(writes.linearizableReads());
        assertNull(writes.output());
        assertEquals(ServerCommand.MAIN_CLASS, writes.serverMain());
        assertEquals(0.95, parse("reads").readRatio(), 0);
        assertEquals(0, parse("latency").cpuCores(), 0);
        assertEquals(0, parse("idle").cpuCores(), 0);
    }

    @Test
    public void everythingGiven_isTaken() throws UsageException {
        RunOptions options = parse(
                "reads",
                "--protocols",
                "chain,iss,zab",
                "--replicas",
                "7",
                "--cpu",
                "0.1",
                "--read-ratio",
                "0.5",
                "--reads",
                "sequential",
                "--half-load",
                "--sessions",
                "9",
                "--config",
                "a.b=c,d=e=f",
                "--jvm-options",
                "-Xmx1g  -Xint",
                "--output",
                "result.json",
                "--keep");
        assertEquals(List.of("chain", "iss", "zab"), options.protocols());
        assertEquals(7, options.replicas());
        assertEquals(0.1, options.cpuCores(), 0);
        assertEquals(0.5, options.readRatio(), 0);
        assertFalse(options.linearizableReads());
        assertTrue(options.halfLoad());
        assertEquals(9, options.sessions());
        assertEquals(Map.of("a.b", "c", "d", "e=f"), options.serverConfig());
        assertEquals(List.of("-Xmx1g", "-Xint"), options.jvmOptions());
        assertEquals(Path.of("result.json"), options.output());
        assertTrue(options.keepDirectories());
    }

    @Test
    public void numberOutOfRangeOrNone_rangeIsNamed() {
        assertRefused("--replicas 0: give a whole number from 1 to 15", "writes", "--replicas", "0");
        assertRefused("--seconds soon: give a whole number", "writes", "--seconds", "soon");
        assertRefused("--read-ratio 1.5: give a number from 0.0 to 1.0", "reads", "--read-ratio", "1.5");
        assertRefused("--cpu NaN", "writes", "--cpu", "NaN");
    }

    @Test
    public void unknownWord_isNamed() {
        assertRefused("unknown mode 'write'; give one of writes, reads, latency, wide-area, storm, idle", "write");
        assertRefused("unknown option '--replica'", "writes", "--replica", "3");
        assertRefused("--reads strong: give one of linearizable, sequential", "reads", "--reads", "strong");
    }

    @Test
    public void optionTwiceOrWithoutValue_isRefused() {
        assertRefused("--rounds is given twice", "writes", "--rounds", "1", "--rounds", "2");
        UsageException refusal =
                assertThrows(UsageException.class, () -> RunOptionsParser.parse(List.of("writes", "--rounds")));
        assertEquals("--rounds needs a value", refusal.getMessage());
    }

    @Test
    public void optionOfAnotherMode_isRefused() {
        assertRefused("--half-load needs the mode writes or reads", "idle", "--half-load");
        assertRefused("--read-ratio needs the mode reads", "writes", "--read-ratio", "0.5");
    }

    @Test
    public void treeAndWatches_areTakenUnlessTheyCannotDiffer() throws UsageException {
        RunOptions options = parse("writes", "--znodes", "100000", "--watches", "12000", "--stages");
        assertEquals(100_000, options.furtherZnodes());
        assertEquals(12_000, options.watches());
        assertTrue(options.stages());
        assertRefused("12 sessions can hold 12000 different watches", "writes", "--watches", "12001");
    }

    @Test
    public void protocolTwice_isRefused() {
        assertRefused("--protocols", "writes", "--protocols", "zab,zab");
    }

    @Test
    public void noJars_isRefused() {
        UsageException refusal = assertThrows(UsageException.class, () -> RunOptionsParser.parse(List.of("writes")));
        assertTrue(refusal.getMessage(), refusal.getMessage().startsWith("--lib"));
    }

    @Test
    public void wideArea_hasTheFiveSitesOfThePaperUnlessToldOtherwise() throws UsageException {
        RunOptions five = parse("wide-area");
        assertEquals(5, five.replicas());
        assertEquals(Region.VIRGINIA, five.regions().get(4));
        assertEquals(1, five.outstanding());
        assertEquals(Map.of(), five.serverConfig());
        RunOptions zones = parse("wide-area", "--regions", "seoul,sydney,seoul", "--zones");
        assertEquals(3, zones.ensemble().replicas());
        assertEquals(Map.of("chain.zones", "1:seoul,2:sydney,3:seoul"), zones.serverConfig());
        assertRefused("virginia, frankfurt", "wide-area", "--regions", "atlantis");
        assertRefused("names 5 places of 3", "wide-area", "--replicas", "3");
        assertRefused("mode wide-area", "writes", "--regions", "seoul,sydney,seoul");
        assertRefused("mode wide-area", "writes", "--zones");
        assertRefused("--link-mbit", "wide-area", "--link-mbit", "10");
    }

    @Test
    public void disks_areAnOddNumber_andEachMayBeSlow() throws UsageException {
        assertEquals(new SharedDisks(3, List.of()), parse("writes").disks());
        assertEquals(
                new SharedDisks(5, List.of(0, 0, 5)),
                parse("latency", "--disks", "5", "--disk-delay-ms", "0,0,5")
                        .ensemble()
                        .disks());
        assertRefused("--disks 2: give an odd number", "writes", "--disks", "2");
        assertRefused("--disk-delay-ms names 4 of 3 disks", "writes", "--disk-delay-ms", "0,0,0,5");
    }

    @Test
    public void etcd_isMeasuredWhereItHasTheSame() throws UsageException {
        assertEquals(
                List.of("chain", "etcd"),
                parse("writes", "--protocols", "chain,etcd").protocols());
        for (String[] args : new String[][] {
            {"wide-area", "--protocols", "chain,etcd"},
            {"writes", "--protocols", "chain,etcd", "--stages"},
            {"writes", "--protocols", "etcd", "--znodes", "5"},
            {"writes", "--protocols", "etcd", "--watches", "5"}
        }) {
            assertRefused("--protocols etcd", args);
        }
        RunOptions without = parse("writes", "--protocols", "chain,etcd").withProtocols(List.of("chain"));
        assertEquals(List.of("chain"), without.protocols());
        assertEquals(0.2, without.cpuCores(), 0);
        assertEquals(0, without.withoutQuota().cpuCores(), 0);
    }

    @Test
    public void storm_hasSessionsThatComeBack() throws UsageException {
        assertEquals(5_000, parse("storm").idleSessions());
        assertEquals(1, parse("storm").outstanding());
        assertEquals(10_000, parse("writes", "--idle-sessions", "10000").idleSessions());
        assertRefused("some that come back", "storm", "--idle-sessions", "0");
        assertRefused("--protocols etcd", "storm", "--protocols", "etcd");
    }
}
