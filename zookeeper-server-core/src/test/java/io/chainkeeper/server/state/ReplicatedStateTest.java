package io.chainkeeper.server.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.ImportedState;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.server.session.OwnedSessions;
import io.chainkeeper.server.session.ReplicatedSessionTracker;
import io.chainkeeper.server.session.SessionIds;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.zookeeper.server.ZKDatabase;
import org.junit.Test;

public class ReplicatedStateTest {
    private static final EnsembleConfig FIRST = EnsembleConfig.parse("server.1=a:1:2:participant;0.0.0.0:3\nversion=0");
    private static final EnsembleConfig SECOND =
            EnsembleConfig.parse("server.1=a:1:2:participant\nserver.2=b:1:2:observer\nversion=0");

    private static final long WITH_RECONFIG = 0xc4a2900000000000L;
    private static final long WITHOUT_RECONFIG = 0xc4a2100000000000L;
    private static final long OF_THE_FORMER_RELEASE = 0xc4a1900000000000L;

    private static ReplicatedState full() {
        ReplicatedState state = ReplicatedState.initial(0x100000007L);
        state.advanceTime(77);
        state.formed(new UUID(3, 4), 5, FeatureLevel.FIRST);
        state.started(2, 9, 5_000);
        state.said(2, WITH_RECONFIG);
        state.knows(2, WITHOUT_RECONFIG, Map.of("key", "a.Key", "\u00fc", ""));
        state.sessions().create(17, 4_000, 2, 9);
        state.membershipChanged(Membership.initial(1, List.of(1, 2)));
        state.configured(FIRST, 6);
        state.planned(new EnsemblePlan(2, 9, 17, -3, SECOND));
        ImportedState imported = new ImportedState(ImportedState.Kind.MEMBER, 5, 6, 7);
        state.importedStates().formed(imported);
        state.importedStates().report(2, imported, List.of(1, 3));
        return state;
    }

    @Test
    public void transactions_areAsLongAsEveryServerCanReadBack() throws Exception {
        ReplicatedState state = ReplicatedState.initial(0);
        assertEquals("nobody has said anything", Long.MAX_VALUE, state.agreedTransactionBytes());
        state.started(1, 1, 3_000);
        state.started(2, 1, 2_000);
        state.started(3, 1, 1_500);
        assertEquals(1_500, state.agreedTransactionBytes());
        state.started(3, 2, 4_000);
        assertEquals("a later start counts", 2_000, state.agreedTransactionBytes());
        state.started(2, 2, 0);
        assertEquals("of a release that does not say", 2_000, state.agreedTransactionBytes());
        assertEquals(2_000, ReplicatedState.decode(state.encode()).agreedTransactionBytes());
        state.configured(FIRST, 6);
        assertEquals("server 2 is not configured", 3_000, state.agreedTransactionBytes());
        state.configured(SECOND, 7);
        assertEquals("an observer counts", 2_000, state.agreedTransactionBytes());
        assertEquals(2_000, ReplicatedState.decode(state.encode()).agreedTransactionBytes());
    }

    @Test
    public void configuration_isReplicatedWhileOneOfItsServersTakesReconfig() throws Exception {
        ReplicatedState state = ReplicatedState.initial(0);
        state.said(2, WITH_RECONFIG);
        assertFalse("there is no cluster yet", state.mayReplicate(SECOND));
        state.formed(new UUID(3, 4), WITHOUT_RECONFIG, FeatureLevel.FIRST);
        assertTrue(state.mayReplicate(SECOND));
        assertFalse("server 2 is none of them", state.mayReplicate(FIRST));
        assertTrue(ReplicatedState.decode(state.encode()).mayReplicate(SECOND));
        state.started(2, 1, 0);
        state.started(1, 1, 0);
        state.started(3, 1, 0);
        assertTrue("of three one is left out", state.mayReplicate(SECOND));
        state.started(4, 1, 0);
        assertFalse("half of them are left out", state.mayReplicate(SECOND));
        state.membershipChanged(Membership.initial(1, List.of(1, 2)));
        assertTrue("the order says who the members are", state.mayReplicate(SECOND));
        state.membershipChanged(Membership.initial(1, List.of(1, 2, 3)));
        assertFalse("member 3 is left out", state.mayReplicate(SECOND));
        state.membershipChanged(Membership.initial(1, List.of(1)));
        state.configured(SECOND, 0);
        assertFalse("it is already", state.mayReplicate(SECOND));
        state.said(1, OF_THE_FORMER_RELEASE);
        state.said(2, WITHOUT_RECONFIG);
        assertFalse("server 1 has not said anything", state.replicatesInVain());
        state.said(1, WITHOUT_RECONFIG);
        assertTrue(state.replicatesInVain());
        assertTrue(ReplicatedState.decode(state.encode()).replicatesInVain());
        state.configured(null, 0);
        assertFalse(state.replicatesInVain());
        assertFalse(state.mayReplicate(SECOND));
    }

