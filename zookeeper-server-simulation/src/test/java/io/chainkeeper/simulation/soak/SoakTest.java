package io.chainkeeper.simulation.soak;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.simulation.swarm.FaultCount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A soak goes on where it stopped, and its workers run what they are told. */
public class SoakTest {
    private static final List<String> WORKS = List.of("chain registers", "iss behind");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static Report report(long cpuNanos, String failure) {
        return new Report(
                100, cpuNanos, 5, 3, 6, 4, 1 << 20, Map.of("crash", new FaultCount(2, 1)), new int[] {1, 77}, failure);
    }

    private SoakState open(long firstSeed) throws IOException {
        SoakState state = SoakState.open(folder.getRoot().toPath().resolve("soak"), firstSeed);
        state.work("chain", "registers");
        state.work("iss", "behind");
        return state;
    }

    @Test
    public void resumed_unfinishedSeedsFirstAndNoneTwice() throws IOException {
        SoakState state = open(1_000);
        TreeSet<SoakState.Seed> finished = new TreeSet<>();
        for (int i = 0; i < 10; i++) {
            SoakState.Seed seed = state.begin(WORKS);
            assertTrue("again: " + seed, finished.add(seed));
            state.finished(seed, report(1_000, ""));
        }
        SoakState.Seed unfinished = state.begin(WORKS);
        state.save();
        SoakState resumed = open(5);
        assertEquals(unfinished, resumed.begin(WORKS));
        for (int i = 0; i < 10; i++) {
            SoakState.Seed seed = resumed.begin(WORKS);
            assertTrue("again: " + seed, finished.add(seed));
            assertTrue("not of this soak: " + seed, seed.seed() >= 1_000);
        }
        assertEquals(2, resumed.statesCovered());
        FaultCount ofChain = resumed.work("chain", "registers").faults.get("crash");
        FaultCount ofIss = resumed.work("iss", "behind").faults.get("crash");
        assertEquals(new FaultCount(20, 10), ofChain.plus(ofIss));
        long seeds = resumed.work("chain", "registers").seeds + resumed.work("iss", "behind").seeds;
        assertEquals(10, seeds);
    }

    @Test
    public void oneWorkSlowerThanTheOther_bothAreGivenTheSameTime() throws IOException {
        SoakState state = open(1);
        for (int i = 0; i < 400; i++) {
            SoakState.Seed seed = state.begin(WORKS);
            state.finished(seed, report(seed.protocol().equals("iss") ? 9_000 : 1_000, ""));
        }
        long chain = state.work("chain", "registers").cpuNanos;
        long iss = state.work("iss", "behind").cpuNanos;
        assertTrue(chain + " and " + iss, Math.abs(chain - iss) < 20_000);
    }

    @Test
    public void slowestSeedsAreRemembered_theSlowestFirst() throws IOException {
        SoakState state = open(1);
        for (int i = 0; i < 50; i++) {
            int micros = (i * 7) % 50;
            state.finished(
                    new SoakState.Seed("chain", "registers", micros),
                    new Report(100, 1, 5, micros, 6, 4, 1 << 20, Map.of(), new int[0], ""));
        }
        state.save();
        List<Long> slowest = new ArrayList<>();
        open(1).slowest().forEach(settled -> slowest.add(settled.micros()));
        assertEquals(20, slowest.size());
        assertEquals(49, (long) slowest.get(0));
        assertEquals(30, (long) slowest.get(19));
    }

    @Test
    public void failure_isRemembered() throws IOException {
        SoakState state = open(1);
        SoakState.Seed seed = state.begin(WORKS);
        state.finished(seed, report(1, "agreement: it is broken (file)"));
        state.save();
        assertEquals(List.of(seed.line() + " agreement: it is broken (file)"), open(1).failures());
    }

    @Test
    public void report_isReadAsItWasWritten() {
        Map<String, FaultCount> faults = Map.of("cut", new FaultCount(3, 2), "pause", new FaultCount(1, 0));
        Report written = new Report(1, 2, 3, 4, 5, 6, 7, new TreeMap<>(faults), new int[] {9}, "a b");
        Report read = Report.of(written.line());
        assertEquals(written.faults(), read.faults());
        assertArrayEquals(written.states(), read.states());
        assertEquals(written.line(), read.line());
        Report nothing = new Report(1, 2, 3, 4, 5, 6, 7, Map.of(), new int[0], "");
        assertEquals(nothing.line(), Report.of(nothing.line()).line());
    }

    /** A real process; what it is told last makes it end, and the next one goes on. */
    @Test
    public void workerProcess_runsSeedsAndIsReplacedWhenItEnds() throws Exception {
        Path directory = Files.createDirectories(folder.getRoot().toPath().resolve("worker"));
        Deque<SoakState.Seed> seeds = new ArrayDeque<>(List.of(
                new SoakState.Seed("chain", "registers", 1),
                new SoakState.Seed("none", "registers", 2),
                new SoakState.Seed("iss", "founding", 3)));
        List<Report> reports = new ArrayList<>();
        SoakProcess process = new SoakProcess(1, directory, "512m", seeds::poll, (seed, report) -> reports.add(report));
        process.start();
        process.join();
        assertEquals(3, reports.size());
        assertEquals("", reports.get(0).failure());
        assertTrue(reports.get(0).events() > 0);
        assertTrue(reports.get(0).cpuNanos() > 0);
        assertTrue(reports.get(0).states().length > 0);
        assertFalse(reports.get(1).failure().isEmpty());
        assertEquals("", reports.get(2).failure());
        assertTrue(reports.get(2).events() > 0);
    }
}
