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
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.Test;

/** The rule by which a blank replica founds (docs/decisions/022-founding.md), case by case. */
public class DiskTest {
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

    private Disk start(int members, int minQuorumSize, long incarnation, int chance) {
        ProtocolContext context =
                new ProtocolContext(SELF, incarnation, ids(members), Map.of(), bound -> chance % bound, 50);
        Disk disk = new Disk(context, log, minQuorumSize);
        disk.start(log, true);
        return disk;
    }

    private Disk blankOf(int members) {
        Disk disk = start(members, 1, 10, 3);
        disk.keep();
        disk.durable(log.sync());
        return disk;
    }

    private static List<Integer> ids(int count) {
        return IntStream.rangeClosed(1, count).boxed().toList();
    }

    private static Introduction blank(int members, long disk) {
        return new Introduction(disk, true, false, ids(members), List.of());
    }

    private static Introduction founder(int members, Member... companions) {
        return new Introduction(77, true, true, ids(members), List.of(companions));
    }

    @Test
    public void majorityIsBlank_founds() {
        Disk disk = blankOf(5);
        disk.met(2, blank(5, 20));
        assertFalse(disk.isFounder());
        disk.met(4, blank(5, 40));
        assertTrue(disk.isFounder());
        assertFalse("its record is not durable", disk.mayIntroduce());
        assertTrue(disk.durable(log.sync()));
        Introduction own = disk.introduction(true);
        assertTrue(own.founder());
        assertEquals(List.of(new Member(2, 20), new Member(4, 40)), own.companions());
    }

    @Test
    public void founderStandsForThisDisk_founds() {
        Disk disk = blankOf(3);
        disk.met(2, founder(3, new Member(SELF, disk.number()), new Member(3, 30)));
        assertTrue(disk.isFounder());
    }

    @Test
    public void founderStandsForAnotherDisk_doesNotFound() {
        Disk disk = blankOf(3);
        disk.met(2, founder(3, new Member(SELF, disk.number() + 1), new Member(3, 30)));
        assertFalse(disk.isFounder());
        disk.met(3, blank(3, 30));
        assertTrue("2 and 3 have both promised nothing", disk.isFounder());
    }

    /** The fourth may have the promise of a lost disk, and get that of one of the three yet. */
    @Test
    public void threeOfFourFoundersHavePromisedNothing_waitsForTheFourth() {
        Disk disk = blankOf(5);
        for (int id = 2; id <= 4; id++) {
            disk.met(id, founder(5));
            assertFalse(disk.isFounder());
        }
        disk.met(5, founder(5));
        assertTrue(disk.isFounder());
    }

    @Test
    public void somebodyHasPromised_doesNotFound() {
        Disk disk = blankOf(3);
        disk.met(3, new Introduction(30, false, true, ids(3), List.of(new Member(SELF, disk.number()))));
        disk.met(2, blank(3, 20));
        assertFalse(disk.isFounder());
    }

    @Test
    public void othersHaveOtherParticipants_doesNotFound() {
        Disk disk = blankOf(3);
        disk.met(2, blank(4, 20));
        disk.met(3, blank(4, 30));
        assertFalse(disk.isFounder());
    }

    /** Above the majority one founder may stand for too few, so that nobody would be left who may found. */
    @Test
    public void quorumIsAll_foundsWithAllThatHavePromisedNothing() {
        Disk disk = start(3, 3, 10, 3);
        disk.met(2, founder(3, new Member(3, 30)));
        assertFalse(disk.isFounder());
        disk.met(3, founder(3, new Member(2, 20)));
        assertTrue(disk.isFounder());
    }

    @Test
    public void ensembleOfOne_foundsAtOnce() {
        assertTrue(start(1, 1, 10, 3).isFounder());
    }

    @Test
    public void numberIsNotDurable_doesNotIntroduceItself() {
        Disk disk = start(3, 1, 10, 3);
        assertFalse(disk.mayIntroduce());
        disk.keep();
        assertFalse(disk.mayIntroduce());
        assertTrue(disk.durable(log.sync()));
        assertTrue(disk.mayIntroduce());
        assertFalse("once", disk.durable(log.sync()));
    }

    @Test
    public void restart_remembersNumberAndCompanions() {
        Disk before = blankOf(3);
        before.met(2, blank(3, 20));
        before.durable(log.sync());
        Disk disk = start(3, 1, 11, 4);
        assertTrue(disk.mayIntroduce());
        assertEquals(before.introduction(true), disk.introduction(true));
    }

    @Test
    public void foundedByAnEarlierRelease_isAFounderWithoutCompanions() {
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + 1 + 2 * Integer.BYTES);
        head.putLong(1700000000000L).put((byte) 1).putInt(1).putInt(2);
        log.append(new LogRecord(LogRecord.METADATA, Disk.DISK, ByteSlice.of(head.array()), ByteSlice.EMPTY));
        log.sync();
        Disk disk = start(3, 1, 11, 4);
        assertEquals(new Introduction(1700000000000L, true, true, ids(2), List.of()), disk.introduction(true));
        assertTrue(disk.votesAs(new Member(SELF, Member.UNBOUND)));
    }

    @Test
    public void clockWasSetBack_chanceKeepsDisksApart() {
        long lost = start(3, 1, 1700000000000L, 5).number();
        assertNotEquals(lost, start(3, 1, 1700000000000L, 6).number());
    }

    @Test
    public void anyIncarnation_givesANumberThatIsNotUnbound() {
        for (long incarnation : new long[] {0, 1, 1L << 43, 1L << 44, Long.MAX_VALUE}) {
            assertTrue(start(3, 1, incarnation, 0).number() > Member.UNBOUND);
        }
    }
}
