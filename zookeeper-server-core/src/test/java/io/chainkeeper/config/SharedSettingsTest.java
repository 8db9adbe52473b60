package io.chainkeeper.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

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
                "zookeeper.extendedTypesEnabled is false here and true in the cluster;"
                        + " zookeeper.authProvider.* names none of one's own here and other classes in the cluster",
                difference(PLAIN, number(false, true, false, "com.example.One")));
        assertNotEquals(
                number(false, false, false, "com.example.One"),
                number(false, false, false, "com.example.One", "com.example.Two"));
    }

    @Test
    public void sameSettings_differInNothing() {
        assertEquals("", difference(PLAIN, number(false, false, false)));
    }

    /** Every server says it, and may have it as it likes. */
    @Test
    public void reconfigEnabled_isSaidAndNotCompared() {
        long enabled = number(true, false, false);
        assertEquals("", difference(enabled, PLAIN));
        assertTrue(SharedSettings.mayBeLinked(enabled, PLAIN));
        assertTrue(SharedSettings.areSame(PLAIN, enabled));
        assertTrue(SharedSettings.saysReconfig(PLAIN) && SharedSettings.saysReconfig(enabled));
        assertTrue(SharedSettings.enablesReconfig(enabled));
        assertFalse(SharedSettings.enablesReconfig(PLAIN));
        assertFalse(SharedSettings.mayBeLinked(enabled, number(true, true, false)));
        assertTrue(SharedSettings.areSame(number(false, "US-ASCII"), enabled));
        assertFalse(SharedSettings.areSame(enabled, number(true, false, false, "com.example.One")));
    }

    /** Its servers execute reconfig only if all of them do. */
    @Test
    public void formerRelease_itsClusterIsTakenWithEither_itsServersAreNotLinked() {
        for (long formedWith : new long[] {0xc4a1100000000000L, 0xc4a1900000000000L}) {
            assertTrue(SharedSettings.areSame(formedWith, PLAIN));
            assertTrue(SharedSettings.areSame(formedWith, number(true, false, false)));
            assertTrue(SharedSettings.areSame(formedWith, number(false, true, false)));
            assertFalse(SharedSettings.mayBeLinked(formedWith, PLAIN));
            assertFalse(SharedSettings.saysReconfig(formedWith));
            assertTrue(SharedSettings.isNoHash(formedWith));
        }
        assertFalse(SharedSettings.areSame(0x0000100000000000L, PLAIN));
    }

    @Test
    public void formerRelease_itsProvidersCountUntilAServerHasSaidItsOwn() {
        long formedWith = 0xc4a1f12345678901L;
        long replacing = number(true, false, false, "com.example.One");
        assertTrue(SharedSettings.areOfFormerProviders(formedWith, PLAIN & ~0xfffffffL | 0x5678901));
        assertFalse(SharedSettings.areOfFormerProviders(formedWith, replacing));
        assertEquals(0xc4a2f12340000000L, SharedSettings.withProviders(formedWith, PLAIN));
        long counts = SharedSettings.withProviders(formedWith, replacing);
        assertEquals(0xc4a2f12340000000L | replacing & 0xfffffff, counts);
        assertTrue(SharedSettings.areSame(counts, number(false, false, false, "com.example.One")));
        assertFalse(SharedSettings.areSame(counts, PLAIN));
        assertEquals("once only", counts, SharedSettings.withProviders(counts, PLAIN));
        assertEquals("not of this release", formedWith, SharedSettings.withProviders(formedWith, 7));
    }

    @Test
    public void numberOfAnEarlierRelease_saysNothing() {
        assertEquals("", difference(PLAIN, 0x123456789abcdefL));
    }

    /** The number is replicated state: another one for the same settings would refuse every replica. */
    @Test
    public void numbers_stayTheSame() {
        assertEquals("c4a2100000000000", Long.toHexString(PLAIN));
        assertEquals("c4a2f00000000000", Long.toHexString(number(true, true, true)));
    }
}
