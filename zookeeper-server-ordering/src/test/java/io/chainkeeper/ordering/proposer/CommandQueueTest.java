package io.chainkeeper.ordering.proposer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.SizeLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.Test;

/** Commands on their way: none lost, none overtaken, batches within their bounds. */
public final class CommandQueueTest {
    private static final int SELF = 2;
    private static final long INCARNATION = 7;
    private static final int MANY = 1000;
    private static final int MANY_BYTES = 1 << 20;

    private final CommandQueue queue = new CommandQueue(SELF, INCARNATION);

    private static ProposedCommand own(long sequence) {
        return command(SELF, INCARNATION, sequence);
    }

    private static ProposedCommand command(int proposer, long incarnation, long sequence) {
        return new ProposedCommand(proposer, incarnation, 0, sequence, ByteSlice.of(new byte[10]));
    }

    private static List<ProposedCommand> of(int proposer, long... sequences) {
        return LongStream.of(sequences)
                .mapToObj(sequence -> command(proposer, 1, sequence))
                .toList();
    }

    private void propose(boolean leads, long... sequences) {
        for (long sequence : sequences) {
            queue.propose(own(sequence), leads);
        }
    }

    private static List<Long> sequences(List<ProposedCommand> commands) {
        return commands.stream().map(ProposedCommand::sequence).toList();
    }

    private List<Long> unsent() {
        List<Long> sequences = new ArrayList<>();
        while (queue.hasUnsent()) {
            sequences.addAll(sequences(queue.nextUnsent(MANY_BYTES)));
        }
        return sequences;
    }

    private List<Long> waiting() throws MalformedMessageException {
        List<Long> sequences = new ArrayList<>();
        while (queue.hasWaiting()) {
            sequences.addAll(sequences(BatchCodec.decode(queue.nextBatch(1, MANY, MANY_BYTES))));
        }
        return sequences;
    }

    @Test
    public void follower_sendsItsCommandsOnceAndAgainToANewLeader() {
        propose(false, 1, 2, 3);
        assertEquals(List.of(1L, 2L, 3L), unsent());
        assertFalse(queue.hasUnsent());
        queue.delivered(BatchCodec.encode(List.of(own(1))));
        queue.leaderLost();
        assertFalse(queue.hasUnsent());
        queue.leaderChanged(false);
        assertEquals(2, queue.lowestOutstanding());
        assertEquals(List.of(2L, 3L), unsent());
        queue.resend();
        assertEquals(List.of(2L, 3L), unsent());
    }

    @Test
    public void leader_takesItsOwnCommandsAndThoseOfOthersInOrder() throws Exception {
        propose(true, 1, 2);
        queue.takeForwarded(5, of(3, 5, 6));
        assertFalse(queue.hasUnsent());
        assertEquals(List.of(1L, 2L, 5L, 6L), waiting());
    }

    @Test
    public void forwardedAgainOrWithAGap_isTakenOnceAndInOrder() throws Exception {
        queue.takeForwarded(5, of(3, 6, 7));
        assertFalse("6 must not overtake 5", queue.hasWaiting());
        queue.takeForwarded(5, of(3, 5, 6));
        queue.takeForwarded(5, of(3, 5, 6, 7));
        queue.takeForwarded(5, of(3, 9));
        assertEquals(List.of(5L, 6L, 7L), waiting());
    }

    @Test
    public void leaderLost_whatWaitedIsTakenAgainUnderTheNextOne() throws Exception {
        queue.takeForwarded(1, of(3, 1, 2));
        queue.leaderLost();
        assertFalse(queue.hasWaiting());
        queue.leaderChanged(true);
        queue.takeForwarded(2, of(3, 2));
        assertEquals(List.of(2L), waiting());
    }

    @Test
    public void newLeader_takesWhatItHasOutstanding() throws Exception {
        propose(false, 1, 2);
        queue.leaderChanged(true);
        assertFalse(queue.hasUnsent());
        assertEquals(List.of(1L, 2L), waiting());
        assertEquals(2, queue.outstanding());
    }

    @Test
    public void batch_holdsSoManyCommandsAndBytes() {
        propose(true, 1, 2, 3, 4, 5);
        int each = 10 + BatchCodec.COMMAND_OVERHEAD_BYTES;
        assertEquals(
                BatchCodec.BATCH_OVERHEAD_BYTES + 2 * each,
                queue.nextBatch(1, 2, MANY_BYTES).length());
        assertEquals(
                BatchCodec.BATCH_OVERHEAD_BYTES + 2 * each,
                queue.nextBatch(2, MANY, 3 * each - 1).length());
        assertEquals(
                "one is always taken",
                BatchCodec.BATCH_OVERHEAD_BYTES + each,
                queue.nextBatch(3, MANY, 1).length());
        assertEquals(0, queue.waiting());
    }

