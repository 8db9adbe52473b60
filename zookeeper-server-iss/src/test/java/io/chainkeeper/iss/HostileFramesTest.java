package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.AcceptNil;
import io.chainkeeper.iss.IssMessage.Accepted;
import io.chainkeeper.iss.IssMessage.Decided;
import io.chainkeeper.iss.IssMessage.Entry;
import io.chainkeeper.iss.IssMessage.PreVote;
import io.chainkeeper.iss.IssMessage.Promise;
import io.chainkeeper.iss.IssMessage.Skip;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** What no member can have meant is refused and changes nothing: it does not stop the replica that receives it. */
public final class HostileFramesTest {
    private static final int LIAR = 3;
    private static final int LIARS_SEGMENT = 2;
    private static final long FAR_AWAY = 1L << 40;
    private static final ByteSlice BATCH =
            BatchCodec.encode(List.of(new ProposedCommand(3, 1, 0, 1, ByteSlice.of(new byte[] {1}))));

    private final IssEnsemble ensemble = IssEnsemble.of(3, Map.of("iss.leaderPolicy", "all"), new SafetyRules());
    private final long epoch = begin();
    private final Ballot own = new Ballot(0, LIAR);

    private long begin() {
        ensemble.ticks(20);
        return ensemble.node(1).gauge("epoch");
    }

    private void assertRefused(String reason, IssMessage hostile) {
        ensemble.node(1).receive(LIAR, hostile);
        List<String> refusals = ensemble.node(1).refusals();
        assertEquals(refusals.toString(), 1, refusals.size());
        assertTrue(refusals.get(0), refusals.get(0).contains(reason));
        ensemble.propose(1, "a");
        ensemble.ticks(20);
        for (int id = 1; id <= 3; id++) {
            assertEquals("replica " + id, List.of("a"), ensemble.commandsAt(id));
        }
    }

    @Test
    public void segmentThatThereIsNot_isRefused() {
        assertRefused("speaks of segment 3 in an epoch with 3", new PreVote(epoch, 3, new Ballot(1, LIAR)));
    }

    @Test
    public void acceptInTheBallotOfAnother_isRefused() {
        assertRefused(
                "proposes in ballot 0.2 of segment 1", new Accept(epoch, 1, new Ballot(0, 2), 2, 0, BatchCodec.NO_OP));
    }

    @Test
    public void acceptInAnothersSegmentWithoutPhaseOne_isRefused() {
        assertRefused("proposes in ballot 0.3 of segment 1", new Accept(epoch, 1, own, 2, 0, BatchCodec.NO_OP));
    }

    @Test
    public void acceptOutsideItsSegment_isRefused() {
        assertRefused(
                "speaks of position 2, which is not of segment 2",
                new Accept(epoch, LIARS_SEGMENT, own, 2, 0, BatchCodec.NO_OP));
    }

    @Test
    public void acceptOutsideTheEpoch_isRefused() {
        assertRefused(
                "speaks of position " + FAR_AWAY, new Accept(epoch, LIARS_SEGMENT, own, FAR_AWAY, 0, BatchCodec.NO_OP));
    }

    @Test
    public void acceptThatSaysWhatIsNotOfItsSegmentToBeDecided_isRefused() {
        assertRefused(
                "speaks of position 2, which is not of segment 2",
                new Accept(epoch, LIARS_SEGMENT, own, 3, 2, BatchCodec.NO_OP));
    }

    @Test
    public void nilOutsideItsSegment_isRefused() {
        assertRefused("speaks of position " + FAR_AWAY, new AcceptNil(epoch, LIARS_SEGMENT, own, 3, FAR_AWAY));
    }

    @Test
    public void decisionOutsideItsSegment_isRefused() {
        assertRefused("speaks of position " + FAR_AWAY, new Decided(epoch, LIARS_SEGMENT, own, FAR_AWAY));
    }

    @Test
    public void acceptedOutsideTheSegment_isRefused() {
        assertRefused("speaks of position 0", new Accepted(epoch, 0, new Ballot(0, 1), 0, FAR_AWAY));
    }

    @Test
    public void acceptedInNoBallot_isRefused() {
        assertRefused("speaks of no ballot", new Accepted(epoch, 1, Ballot.NONE, 2, 2));
    }

    @Test
    public void promiseOutsideTheSegment_isRefused() {
        Entry entry = new Entry(FAR_AWAY, own, true, BatchCodec.NO_OP);
        assertRefused(
                "speaks of position " + FAR_AWAY,
                new Promise(epoch, LIARS_SEGMENT, new Ballot(1, 1), 0, 0, true, List.of(entry)));
    }

    @Test
    public void skipInTheSegmentOfAnother_isRefused() {
        assertRefused("skips in the segment of 2", new Skip(epoch, 1, 2, 2));
    }

    @Test
    public void skipOutsideItsSegment_isRefused() {
        assertRefused("speaks of position " + FAR_AWAY, new Skip(epoch, LIARS_SEGMENT, 3, FAR_AWAY));
    }

    @Test
    public void skipOfWhatItProposed_isRefused() {
        ensemble.node(1).receive(LIAR, new Accept(epoch, LIARS_SEGMENT, own, 3, 0, BATCH));
        ensemble.node(1).receive(LIAR, new Skip(epoch, LIARS_SEGMENT, 3, 3));
        List<String> refusals = ensemble.node(1).refusals();
        assertEquals(refusals.toString(), 1, refusals.size());
        assertTrue(refusals.get(0), refusals.get(0).contains("skips position 3, where it proposed"));
    }
}
