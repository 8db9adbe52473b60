package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Accept;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.Test;

/** {@code chain.zones}: what may be written there, the way of a value, and servers that have it differently. */
public final class ZonesTest {
    private static final String ZONES = "chain.zones";

    private static void assertRefused(String text, String mentioned) {
        String reason = ChainSettings.KEYS.check(Map.of(ZONES, text), 3);
        assertTrue(reason, reason.startsWith(ZONES + "=" + text) && reason.contains(mentioned));
    }

    private static Map<String, String> zones(String text) {
        return Map.of(ZONES, text);
    }

    /** Who accepts a value, from the leader on; each has it from the one before. */
    private static List<Integer> wayOfAValue(ScriptedEnsemble ensemble) {
        int leader = ensemble.awaitLeader();
        ensemble.run(50);
        ensemble.sent.clear();
        ensemble.replica(leader).propose("a");
        ensemble.settle();
        List<Integer> way = new ArrayList<>(List.of(leader));
        for (ScriptedEnsemble.Sent sent : ensemble.sent) {
            if (sent.message() instanceof Accept) {
                assertEquals(way.get(way.size() - 1).intValue(), sent.from());
                way.add(sent.to());
            }
        }
        return way;
    }

    @Test
    public void wrongText_messageNamesItAndTheShape() {
        assertRefused("eu", "'eu'; give server ids from 1 to 255");
        assertRefused("1:eu,", "''; give");
        assertRefused("1:eu;2:us", "1:eu,2:eu,3:us");
        assertRefused("0:eu", "server id 0");
        assertRefused("256:eu", "server id 256");
        assertRefused("1:e u", "'1:e u'");
        assertRefused("1:eu,2:us,1:us", "server 1 twice");
        assertNull(ChainSettings.KEYS.check(zones(" 1:eu , 200:us-1.a "), 3));
        assertRefused("eu:1", "'eu:1'");
        assertRefused("1:eu:us", "'1:eu:us'");
    }

    @Test
    public void zonesBegin_withTheLeadersAndGoOnAsNamed() {
        Zones zones = new Zones("1:eu,2:us,3:eu,4:ap");
        assertEquals(List.of(0, 1, 0, 2, 3), places(zones, 1));
        assertEquals(List.of(2, 0, 2, 1, 3), places(zones, 2));
        assertEquals(List.of(1, 2, 1, 0, 3), places(zones, 4));
        assertEquals("a leader without a zone", List.of(0, 1, 0, 2, 3), places(zones, 5));
        assertEquals(List.of(0, 0, 0, 0, 0), places(new Zones(""), 1));
    }

    private static List<Integer> places(Zones zones, int leader) {
        return List.of(1, 2, 3, 4, 5).stream()
                .map(id -> zones.place(id, leader))
                .toList();
    }

    /** Without zones it would cross at nearly every step. */
    @Test
    public void membersOfTwoZones_valueCrossesOnce() {
        List<Integer> way = wayOfAValue(ScriptedEnsemble.started(5, zones("1:eu,2:us,3:eu,4:us,5:eu")));
        assertEquals(5, way.size());
        int crossings = 0;
        for (int i = 1; i < way.size(); i++) {
            crossings += way.get(i) % 2 == way.get(i - 1) % 2 ? 0 : 1;
        }
        assertEquals(way.toString(), 1, crossings);
    }

    @Test
    public void serversWithoutAZone_standBehindTheOthers() {
        List<Integer> way = wayOfAValue(ScriptedEnsemble.started(4, zones("4:eu,1:eu")));
        int leader = way.get(0);
        List<Integer> others = new ArrayList<>(List.of(1, 2, 3, 4));
        others.removeIf(id -> id == leader);
        others.sort(Comparator.comparingInt((Integer id) -> id == 1 || id == 4 ? 0 : 1)
                .thenComparingInt(id -> Math.floorMod(id - leader, 4)));
        assertEquals(others, way.subList(1, way.size()));
    }

    /** While it is handed out server by server, old and new orders live side by side. */
    @Test
    public void halfOfTheServersHaveIt_everyValueIsDecidedAndTheLeaderStays() {
        assertGoesOn(id -> id % 2 == 0 ? Map.of() : zones("1:eu,2:us,3:eu,4:us,5:eu"));
    }

    /** 2, 3 and 4 could feed one another in a ring: each takes the one that it asks for one ahead of it. */
    @Test
    public void everyServerHasAnother_everyValueIsDecidedAndTheLeaderStays() {
        List<String> each =
                List.of("", "1:a,2:b,3:c,4:d,5:e", "1:a,4:b,3:c,2:d,5:e", "1:a,2:b,4:c,3:d,5:e", "1:a,3:b,2:c,4:d,5:e");
        assertGoesOn(id -> zones(each.get(id % each.size())));
    }

    private static void assertGoesOn(IntFunction<Map<String, String>> settings) {
        ScriptedEnsemble ensemble = ScriptedEnsemble.startedEach(5, settings);
        int leader = ensemble.awaitLeader();
        ensemble.run(50);
        for (int i = 0; i < 40; i++) {
            String value = "w" + i;
            int proposer = 1 + i % 5;
            ensemble.replica(proposer).propose(value);
            ensemble.runUntil(value + " everywhere", 100, () -> {
                for (int id = 1; id <= 5; id++) {
                    if (!ensemble.replica(id).executed.contains(value)) {
                        return false;
                    }
                }
                return true;
            });
            assertEquals(leader, ensemble.awaitLeader());
        }
    }
}
