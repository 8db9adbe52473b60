package io.chainkeeper.ordering;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.Map;
import java.util.Set;
import org.junit.Test;

/** What a user may set, and what he is told otherwise. */
public final class SettingKeysTest {
    private static final SettingKeys KEYS = new SettingKeys.Builder()
            .number("p.window", 4, 1, 1024)
            .number("p.beatMillis", 200, 10, 10_000)
            .number("p.timeoutMillis", 800, 50, 120_000)
            .numberUpToMembers("p.quorum", 1, 1)
            .choice("p.policy", "all", "single")
            .text("p.note", "", "one word", text -> text.contains(" ") ? "has a space; give one word" : null)
            .atLeast("p.timeoutMillis", 4, "p.beatMillis")
            .build();

    private static void assertRefused(String key, String value, String... mentioned) {
        String reason = KEYS.check(Map.of(key, value), 3);
        assertNotNull(key + "=" + value + " was taken", reason);
        for (String text : mentioned) {
            assertTrue(reason, reason.contains(text));
        }
    }

    @Test
    public void nothingSet_isRightForAnySizeAndGivesTheDefaults() {
        for (int members = 1; members <= 9; members++) {
            assertNull(KEYS.check(Map.of(), members));
        }
        assertEquals(4, KEYS.number(Map.of(), "p.window"));
        assertEquals("all", KEYS.choice(Map.of(), "p.policy"));
        assertEquals("", KEYS.text(Map.of(), "p.note"));
        assertEquals(
                Set.of("p.window", "p.beatMillis", "p.timeoutMillis", "p.quorum", "p.policy", "p.note"), KEYS.names());
    }

    @Test
    public void outOfRange_messageNamesKeyValueAndRange() {
        assertRefused("p.window", "0", "p.window=0", "from 1 to 1024");
        assertRefused("p.window", "1025", "p.window=1025", "from 1 to 1024");
        assertRefused("p.window", String.valueOf(Long.MAX_VALUE), "from 1 to 1024");
        assertRefused("p.quorum", "4", "p.quorum=4", "from 1 to 3");
        assertNull(KEYS.check(Map.of("p.quorum", "4"), 5));
    }

    @Test
    public void notANumber_messageNamesKeyValueAndRange() {
        for (String text : new String[] {"", "many", "1.5", "0x10", "99999999999999999999"}) {
            assertRefused("p.window", text, "p.window=" + text, "whole number", "from 1 to 1024");
        }
    }

    @Test
    public void unknownWord_messageNamesThoseThereAre() {
        assertRefused("p.policy", "some", "p.policy=some", "all, single");
    }

    @Test
    public void textAgainstItsRule_messageNamesKeyValueAndWhatToGive() {
        assertRefused("p.note", " ", "p.note= has no value; give one word");
        assertRefused("p.note", "two words", "p.note=two words has a space; give one word");
        assertNull(KEYS.check(Map.of("p.note", " word "), 3));
        assertEquals("word", KEYS.text(Map.of("p.note", " word "), "p.note"));
    }

    @Test
    public void numbersThatDoNotFitTogether_messageNamesBoth() {
        assertRefused("p.beatMillis", "201", "p.timeoutMillis=800", "4 times p.beatMillis=201");
        assertNull(KEYS.check(Map.of("p.beatMillis", "201", "p.timeoutMillis", "804"), 3));
    }

    @Test
    public void spacesAroundAValue_areIgnored() {
        Map<String, String> values = Map.of("p.window", " 7 ", "p.policy", " single ");
        assertNull(KEYS.check(values, 3));
        assertEquals(7, KEYS.number(values, "p.window"));
        assertEquals("single", KEYS.choice(values, "p.policy"));
    }

    @Test
    public void timeShorterThanATick_isOneTick() {
        assertEquals(4, KEYS.ticks(Map.of(), "p.beatMillis", 50));
        assertEquals(1, KEYS.ticks(Map.of(), "p.beatMillis", 1_000));
    }

    @Test
    public void keyThatIsNotThere_isAMistakeOfTheProtocol() {
        assertThrows(InvariantViolated.class, () -> KEYS.number(Map.of(), "p.policy"));
        assertThrows(InvariantViolated.class, () -> KEYS.choice(Map.of(), "p.window"));
        assertThrows(InvariantViolated.class, () -> KEYS.text(Map.of(), "p.window"));
    }

    @Test
    public void text_isTakenAsItIs_unlessItIsEmpty() {
        SettingKeys keys = new SettingKeys.Builder()
                .text("p.places", "", "places with commas between them")
                .text("p.name", "nobody", "a name")
                .build();
        assertEquals(Set.of("p.places", "p.name"), keys.names());
        assertEquals("", keys.text(Map.of(), "p.places"));
        assertEquals("nobody", keys.text(Map.of(), "p.name"));
        assertEquals("/a, /b", keys.text(Map.of("p.places", " /a, /b "), "p.places"));
        assertNull(keys.check(Map.of("p.places", "/a"), 3));
        assertEquals(
                "p.places= has no value; give places with commas between them", keys.check(Map.of("p.places", " "), 3));
        assertEquals("", keys.defaultOf("p.places"));
        assertEquals("nobody", keys.defaultOf("p.name"));
        assertEquals("a name", keys.rangeOf("p.name"));
        assertThrows(InvariantViolated.class, () -> keys.text(Map.of(), "p.other"));
    }
}
