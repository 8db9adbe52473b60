package io.chainkeeper.ordering.proposer;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** The commands of a replica on their way to its leader: none lost, each sent once to each leader. */
public final class ForwardQueueTest {
    private static final int SELF = 2;
    private static final long INCARNATION = 7;
    private static final int MANY_BYTES = 1 << 20;

    private final ForwardQueue queue = new ForwardQueue(SELF, INCARNATION);

    private static ProposedCommand own(long sequence) {
        return command(SELF, INCARNATION, sequence);
    }

    private static ProposedCommand command(int proposer, long incarnation, long sequence) {
        return new ProposedCommand(proposer, incarnation, 0, sequence, ByteSlice.of(new byte[10]));
    }

    private void add(long... sequences) {
        for (long sequence : sequences) {
            queue.add(own(sequence));
        }
    }

    /** What goes to the leader, part by part. */
    private List<List<Long>> forward(int enoughBytes, long expectedLowest) {
        List<List<Long>> parts = new ArrayList<>();
        queue.forward(enoughBytes, (lowest, commands) -> {
            assertEquals(expectedLowest, lowest);
            parts.add(commands.stream().map(ProposedCommand::sequence).toList());
        });
        return parts;
    }

    private List<List<Long>> forward(long expectedLowest) {
        return forward(MANY_BYTES, expectedLowest);
    }

    @Test
    public void commands_goOnceToEachLeader() {
        add(1, 2, 3);
        assertEquals(List.of(List.of(1L, 2L, 3L)), forward(1));
        assertEquals(List.of(), forward(1));
        queue.delivered(BatchCodec.encode(List.of(own(1))));
        assertEquals(List.of(), forward(2));
        queue.forwardAgain();
        assertEquals(List.of(List.of(2L, 3L)), forward(2));
        add(4);
        assertEquals("the lowest is still outstanding", List.of(List.of(4L)), forward(2));
        queue.forwardAgain();
        assertEquals(List.of(List.of(2L, 3L, 4L)), forward(2));
    }

    @Test
    public void parts_endOnceTheyHaveEnoughBytes() {
        add(1, 2, 3);
        assertEquals(List.of(List.of(1L, 2L), List.of(3L)), forward(10 + BatchCodec.COMMAND_OVERHEAD_BYTES + 1, 1));
        queue.forwardAgain();
        assertEquals("one at least", List.of(List.of(1L), List.of(2L), List.of(3L)), forward(1, 1));
    }

    @Test
    public void leadersOwnCommands_goToItsProposalsInOrder() {
        ProposalQueue proposals = new ProposalQueue(100, MANY_BYTES);
        add(5, 6);
        queue.forward(MANY_BYTES, proposals::add);
        add(7);
        queue.forward(MANY_BYTES, proposals::add);
        assertEquals(3, proposals.waiting());
        proposals.clear();
        queue.delivered(BatchCodec.encode(List.of(own(5))));
        queue.forwardAgain();
        queue.forward(MANY_BYTES, proposals::add);
        assertEquals("a new leader takes what it has outstanding", 2, proposals.waiting());
    }

    @Test
    public void delivered_onlyThisIncarnationsNextCommandIsDone() {
        add(1, 2, 3);
        queue.delivered(BatchCodec.encode(List.of(command(SELF, INCARNATION - 1, 1), command(3, INCARNATION, 1))));
        assertEquals(3, queue.outstanding());
        queue.delivered(BatchCodec.encode(List.of(own(2))));
        assertEquals("decided before the one that it follows: the executor skips it", 3, queue.outstanding());
        queue.delivered(BatchCodec.encode(List.of(own(1), own(2), own(1), own(3))));
        assertEquals(0, queue.outstanding());
        assertEquals("what is delivered is not sent any more", List.of(), forward(1));
    }

    @Test
    public void deliveredWithoutCommands_changesNothing() {
        add(1);
        queue.delivered(BatchCodec.NO_OP);
        queue.delivered(BatchCodec.encode(new Membership(1, List.of(new Member(1, 1)))));
        queue.delivered(BatchCodec.encodeNote(ByteSlice.of(new byte[3])));
        assertEquals(1, queue.outstanding());
        assertEquals(List.of(List.of(1L)), forward(1));
    }
}
