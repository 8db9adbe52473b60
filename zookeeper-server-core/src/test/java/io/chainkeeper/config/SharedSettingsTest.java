package io.chainkeeper.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;

import java.util.List;
import java.util.TreeSet;
import org.junit.Test;

public class SharedSettingsTest {
    private static final long PLAIN = number(false, false, false);

    private static long number(boolean reconfig, boolean extended, boolean emulates, String... providers) {
        return new SharedSettings(reconfig, extended, emulates, true, "UTF-8", new TreeSet<>(List.of(providers)))
                .number();
    }

    private static long number(boolean keepsDigests, String encoding) {
        return new SharedSettings(false, false, false, keepsDigests, encoding, new TreeSet<>()).number();
    }

    private static String difference(long own, long other) {
        return SharedSettings.difference(own, other, "the cluster");
    }

    @Test
    public void oneFlagDiffers_onlyItIsNamedWithBothValues() {
        assertEquals(
                "reconfigEnabled is true here and false in the cluster", difference(number(true, false, false), PLAIN));
        assertEquals(
                "zookeeper.extendedTypesEnabled is false here and true in the cluster",
                difference(PLAIN, number(false, true, false)));
        assertEquals(
                "zookeeper.emulate353TTLNodes is true here and false in the cluster",
                difference(number(true, true, true), number(true, true, false)));
        assertEquals(
                "zookeeper.digest.enabled is false here and true in the cluster",
                difference(number(false, "UTF-8"), PLAIN));
    }

    @Test
    public void encodingDiffers_itIsSaidWhoHasTheUsualOne() {
        assertEquals(
                "file.encoding is not UTF-8 here and UTF-8 in the cluster",
                difference(number(true, "ISO-8859-1"), PLAIN));
        assertEquals(
                "file.encoding is UTF-8 here and another one in the cluster",
                difference(PLAIN, number(true, "US-ASCII")));
        assertEquals(
                "file.encoding is not UTF-8 here and another one in the cluster",
                difference(number(true, "ISO-8859-1"), number(true, "US-ASCII")));
    }

    @Test
    public void providersDiffer_itIsSaidWhoHasAny() {
        assertEquals(
                "zookeeper.authProvider.* names some classes here and none of one's own in the cluster",
                difference(number(false, false, false, "com.example.One"), PLAIN));
        assertEquals(
                "reconfigEnabled is false here and true in the cluster;"
                        + " zookeeper.authProvider.* names none of one's own here and other classes in the cluster",
                difference(PLAIN, number(true, false, false, "com.example.One")));
        assertNotEquals(
                number(false, false, false, "com.example.One"),
                number(false, false, false, "com.example.One", "com.example.Two"));
    }

    @Test
    public void sameSettings_differInNothing() {
        assertEquals("", difference(PLAIN, number(false, false, false)));
    }

    @Test
    public void numberOfAnEarlierRelease_saysNothing() {
        assertEquals("", difference(PLAIN, 0x123456789abcdefL));
    }

    /** The number is replicated state: another one for the same settings would refuse every replica. */
    @Test
    public void numbers_stayTheSame() {
        assertEquals("c4a1100000000000", Long.toHexString(PLAIN));
        assertEquals("c4a1f00000000000", Long.toHexString(number(true, true, true)));
    }
}