    @Test
    public void schemes_countWhenEveryServerKnowsThemByTheSameProvider() throws Exception {
        ReplicatedState state = ReplicatedState.initial(0);
        state.knows(1, WITHOUT_RECONFIG, null);
        assertNull("nobody has said anything", state.agreedSchemes());
        state.knows(1, WITHOUT_RECONFIG, Map.of("key", "a.Key", "other", "a.Other"));
        assertEquals(Map.of("key", "a.Key", "other", "a.Other"), state.agreedSchemes());
        state.knows(2, WITHOUT_RECONFIG, Map.of("key", "a.Key", "other", "b.Other"));
        assertEquals(Map.of("key", "a.Key"), state.agreedSchemes());
        assertEquals(
                Map.of("key", "a.Key"), ReplicatedState.decode(state.encode()).agreedSchemes());
        state.knows(1, WITHOUT_RECONFIG, Map.of("other", "b.Other"));
        assertEquals("a later start counts", Map.of("other", "b.Other"), state.agreedSchemes());
        state.knows(3, WITHOUT_RECONFIG, Map.of());
        assertEquals(Map.of(), state.agreedSchemes());
        state.configured(SECOND, 7);
        assertEquals("server 3 is not configured", Map.of("other", "b.Other"), state.agreedSchemes());
        assertEquals(
                Map.of("other", "b.Other"),
                ReplicatedState.decode(state.encode()).agreedSchemes());
    }

    @Test
    public void everything_isReadBackAsTheSameBytes() throws Exception {
        ReplicatedState state = full();
        ReplicatedState copy = ReplicatedState.decode(state.encode());
        assertEquals(state.encode(), copy.encode());
        assertEquals(FIRST, copy.configuration());
        assertEquals(6, copy.reconfigZxid());
        assertEquals(state.plan(), copy.plan());
        assertEquals(state.importedStates().origin(), copy.importedStates().origin());
        assertEquals(state.importedStates().of(2), copy.importedStates().of(2));
        assertEquals(state.importedStates().goesWithout(), copy.importedStates().goesWithout());
        assertEquals(state.membership(), copy.membership());
        assertEquals(Long.valueOf(9), (Long) copy.incarnationOf(2));
    }

    /** The replica's clock was set back, or stands still: its session ids must be new ones all the same. */
    @Test
    public void replicaStartsAgain_neverAtTheSameAgreedTime() {
        ReplicatedState state = ReplicatedState.initial(0);
        state.advanceTime(1_700_000_000_000L);
        state.started(2, 1, 0);
        long before = state.sessionIds(2, 0).next();
        state.advanceTime(1_600_000_000_000L);
        state.started(2, 2, 0);
        assertNotEquals(before, state.sessionIds(2, 0).next());
    }

    /** Some other replica's clock is ahead for good, and the sessions of one start are more than 16 bits can count. */
    @Test
    public void moreSessionsThanTheCounterHolds_andTheTimeStandsStill_noIdRecurs() throws Exception {
        ReplicatedState state = ReplicatedState.initial(0);
        state.advanceTime(1_700_000_000_000L);
        Set<Long> given = new HashSet<>();
        for (int start = 1; start <= 3; start++) {
            state.started(2, start, 0);
            SessionIds ids = state.sessionIds(2, 0);
            for (int i = 0; i < 150_000; i++) {
                long sessionId = ids.next();
                assertTrue("given out twice", given.add(sessionId));
                assertTrue(state.createSession(sessionId, 4_000, 2, start));
                state.sessions().remove(sessionId);
            }
            state = ReplicatedState.decode(state.encode());
        }
        assertTrue("it moves by what is needed and no more", state.agreedTimeMillis() < 1_700_000_000_020L);
    }

    /** A session that is not ordered moves no time. */
    @Test
    public void localSessions_areOnlyThoseWhoseIdsCannotRecur() {
        ReplicatedState state = ReplicatedState.initial(0);
        state.advanceTime(1_700_000_000_000L);
        Set<Long> given = new HashSet<>();
        int ordinary = 0;
        for (int start = 1; start <= 3; start++) {
            state.started(2, start, 0);
            OwnedSessions owned = new OwnedSessions(() -> 0);
            ReplicatedSessionTracker tracker = new ReplicatedSessionTracker(
                    state.sessions(), owned, state.sessionIds(2, 0), new ZKDatabase(null), true);
            for (int i = 0; i < 150_000; i++) {
                long sessionId = tracker.createSession(4_000);
                assertTrue("given out twice", given.add(sessionId));
                if (!tracker.isLocalSession(sessionId)) {
                    ordinary++;
                    assertTrue(state.createSession(sessionId, 4_000, 2, start));
                }
            }
        }
        assertEquals("one whenever the counter runs over", 6, ordinary);
    }

    @Test
    public void timeInAnId_isFoundAlsoWhereItsBitsWrapAround() {
        long wrap = 1L << 40;
        assertEquals(0, SessionIds.aheadMillis(3L << 56 | 7, 2 * wrap));
        assertEquals(2, SessionIds.aheadMillis(3L << 56 | 2 << 16, 2 * wrap));
        assertEquals(2, SessionIds.aheadMillis(0xff0000000000ffffL | 1 << 16, 2 * wrap - 1));
        assertEquals(0, SessionIds.aheadMillis(wrap - 1 << 16, 2 * wrap));
    }

    @Test
    public void nothing_isReadBackAsNothing() throws Exception {
        ReplicatedState copy = ReplicatedState.decode(ReplicatedState.initial(0).encode());
        assertNull(copy.configuration());
        assertNull(copy.plan());
        assertNull(copy.membership());
        assertNull(copy.clusterId());
    }

    @Test
    public void everyPrefix_isRefused() {
        byte[] bytes = full().encode().toByteArray();
        for (int length = 0; length < bytes.length; length++) {
            ByteSlice prefix = ByteSlice.of(bytes, 0, length);
            assertThrows("" + length, MalformedMessageException.class, () -> ReplicatedState.decode(prefix));
        }
    }
}
