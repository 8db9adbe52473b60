package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.ProposerTable.Verdict;
import org.junit.Test;

/** Exactly once and in order, for each stream of each proposer. */
public final class ProposerTableTest {
    private final ProposerTable table = new ProposerTable();

    private Verdict advance(int proposer, long incarnation, int stream, long sequence) {
        return table.advance(new ProposedCommand(proposer, incarnation, stream, sequence, ByteSlice.EMPTY));
    }

    @Test
    public void nextOfItsStream_applies() {
        assertEquals(Verdict.APPLY, advance(1, 5, 0, 1));
        assertEquals(Verdict.APPLY, advance(1, 5, 0, 2));
        assertEquals("another stream", Verdict.APPLY, advance(1, 5, 1, 1));
        assertEquals("another proposer", Verdict.APPLY, advance(2, 5, 0, 1));
    }

    @Test
    public void appliedBefore_isARepeat() {
        advance(1, 5, 0, 1);
        advance(1, 5, 0, 2);
        assertEquals(Verdict.REPEATED, advance(1, 5, 0, 1));
        assertEquals(Verdict.REPEATED, advance(1, 5, 0, 2));
        assertEquals(Verdict.APPLY, advance(1, 5, 0, 3));
    }

    @Test
    public void predecessorMissing_isAGapAndChangesNothing() {
        assertEquals(Verdict.GAP, advance(1, 5, 0, 2));
        assertEquals(Verdict.APPLY, advance(1, 5, 0, 1));
        assertEquals(Verdict.GAP, advance(1, 5, 0, 3));
        assertEquals(Verdict.APPLY, advance(1, 5, 0, 2));
        assertEquals("the one with the gap comes again", Verdict.APPLY, advance(1, 5, 0, 3));
    }

    @Test
    public void newIncarnation_beginsAnewAndEndsTheOld() {
        advance(1, 5, 0, 1);
        advance(1, 5, 0, 2);
        assertEquals("not its first", Verdict.GAP, advance(1, 6, 0, 2));
        assertEquals("the old one goes on until the new one begins", Verdict.APPLY, advance(1, 5, 0, 3));
        assertEquals(Verdict.APPLY, advance(1, 6, 0, 1));
        assertEquals(Verdict.SUPERSEDED, advance(1, 5, 0, 4));
        assertEquals(6, table.incarnationOf(1));
        assertEquals(Long.MIN_VALUE, table.incarnationOf(2));
    }

    @Test
    public void encodedTable_isReadBackAndIndependentOfTheOrderOfProposers() throws Exception {
        advance(2, 7, 1, 1);
        advance(1, 5, 0, 1);
        advance(1, 5, 0, 2);
        ProposerTable other = ProposerTable.decode(table.encode());
        assertEquals(table.encode(), other.encode());
        assertEquals(Verdict.APPLY, other.advance(new ProposedCommand(1, 5, 0, 3, ByteSlice.EMPTY)));
        ProposerTable reordered = new ProposerTable();
        reordered.advance(new ProposedCommand(1, 5, 0, 1, ByteSlice.EMPTY));
        reordered.advance(new ProposedCommand(1, 5, 0, 2, ByteSlice.EMPTY));
        reordered.advance(new ProposedCommand(2, 7, 1, 1, ByteSlice.EMPTY));
        assertEquals(table.encode(), reordered.encode());
    }

    @Test
    public void tableCutShort_isMalformed() {
        advance(1, 5, 0, 1);
        ByteSlice encoded = table.encode();
        int withoutHash = encoded.length() - Long.BYTES; // as older ones were stored
        for (int length = 0; length < encoded.length(); length += length + 1 == withoutHash ? 2 : 1) {
            ByteSlice cut = encoded.slice(0, length);
            assertThrows(MalformedMessageException.class, () -> ProposerTable.decode(cut));
        }
    }

    @Test
    public void hashOfThePrefix_isStored_andUnknownInATableStoredWithoutIt() throws Exception {
        assertEquals(PrefixHash.EMPTY, table.prefixHash());
        advance(2, 7, 1, 1);
        table.positionApplied(42);
        ByteSlice bytes = table.encode();
        assertEquals(42, ProposerTable.decode(bytes).prefixHash());
        ProposerTable older = ProposerTable.decode(bytes.slice(0, bytes.length() - Long.BYTES));
        assertEquals(PrefixHash.UNKNOWN, older.prefixHash());
        assertEquals(7, older.incarnationOf(2));
    }
}
