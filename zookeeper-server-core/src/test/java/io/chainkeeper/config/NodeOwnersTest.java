package io.chainkeeper.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.TreeSet;
import org.apache.zookeeper.server.EphemeralType;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public class NodeOwnersTest {
    private static final String EXTENDED = "zookeeper.extendedTypesEnabled";
    private static final String EMULATION = "zookeeper.emulate353TTLNodes";
    private static final long OF_A_FORMER_RELEASE = 0x123456789abcdefL;
    private static final long TIME_TO_LIVE = EphemeralType.TTL.toEphemeralOwner(1000);
    private static final long OF_3_5_3 = Long.MIN_VALUE | 1000;

    private String extendedBefore;
    private String emulationBefore;

    @Before
    public void clear() {
        extendedBefore = System.clearProperty(EXTENDED);
        emulationBefore = System.clearProperty(EMULATION);
    }

    @After
    public void restore() {
        restore(EXTENDED, extendedBefore);
        restore(EMULATION, emulationBefore);
    }

    private static void restore(String property, String value) {
        System.clearProperty(property);
        if (value != null) {
            System.setProperty(property, value);
        }
    }

    private static long formedWith(boolean extended, boolean emulates) {
        return new SharedSettings(false, extended, emulates, true, "UTF-8", new TreeSet<>()).number();
    }

    @Test
    public void withoutTheSetting_timesToLiveAreUnderstoodAndNotOffered() {
        NodeOwners.putInForce(false);
        assertEquals(EphemeralType.TTL, EphemeralType.get(TIME_TO_LIVE));
        assertFalse(NodeOwners.offersTimeToLive());
        NodeOwners.putInForce(false);
        assertFalse(NodeOwners.offersTimeToLive());
    }

    @Test
    public void withTheSetting_timesToLiveAreOffered() {
        for (String value : new String[] {"true", "TRUE", "True"}) {
            System.setProperty(EXTENDED, value);
            NodeOwners.putInForce(false);
            assertTrue(value, NodeOwners.offersTimeToLive());
            assertEquals(EphemeralType.TTL, EphemeralType.get(TIME_TO_LIVE));
        }
    }

    /** Its sessions begin with the byte that marks a time to live. */
    @Test
    public void server255_itsSessionsOwnEphemerals() {
        NodeOwners.putInForce(true);
        assertEquals(EphemeralType.NORMAL, EphemeralType.get(255L << 56 | 12345L << 40));
        assertEquals(formedWith(false, false), NodeOwners.said(formedWith(false, false)));
        assertNull(NodeOwners.refusal(formedWith(false, false), true));
        assertNull(NodeOwners.refusal(formedWith(true, false), false));
        assertNotNull(NodeOwners.refusal(formedWith(true, false), true));
    }

    @Test
    public void sessionsOfAServer255_areNoneWhereTheirIdsAreTimesToLive() {
        long of255 = 255L << 56 | 1L << 40;
        assertFalse(NodeOwners.mayBeSession(formedWith(true, false), of255));
        assertFalse("there is no cluster yet", NodeOwners.mayBeSession(0, of255));
        assertTrue(NodeOwners.mayBeSession(formedWith(true, false), 254L << 56));
        assertTrue(NodeOwners.mayBeSession(formedWith(false, false), of255));
        assertTrue(NodeOwners.mayBeSession(OF_A_FORMER_RELEASE, of255));
        NodeOwners.putInForce(false);
        assertNull(NodeOwners.refusal(List.of(1L << 56)));
        assertTrue(NodeOwners.refusal(List.of(1L, of255)).contains("server.255"));
        NodeOwners.putInForce(true);
        assertNull(NodeOwners.refusal(List.of(of255)));
    }

    @Test
    public void clusterWithoutTimesToLive_theSettingHasNoEffect() {
        System.setProperty(EXTENDED, "true");
        assertFalse(NodeOwners.areInForce(formedWith(false, false)));
        NodeOwners.putInForce(formedWith(false, false));
        assertTrue(NodeOwners.areInForce(formedWith(false, false)));
        assertEquals(EphemeralType.NORMAL, EphemeralType.get(TIME_TO_LIVE));
    }

    @Test
    public void emulation_isThatOfTheClusterWhateverIsSet() {
        NodeOwners.putInForce(formedWith(true, true));
        assertEquals(EphemeralType.TTL, EphemeralType.get(OF_3_5_3));
        assertEquals(formedWith(true, true), NodeOwners.said(formedWith(false, false)));
        NodeOwners.putInForce(formedWith(true, false));
        assertEquals(EphemeralType.NORMAL, EphemeralType.get(OF_3_5_3));
        assertEquals(EphemeralType.CONTAINER, EphemeralType.get(Long.MIN_VALUE));
    }

    @Test
    public void ownersWhoseMeaningChanges_areTold() {
        NodeOwners.putInForce(formedWith(true, false));
        assertTrue(NodeOwners.meansTheSame(formedWith(true, true), TIME_TO_LIVE));
        assertTrue(NodeOwners.meansTheSame(formedWith(true, true), 1L << 56));
        assertTrue(NodeOwners.meansTheSame(formedWith(true, true), Long.MIN_VALUE));
        assertFalse(NodeOwners.meansTheSame(formedWith(true, true), OF_3_5_3));
        assertFalse(NodeOwners.meansTheSame(formedWith(false, false), TIME_TO_LIVE));
        assertTrue(NodeOwners.meansTheSame(formedWith(false, false), OF_3_5_3));
        assertFalse(NodeOwners.meansTheSame(OF_A_FORMER_RELEASE, TIME_TO_LIVE));
    }

    @Test
    public void clusterOfAFormerRelease_everyServerGoesByItsSetting() {
        NodeOwners.putInForce(false);
        assertFalse(NodeOwners.areInForce(OF_A_FORMER_RELEASE));
        NodeOwners.putInForce(OF_A_FORMER_RELEASE);
        assertEquals(EphemeralType.NORMAL, EphemeralType.get(TIME_TO_LIVE));
        System.setProperty(EXTENDED, "true");
        assertTrue(NodeOwners.areInForce(OF_A_FORMER_RELEASE));
    }

    @Test
    public void serversThatDifferInOwnersAlone_areOfTheSameCluster() {
        assertTrue(SharedSettings.areSame(formedWith(true, true), formedWith(false, false)));
        long reconfig = new SharedSettings(true, false, false, true, "UTF-8", new TreeSet<>(List.of("a"))).number();
        assertFalse(SharedSettings.areSame(formedWith(true, true), reconfig));
        assertFalse(SharedSettings.areSame(OF_A_FORMER_RELEASE, formedWith(true, true)));
    }
}
