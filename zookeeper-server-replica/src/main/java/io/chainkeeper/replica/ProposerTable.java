package io.chainkeeper.replica;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.RuleSwitches;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What has been applied of the order: which command of each proposer was the last, which makes execution exactly-once
 * and first-in-first-out per stream, and the hash of all values up to the last position, by which others can tell
 * whether they have applied the same. Replicated state, deterministic; used by the apply thread only.
 */
public final class ProposerTable {
    /** What is to be done with a delivered command. */
    public enum Verdict {
        /** The command is the next of its stream. */
        APPLY,
        /** The command was applied before. */
        REPEATED,
        /**
         * A command of a later incarnation of the same proposer has been applied. If the proposer still runs with the
         * earlier incarnation, nothing that it proposes will ever have an effect: it has to begin a later incarnation.
         */
        SUPERSEDED,
        /**
         * An earlier command of the stream is missing: a new leader recovered a later one without it. The command has
         * no effect; a proposer that lives proposes all of them again, in order.
         */
        GAP
    }

    private record Key(int proposer, int stream) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int byProposer = Integer.compare(proposer, other.proposer);
            return byProposer != 0 ? byProposer : Integer.compare(stream, other.stream);
        }
    }

    private record Entry(long incarnation, long sequence) {}

    private static final int ENTRY_BYTES = 24;

    private final Map<Key, Entry> entries = new TreeMap<>();
    private long prefixHash = PrefixHash.EMPTY;
    private RuleSwitches rules = RuleSwitches.ALL_ON;

    /**
     * Takes a rule out; only the simulator does.
     *
     * @param rule that is not followed from now on
     */
    public void doWithout(ApplyRule rule) {
        rules = RuleSwitches.without(rule);
    }

    /**
     * Judges a command and, if it is the next one, remembers it as applied.
     *
     * @param command a delivered command
     * @return what to do with it
     */
    public Verdict advance(ProposedCommand command) {
        Key key = new Key(command.proposer(), command.stream());
        Entry entry = entries.get(key);
        long lastIncarnation = entry == null ? Long.MIN_VALUE : entry.incarnation();
        if (command.incarnation() < lastIncarnation) {
            return Verdict.SUPERSEDED;
        }
        long last = command.incarnation() == lastIncarnation ? entry.sequence() : 0;
        if (command.sequence() <= last) {
            return rules.isOn(ApplyRule.COMMAND_IS_APPLIED_ONCE) ? Verdict.REPEATED : Verdict.APPLY;
        }
        if (command.sequence() != last + 1 && rules.isOn(ApplyRule.STREAM_IS_APPLIED_IN_ORDER)) {
            return Verdict.GAP;
        }
        entries.put(key, new Entry(command.incarnation(), command.sequence()));
        return Verdict.APPLY;
    }

    /**
     * @param proposer replica id
     * @return the newest incarnation of which a command was applied, {@link Long#MIN_VALUE} if there is none
     */
    public long incarnationOf(int proposer) {
        long newest = Long.MIN_VALUE;
        for (Map.Entry<Key, Entry> entry : entries.entrySet()) {
            if (entry.getKey().proposer() == proposer) {
                newest = Math.max(newest, entry.getValue().incarnation());
            }
        }
        return newest;
    }

    /**
     * A position has been applied.
     *
     * @param hash {@link PrefixHash} of all values up to it
     */
    public void positionApplied(long hash) {
        prefixHash = hash;
    }

    /**
     * @return {@link PrefixHash} of all values applied; {@link PrefixHash#UNKNOWN} if the table was stored without it
     */
    public long prefixHash() {
        return prefixHash;
    }

    /** @return the table's bytes, the same on every replica at the same position */
    public ByteSlice encode() {
        ByteBuffer out = ByteBuffer.allocate(4 + entries.size() * ENTRY_BYTES + Long.BYTES);
        out.putInt(entries.size());
        entries.forEach((key, entry) -> {
            out.putInt(key.proposer()).putInt(key.stream());
            out.putLong(entry.incarnation()).putLong(entry.sequence());
        });
        out.putLong(prefixHash);
        return ByteSlice.of(out.array());
    }

    /**
     * Reads back what {@link #encode} wrote, or did before it wrote the hash.
     *
     * @param bytes the table's bytes
     * @return the table
     * @throws MalformedMessageException if they are anything else
     */
    public static ProposerTable decode(ByteSlice bytes) throws MalformedMessageException {
        ProposerTable table = new ProposerTable();
        ByteBuffer in = bytes.asByteBuffer();
        try {
            int count = in.getInt();
            for (int i = 0; i < count; i++) {
                table.entries.put(new Key(in.getInt(), in.getInt()), new Entry(in.getLong(), in.getLong()));
            }
            table.prefixHash = in.hasRemaining() ? in.getLong() : PrefixHash.UNKNOWN;
        } catch (BufferUnderflowException e) {
            throw new MalformedMessageException("proposer table of " + bytes.length() + " bytes is cut short");
        }
        return table;
    }

    /** @return the last command of each proposer and stream, as {@code proposer.incarnation/stream#sequence} */
    @Override
    public String toString() {
        List<String> last = new ArrayList<>();
        entries.forEach((key, entry) -> last.add(key.proposer() + "." + entry.incarnation()
                + (key.stream() == 0 ? "" : "/" + key.stream()) + "#" + entry.sequence()));
        return last.toString();
    }
}