    private boolean hasBatch() {
        return queue.hasBatch(MANY, MANY_BYTES);
    }

    @Test
    public void batch_waitsUntilAsManyCommandsWaitAsAreUnderWay() {
        assertFalse("nothing waits", hasBatch());
        propose(true, 1, 2, 3);
        assertTrue("nothing is under way", hasBatch());
        queue.nextBatch(1, MANY, MANY_BYTES);
        assertFalse("nothing waits", hasBatch());
        propose(true, 4, 5);
        assertFalse(hasBatch());
        propose(true, 6);
        assertTrue(hasBatch());
        queue.nextBatch(2, MANY, MANY_BYTES);
        propose(true, 7, 8);
        assertFalse("six are under way", hasBatch());
        queue.decided(1);
        assertFalse("three are under way", hasBatch());
        queue.decided(2);
        assertTrue("nothing is under way", hasBatch());
    }

    @Test
    public void batch_thatIsFullWaitsForNothing() {
        propose(true, 1, 2, 3, 4, 5);
        queue.nextBatch(1, MANY, MANY_BYTES);
        propose(true, 6, 7);
        assertFalse(hasBatch());
        assertTrue("as many commands as it may hold", queue.hasBatch(2, MANY_BYTES));
        assertTrue("as many bytes as it may hold", queue.hasBatch(MANY, 2 * (10 + BatchCodec.COMMAND_OVERHEAD_BYTES)));
    }

    @Test
    public void batch_ofANewLeaderDoesNotWaitForThoseOfTheFormerOne() {
        propose(true, 1, 2, 3);
        queue.nextBatch(1, MANY, MANY_BYTES);
        queue.leaderLost();
        queue.takeForwarded(1, of(3, 1));
        assertTrue(hasBatch());
    }

    @Test
    public void parts_endOnceTheyHaveEnoughBytes() {
        propose(false, 1, 2, 3);
        assertEquals(List.of(1L, 2L), sequences(queue.nextUnsent(10 + BatchCodec.COMMAND_OVERHEAD_BYTES + 1)));
        assertEquals(List.of(3L), sequences(queue.nextUnsent(1)));
    }

    @Test
    public void delivered_onlyThisIncarnationsNextCommandIsDone() {
        propose(false, 1, 2, 3);
        queue.delivered(BatchCodec.encode(List.of(command(SELF, INCARNATION - 1, 1), command(3, INCARNATION, 1))));
        assertEquals(3, queue.outstanding());
        queue.delivered(BatchCodec.encode(List.of(own(2))));
        assertEquals("decided before the one that it follows: the executor skips it", 3, queue.outstanding());
        queue.delivered(BatchCodec.encode(List.of(own(1), own(2), own(1), own(3))));
        assertEquals(0, queue.outstanding());
        assertFalse("what is delivered is not sent any more", queue.hasUnsent());
    }

    @Test
    public void deliveredWithoutCommands_changesNothing() {
        propose(false, 1);
        queue.delivered(BatchCodec.NO_OP);
        queue.delivered(BatchCodec.encode(new Membership(1, List.of(new Member(1, 1)))));
        queue.delivered(BatchCodec.encodeNote(ByteSlice.of(new byte[3])));
        assertEquals(1, queue.outstanding());
        assertTrue(queue.hasUnsent());
    }

    @Test
    public void manyBytesUnderWay_nextBatchWaits() {
        ByteSlice large = ByteSlice.of(new byte[SizeLimits.MAX_UNDER_WAY_BYTES]);
        for (long sequence = 1; sequence <= 3; sequence++) {
            queue.propose(new ProposedCommand(SELF, INCARNATION, 0, sequence, large), true);
        }
        assertTrue("one goes, however large", queue.hasBatch(MANY, MANY_BYTES));
        queue.nextBatch(1, MANY, MANY_BYTES);
        assertFalse(queue.hasBatch(MANY, MANY_BYTES));
        queue.decided(1);
        assertTrue(queue.hasBatch(MANY, MANY_BYTES));
        queue.nextBatch(2, MANY, MANY_BYTES);
        queue.leaderChanged(true);
        assertTrue("a new leader has nothing under way", queue.hasBatch(MANY, MANY_BYTES));
    }
}
