package io.chainkeeper.ordering.acceptor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.RuleSwitches;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.Test;

/** The rule by which a blank replica founds (docs/decisions/022-founding.md), case by case. */
public class ReplicaIdentityTest {
    private static final int SELF = 1;

    /** A log whose records become durable when the test says so. */
    private static final class Log implements Effects, RecoveredState {
        private final List<LogRecord> appended = new ArrayList<>();
        private final Map<Integer, LogRecord> durable = new TreeMap<>();

        private long sync() {
            appended.forEach(record -> durable.put(record.kind(), record));
            return appended.size();
        }

        @Override
        public long append(LogRecord record) {
            appended.add(record);
            return appended.size();
        }

        @Override
        public LogRecord metadata(int kind) {
            return durable.get(kind);
        }

        @Override
        public long appliedPosition() {
            return 0;
        }

        @Override
        public long firstPosition() {
            return 0;
        }

        @Override
        public long lastPosition() {
            return 0;
        }

        @Override
        public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {
            // Nothing was accepted.
        }

        @Override
        public void send(int to, Message message) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void sendAfter(long logSequence, int to, Message message) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void deliver(long position, ByteSlice value, long prefixHash) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void barrierReached(long token) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void truncate(long belowPosition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void readLog(long fromPosition, int maxBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void needState(int fromPeer, long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void statusChanged(OrderingStatus status) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void memberSilent(int member, boolean silent) {
            throw new UnsupportedOperationException();
        }
    }

    private final Log log = new Log();

    private ReplicaIdentity start(int members, int minQuorumSize, long incarnation, int chance) {
        ProtocolContext context =
                new ProtocolContext(SELF, incarnation, ids(members), Map.of(), bound -> chance % bound, 50);
        ReplicaIdentity identity = new ReplicaIdentity(context, log, minQuorumSize, RuleSwitches.ALL_ON);
        identity.start(log, true);
        return identity;
    }

    private ReplicaIdentity blankOf(int members) {
        ReplicaIdentity identity = start(members, 1, 10, 3);
        identity.record();
        identity.durable(log.sync());
        return identity;
    }

    private static List<Integer> ids(int count) {
        return IntStream.rangeClosed(1, count).boxed().toList();
    }

    private static FoundingHello blank(int members, long disk) {
        return new FoundingHello(disk, true, false, ids(members), List.of());
    }

    private static FoundingHello founder(int members, Member... companions) {
        return new FoundingHello(77, true, true, ids(members), List.of(companions));
    }

    @Test
    public void majorityIsBlank_founds() {
        ReplicaIdentity identity = blankOf(5);
        identity.met(2, blank(5, 20));
        assertFalse(identity.isFounder());
        identity.met(4, blank(5, 40));
        assertTrue(identity.isFounder());
        assertFalse("its record is not durable", identity.maySayHello());
        assertTrue(identity.durable(log.sync()));
        FoundingHello own = identity.hello(true);
        assertTrue(own.founder());
        assertEquals(List.of(new Member(2, 20), new Member(4, 40)), own.companions());
    }

    @Test
    public void founderStandsForThisDisk_founds() {
        ReplicaIdentity identity = blankOf(3);
        identity.met(2, founder(3, new Member(SELF, identity.disk()), new Member(3, 30)));
        assertTrue(identity.isFounder());
    }

    @Test
    public void founderStandsForAnotherDisk_doesNotFound() {
        ReplicaIdentity identity = blankOf(3);
        identity.met(2, founder(3, new Member(SELF, identity.disk() + 1), new Member(3, 30)));
        assertFalse(identity.isFounder());
        identity.met(3, blank(3, 30));
        assertTrue("2 and 3 have both promised nothing", identity.isFounder());
    }

    /** The fourth may have the promise of a lost disk, and get that of one of the three yet. */
    @Test
    public void threeOfFourFoundersHavePromisedNothing_waitsForTheFourth() {
        ReplicaIdentity identity = blankOf(5);
        for (int id = 2; id <= 4; id++) {
            identity.met(id, founder(5));
            assertFalse(identity.isFounder());
        }
        identity.met(5, founder(5));
        assertTrue(identity.isFounder());
    }

    @Test
    public void somebodyHasPromised_doesNotFound() {
        ReplicaIdentity identity = blankOf(3);
        identity.met(3, new FoundingHello(30, false, true, ids(3), List.of(new Member(SELF, identity.disk()))));
        identity.met(2, blank(3, 20));
        assertFalse(identity.isFounder());
    }

    @Test
    public void othersHaveOtherParticipants_doesNotFound() {
        ReplicaIdentity identity = blankOf(3);
        identity.met(2, blank(4, 20));
        identity.met(3, blank(4, 30));
        assertFalse(identity.isFounder());
    }

    /** Above the majority one founder may stand for too few, so that nobody would be left who may found. */
    @Test
    public void quorumIsAll_foundsWithAllThatHavePromisedNothing() {
        ReplicaIdentity identity = start(3, 3, 10, 3);
        identity.met(2, founder(3, new Member(3, 30)));
        assertFalse(identity.isFounder());
        identity.met(3, founder(3, new Member(2, 20)));
        assertTrue(identity.isFounder());
    }

    @Test
    public void ensembleOfOne_foundsAtOnce() {
        assertTrue(start(1, 1, 10, 3).isFounder());
    }

    @Test
    public void numberIsNotDurable_saysNoHello() {
        ReplicaIdentity identity = start(3, 1, 10, 3);
        assertFalse(identity.maySayHello());
        identity.record();
        assertFalse(identity.maySayHello());
        assertTrue(identity.durable(log.sync()));
        assertTrue(identity.maySayHello());
        assertFalse("once", identity.durable(log.sync()));
    }

    @Test
    public void restart_remembersNumberAndCompanions() {
        ReplicaIdentity before = blankOf(3);
        before.met(2, blank(3, 20));
        before.durable(log.sync());
        ReplicaIdentity identity = start(3, 1, 11, 4);
        assertTrue(identity.maySayHello());
        assertEquals(before.hello(true), identity.hello(true));
    }

    @Test
    public void foundedByAnEarlierRelease_isAFounderWithoutCompanions() {
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + 1 + 2 * Integer.BYTES);
        head.putLong(1700000000000L).put((byte) 1).putInt(1).putInt(2);
        log.append(
                new LogRecord(LogRecord.METADATA, ReplicaIdentity.DISK, ByteSlice.of(head.array()), ByteSlice.EMPTY));
        log.sync();
        ReplicaIdentity identity = start(3, 1, 11, 4);
        assertEquals(new FoundingHello(1700000000000L, true, true, ids(2), List.of()), identity.hello(true));
        assertTrue(identity.votesAs(new Member(SELF, Member.UNBOUND)));
    }

    @Test
    public void clockWasSetBack_chanceKeepsDisksApart() {
        long lost = start(3, 1, 1700000000000L, 5).disk();
        assertNotEquals(lost, start(3, 1, 1700000000000L, 6).disk());
    }

    @Test
    public void anyIncarnation_givesANumberThatIsNotUnbound() {
        for (long incarnation : new long[] {0, 1, 1L << 43, 1L << 44, Long.MAX_VALUE}) {
            assertTrue(start(3, 1, incarnation, 0).disk() > Member.UNBOUND);
        }
    }
}
