package io.chainkeeper.ordering.proposer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.SizeLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.Test;

/** Commands at their leader: none doubled, none overtaken, batches within their bounds. */
public final class ProposalQueueTest {
    private static final int MANY = 1000;
    private static final int MANY_BYTES = 1 << 20;
    private static final int COMMAND_BYTES = 10 + BatchCodec.COMMAND_OVERHEAD_BYTES;

    private final ProposalQueue queue = new ProposalQueue(MANY, MANY_BYTES);

    private static List<ProposedCommand> of(int proposer, long... sequences) {
        return LongStream.of(sequences)
                .mapToObj(sequence -> new ProposedCommand(proposer, 1, 0, sequence, ByteSlice.of(new byte[10])))
                .toList();
    }

    private void add(long... sequences) {
        queue.add(1, of(2, sequences));
    }

    private List<Long> waiting() throws MalformedMessageException {
        List<Long> sequences = new ArrayList<>();
        while (queue.hasWaiting()) {
            BatchCodec.decode(queue.pollBatch(1)).forEach(command -> sequences.add(command.sequence()));
        }
        return sequences;
    }

    @Test
    public void commandsOfSeveralReplicas_waitInOrderOfArrival() throws Exception {
        add(1, 2);
        queue.add(5, of(3, 5, 6));
        assertEquals(List.of(1L, 2L, 5L, 6L), waiting());
    }

    @Test
    public void forwardedAgainOrWithAGap_isTakenOnceAndInOrder() throws Exception {
        queue.add(5, of(3, 6, 7));
        assertFalse("6 must not overtake 5", queue.hasWaiting());
        queue.add(5, of(3, 5, 6));
        queue.add(5, of(3, 5, 6, 7));
        queue.add(5, of(3, 9));
        assertEquals(List.of(5L, 6L, 7L), waiting());
    }

    @Test
    public void leaderLost_whatWaitedIsTakenAgainUnderTheNextOne() throws Exception {
        queue.add(1, of(3, 1, 2));
        queue.clear();
        assertFalse(queue.hasWaiting());
        queue.add(2, of(3, 2));
        assertEquals(List.of(2L), waiting());
    }

    /** The length of the first batch of three commands. */
    private static int batchBytes(int maxCommands, int maxBytes) {
        ProposalQueue queue = new ProposalQueue(maxCommands, maxBytes);
        queue.add(1, of(2, 1, 2, 3));
        int bytes = queue.pollBatch(1).length() - BatchCodec.BATCH_OVERHEAD_BYTES;
        assertEquals(3 - bytes / COMMAND_BYTES, queue.waiting());
        return bytes;
    }

    @Test
    public void batch_holdsSoManyCommandsAndBytes() {
        assertEquals(3 * COMMAND_BYTES, batchBytes(MANY, MANY_BYTES));
        assertEquals(2 * COMMAND_BYTES, batchBytes(2, MANY_BYTES));
        assertEquals(2 * COMMAND_BYTES, batchBytes(MANY, 3 * COMMAND_BYTES - 1));
        assertEquals("one is always taken", COMMAND_BYTES, batchBytes(MANY, 1));
    }

    @Test
    public void batch_waitsUntilAsManyCommandsWaitAsAreUnderWay() {
        assertFalse("nothing waits", queue.hasBatch());
        add(1, 2, 3);
        assertTrue("nothing is under way", queue.hasBatch());
        queue.pollBatch(1);
        assertFalse("nothing waits", queue.hasBatch());
        add(4, 5);
        assertFalse(queue.hasBatch());
        add(6);
        assertTrue(queue.hasBatch());
        queue.pollBatch(2);
        add(7, 8);
        assertFalse("six are under way", queue.hasBatch());
        queue.decided(1);
        assertFalse("three are under way", queue.hasBatch());
        queue.decided(2);
        assertTrue("nothing is under way", queue.hasBatch());
    }

    /** Whether two commands that wait are a batch while five are under way. */
    private static boolean isFull(int maxCommands, int maxBytes) {
        ProposalQueue queue = new ProposalQueue(maxCommands, maxBytes);
        queue.add(1, of(2, 1, 2, 3, 4, 5));
        while (queue.hasWaiting()) {
            queue.pollBatch(1);
        }
        queue.add(1, of(2, 6, 7));
        return queue.hasBatch();
    }

    @Test
    public void batch_thatIsFullWaitsForNothing() {
        assertFalse(isFull(MANY, MANY_BYTES));
        assertTrue("as many commands as it may hold", isFull(2, MANY_BYTES));
        assertTrue("as many bytes as it may hold", isFull(MANY, 2 * COMMAND_BYTES));
    }

    @Test
    public void batch_ofANewLeaderDoesNotWaitForThoseOfTheFormerOne() {
        add(1, 2, 3);
        queue.pollBatch(1);
        queue.clear();
        queue.add(1, of(3, 1));
        assertTrue(queue.hasBatch());
    }

    @Test
    public void manyBytesUnderWay_nextBatchWaits() {
        ByteSlice large = ByteSlice.of(new byte[SizeLimits.MAX_UNDER_WAY_BYTES]);
        for (long sequence = 1; sequence <= 3; sequence++) {
            queue.add(1, List.of(new ProposedCommand(2, 1, 0, sequence, large)));
        }
        assertTrue("one goes, however large", queue.hasBatch());
        queue.pollBatch(1);
        assertFalse(queue.hasBatch());
        queue.decided(1);
        assertTrue(queue.hasBatch());
        queue.pollBatch(2);
        assertFalse(queue.hasBatch());
        queue.clear();
        queue.add(3, List.of(new ProposedCommand(2, 1, 0, 3, large)));
        assertTrue("a new leader has nothing under way", queue.hasBatch());
    }
}
