package io.chainkeeper.server.execution;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.command.FormerState;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.server.reconfig.EnsembleConfiguration;
import io.chainkeeper.server.reconfig.EnsemblePlan;
import io.chainkeeper.server.session.SessionIds;
import java.util.List;
import java.util.UUID;
import org.junit.Test;

public class SideStateTest {
    private static final EnsembleConfiguration FIRST =
            EnsembleConfiguration.parse("server.1=a:1:2:participant;0.0.0.0:3\nversion=0");
    private static final EnsembleConfiguration SECOND =
            EnsembleConfiguration.parse("server.1=a:1:2:participant\nserver.2=b:1:2:observer\nversion=0");

    private static SideState full() {
        SideState state = SideState.initial(0x100000007L);
        state.advanceTime(77);
        state.formed(new UUID(3, 4), 5);
        state.started(2, 9);
        state.sessions().create(17, 4_000, 2, 9);
        state.membershipChanged(Membership.initial(1, List.of(1, 2)));
        state.configured(FIRST, 6);
        state.planned(new EnsemblePlan(2, 9, 17, -3, SECOND));
        FormerState former = new FormerState(FormerState.Kind.MEMBER, 5, 6, 7);
        state.formerStates().formed(former);
        state.formerStates().report(2, former, List.of(1, 3));
        return state;
    }

    @Test
    public void everything_isReadBackAsTheSameBytes() throws Exception {
        SideState state = full();
        SideState copy = SideState.decode(state.encode());
        assertEquals(state.encode(), copy.encode());
        assertEquals(FIRST, copy.configuration());
        assertEquals(6, copy.reconfigZxid());
        assertEquals(state.plan(), copy.plan());
        assertEquals(state.formerStates().origin(), copy.formerStates().origin());
        assertEquals(state.formerStates().of(2), copy.formerStates().of(2));
        assertEquals(state.formerStates().goesWithout(), copy.formerStates().goesWithout());
        assertEquals(state.membership(), copy.membership());
        assertEquals(Long.valueOf(9), (Long) copy.incarnationOf(2));
    }

    /** The replica's clock was set back, or stands still: its session ids must be new ones all the same. */
    @Test
    public void replicaStartsAgain_neverAtTheSameAgreedTime() {
        SideState state = SideState.initial(0);
        state.advanceTime(1_700_000_000_000L);
        state.started(2, 1);
        SessionIds first = new SessionIds(2, () -> state.startMillis(2, 0), state.sessions());
        long before = first.next();
        state.advanceTime(1_600_000_000_000L);
        state.started(2, 2);
        SessionIds second = new SessionIds(2, () -> state.startMillis(2, 0), state.sessions());
        assertNotEquals(before, second.next());
        assertEquals(5, state.startMillis(3, 5));
    }

    @Test
    public void nothing_isReadBackAsNothing() throws Exception {
        SideState copy = SideState.decode(SideState.initial(0).encode());
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
            assertThrows("" + length, MalformedMessageException.class, () -> SideState.decode(prefix));
        }
    }
}
