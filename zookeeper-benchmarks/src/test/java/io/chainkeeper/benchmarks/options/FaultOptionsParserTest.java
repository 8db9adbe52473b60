package io.chainkeeper.benchmarks.options;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.benchmarks.server.EnsembleOptions;
import io.chainkeeper.benchmarks.server.SharedDisks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The command line of the modes failover and join. */
public final class FaultOptionsParserTest {
    private static final SharedDisks DISKS = new SharedDisks(3, List.of());

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private FaultOptions parse(String... args) throws UsageException {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--lib");
        all.add(folder.getRoot().toString());
        return FaultOptionsParser.parse(all);
    }

    private void assertRefused(String hint, String... args) {
        UsageException refusal = assertThrows(UsageException.class, () -> parse(args));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains(hint));
    }

    @Test
    public void modes_areToldApart() throws UsageException {
        assertTrue(FaultOptionsParser.isFaultMode(List.of("failover")));
        assertTrue(FaultOptionsParser.isFaultMode(List.of("join", "--keep")));
        assertFalse(FaultOptionsParser.isFaultMode(List.of("writes")));
        assertFalse(FaultOptionsParser.isFaultMode(List.of()));
    }

    @Test
    public void modeOnly_defaultsOfThatMode() throws UsageException {
        FaultOptions failover = parse("failover");
        assertEquals(List.of("chain"), failover.run().protocols());
        assertEquals(List.of(3, 5), failover.replicas());
        assertEquals(5, failover.run().replicas());
        assertEquals(List.of(Victim.MIDDLE, Victim.TAIL, Victim.LEADER), failover.victims());
        assertEquals(List.of(0), failover.treeMegabytes());
        assertEquals(1, failover.run().outstanding());
        assertEquals(128, failover.run().valueBytes());
        assertEquals(0, failover.run().cpuCores(), 0);
        assertEquals(0, failover.writesPerSecond());
        assertEquals(500, parse("failover", "--rate", "500").writesPerSecond());
        FaultOptions join = parse("join");
        assertEquals(List.of(3), join.replicas());
        assertEquals(List.of(Victim.MIDDLE), join.victims());
        assertEquals(List.of(10), join.treeMegabytes());
    }

    @Test
    public void everyCombination_isAScenarioWithProtocolsSideBySide() throws UsageException {
        FaultOptions options = parse(
                "failover",
                "--protocols",
                "chain,zab",
                "--replicas",
                "3,5",
                "--tree-mb",
                "1,1000",
                "--victims",
                "tail,leader");
        List<Scenario> scenarios = options.scenarios();
        assertEquals(16, scenarios.size());
        assertEquals(new Scenario("chain", 3, 1, Victim.TAIL), scenarios.get(0));
        assertEquals(new Scenario("zab", 3, 1, Victim.TAIL), scenarios.get(1));
        assertEquals(new Scenario("chain", 3, 1, Victim.LEADER), scenarios.get(2));
        assertEquals(new Scenario("zab", 5, 1000, Victim.LEADER), scenarios.get(15));
        assertEquals(
                "zab, 5 replicas, tree of 1000 MB, leader", scenarios.get(15).toString());
    }

    @Test
    public void suspicionTimeout_isForTheProtocolAndGivesWayToTheUsersLine() throws UsageException {
        Scenario chain = new Scenario("chain", 3, 0, Victim.TAIL);
        Scenario zab = new Scenario("zab", 5, 0, Victim.TAIL);
        FaultOptions options = parse("failover", "--suspicion-ms", "2000", "--config", "snapCount=7");
        assertEquals(
                new EnsembleOptions(
                        3, List.of(), true, Map.of("chain.suspicionTimeoutMillis", "2000", "snapCount", "7"), DISKS),
                options.ensemble(chain));
        assertEquals(
                new EnsembleOptions(
                        3, List.of(), true, Map.of("iss.suspicionTimeoutMillis", "2000", "snapCount", "7"), DISKS),
                options.ensemble(new Scenario("iss", 3, 0, Victim.TAIL)));
        assertEquals(new EnsembleOptions(5, List.of(), true, Map.of("snapCount", "7"), DISKS), options.ensemble(zab));
        assertEquals(
                Map.of("chain.suspicionTimeoutMillis", "900"),
                parse("failover", "--config", "chain.suspicionTimeoutMillis=900")
                        .ensemble(chain)
                        .serverConfig());
    }

    @Test
    public void heap_isTheLastWordOnTheHeap() throws UsageException {
        assertEquals(
                List.of("-Xmx1g", "-Xms3g", "-Xmx3g"),
                parse("join", "--heap", "3g", "--jvm-options", "-Xmx1g").run().jvmOptions());
        assertRefused("--heap 3", "join", "--heap", "3");
    }

    @Test
    public void wrongValues_areRefusedByName() {
        assertRefused("--replicas 2", "failover", "--replicas", "2,3");
        assertRefused("--replicas", "failover", "--replicas", "3,3");
        assertRefused("--replicas", "failover", "--replicas", ",");
        assertRefused("unknown victim 'head'", "failover", "--victims", "head");
        assertRefused("--victims", "failover", "--victims", "tail,tail");
        assertRefused("--victims leader", "join", "--victims", "leader");
        assertRefused("--tree-mb -1", "join", "--tree-mb", "-1");
        assertRefused("unknown option '--half-load'", "failover", "--half-load");
        assertRefused("unknown option '--intervals'", "failover", "--intervals", "3");
        assertRefused("unknown option '--read-ratio'", "failover", "--read-ratio", "0.5");
    }
}
