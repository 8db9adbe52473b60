package io.chainkeeper.simulation.order;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.ProposerTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Sees every delivery and every execution of every replica and holds them against one canonical order: the first value
 * ever delivered at a position, for ever, whatever crashes in between. Checks agreement, contiguous execution, validity
 * (only what was proposed, once, first in first out per proposer), and equal digests position by position.
 */
public final class OrderChecker {
    private record Digest(int replica, long digest) {}

    private record Source(int proposer, long incarnation, int stream) {}

    private record Identity(Source source, long sequence) {}

    private final List<ByteSlice> values = new ArrayList<>();
    private final List<Long> prefixHashes = new ArrayList<>();
    private final Map<Long, Digest> digests = new HashMap<>();
    private final Map<Identity, ByteSlice> proposed = new HashMap<>();
    private final Map<Source, Long> lastApplied = new HashMap<>();
    private final ProposerTable proposers = new ProposerTable();
    private final BiPredicate<Integer, Long> isAlive;
    private final Consumer<ProposedCommand> ordered;
    private final Function<ByteSlice, String> words;
    /** By the first position that each is in force at. */
    private final TreeMap<Long, Membership> memberships = new TreeMap<>();

    /** How many commands have taken effect up to each position, from the first on. */
    private final List<Long> appliedUpTo = new ArrayList<>();

    /** Who may be the only member all at once; 0 for nobody. */
    private int survivor;

    private long lastAcknowledged;
    private long appliedAcknowledged;
    private long applied;

    /**
     * @param isAlive whether an incarnation of a replica is running
     * @param initial the membership before the first ordered one
     * @param ordered told of each command that takes effect, once, in the one order
     * @param words a command in words
     */
    public OrderChecker(
            BiPredicate<Integer, Long> isAlive,
            Membership initial,
            Consumer<ProposedCommand> ordered,
            Function<ByteSlice, String> words) {
        this.isAlive = isAlive;
        memberships.put(1L, initial);
        this.ordered = ordered;
        this.words = words;
    }

    /** A replica proposes a command. */
    public void proposed(ProposedCommand command) {
        ByteSlice earlier = proposed.put(identityOf(command), command.command());
        InvariantViolated.check(earlier == null, "command %s was proposed twice", command);
    }

    /** An operator has one replica go on alone: the order may say so at once, whoever was a member. */
    public void goesOnAlone(int replica) {
        survivor = replica;
    }

    /** What was delivered at a position. */
    public ByteSlice value(long position) {
        return values.get((int) position - 1);
    }

    /** A replica's protocol says that a value is decided. */
    public void delivered(int replica, long position, ByteSlice value) {
        InvariantViolated.check(
                position >= 1 && position <= values.size() + 1,
                "replica %d delivers position %d, but nobody has delivered position %d",
                replica,
                position,
                values.size() + 1);
        if (position <= values.size()) {
            ByteSlice known = values.get((int) position - 1);
            if (!known.equals(value)) {
                throw new InvariantViolated("agreement: replica " + replica + " delivers at position " + position + " "
                        + describe(value) + ", where " + describe(known) + " was delivered before");
            }
            return;
        }
        values.add(value);
        Membership changed = membershipIn(value);
        if (changed != null) {
            if (!changed.replicaIds().equals(List.of(survivor))) {
                checkChange(position, membership(), changed);
            }
            memberships.put(position + 1, changed);
        }
        for (ProposedCommand command : decode(value)) {
            order(position, command);
        }
        appliedUpTo.add(applied);
    }

    /** The same, with the hash of everything up to there: all must hash the same, also behind a checkpoint. */
    public void delivered(int replica, long position, ByteSlice value, long prefixHash) {
        delivered(replica, position, value);
        while (prefixHashes.size() < position) {
            long next = prefixHashes.size() + 1L;
            long before = prefixHashes.isEmpty() ? PrefixHash.EMPTY : prefixHashes.get(prefixHashes.size() - 1);
            prefixHashes.add(PrefixHash.next(before, next, values.get((int) next - 1)));
        }
        long expected = prefixHashes.get((int) position - 1);
        if (expected != prefixHash) {
            throw new InvariantViolated("replica " + replica + " hashes the prefix up to position " + position + " to "
                    + PrefixHash.text(prefixHash) + ", which is " + PrefixHash.text(expected));
        }
    }

    /** Quorums of neighbouring memberships meet only if these differ by one replica, or by the disk of one. */
    private static void checkChange(long position, Membership before, Membership after) {
        InvariantViolated.check(
                after.isOneChangeFrom(before),
                "membership: position %d turns %s into %s, which is more than one change",
                position,
                before,
                after);
    }

    private void order(long position, ProposedCommand command) {
        Identity identity = identityOf(command);
        InvariantViolated.check(
                command.command().equals(proposed.get(identity)),
                "validity: position %d holds %s, which its proposer never proposed with these bytes",
                position,
                command);
        Source source = identity.source();
        long last = lastApplied.getOrDefault(source, 0L);
        if (command.sequence() > last + 1) {
            // A new leader may recover a later command of a stream without an earlier one. It has no effect; its
            // proposer, if alive, proposes all of them again, which the liveness phase waits for.
            InvariantViolated.check(
                    proposers.advance(command) != ProposerTable.Verdict.APPLY,
                    "first in, first out: position %d holds %s, whose stream was applied only up to %d",
                    position,
                    command,
                    last);
            return;
        }
        boolean next = command.sequence() == last + 1;
        ProposerTable.Verdict verdict = proposers.advance(command);
        boolean applies = verdict == ProposerTable.Verdict.APPLY;
        boolean superseded =
                !isAlive.test(command.proposer(), command.incarnation()) || verdict == ProposerTable.Verdict.SUPERSEDED;
        InvariantViolated.check(
                applies ? next : !next || superseded,
                "exactly once: position %d holds %s, applied up to %d, and the executor %s it",
                position,
                command,
                last,
                applies ? "applies" : "skips");
        if (applies) {
            lastApplied.put(source, command.sequence());
            applied++;
            ordered.accept(command);
        }
    }

    /** A replica's application has executed a position; the first to do so says what its digest must be. */
    public void executed(int replica, long position, long digest) {
        Digest first = digests.putIfAbsent(position, new Digest(replica, digest));
        InvariantViolated.check(
                first == null || first.digest() == digest,
                "digest: replica %d differs from replica %d at position %d",
                replica,
                first == null ? replica : first.replica(),
                position);
    }

    /** A client got an answer that rests on everything up to a position. */
    public void acknowledged(long position) {
        lastAcknowledged = Math.max(lastAcknowledged, position);
        appliedAcknowledged = Math.max(appliedAcknowledged, appliedUpTo(position));
    }

    private long appliedUpTo(long position) {
        return position == 0 ? 0 : appliedUpTo.get((int) position - 1);
    }

    /**
     * A client asks for a read.
     *
     * @return what to give to {@link #readAnswered}: how many commands the answers given so far have rested on
     */
    public long readAsked() {
        return appliedAcknowledged;
    }

    /**
     * A client gets the answer to a read. It must have seen everything that any answer rested on that was given before
     * the read was asked for. As the one order is known, this is exact, and over all registers at once.
     *
     * @param replica that answers
     * @param position that the answer rests on
     * @param asked as {@link #readAsked} returned when the client asked
     */
    public void readAnswered(int replica, long position, long asked) {
        InvariantViolated.check(
                appliedUpTo(position) >= asked,
                "linearizability: replica %d answers a read at position %d with %d commands, where answers given before"
                        + " it was asked for rested on %d",
                replica,
                position,
                appliedUpTo(position),
                asked);
    }

    /** Highest position ever delivered by anybody. */
    public long lastPosition() {
        return values.size();
    }

    /** Highest position that an answer rested on. */
    public long lastAcknowledged() {
        return lastAcknowledged;
    }

    /** The membership in force after everything that was ever delivered. */
    public Membership membership() {
        return memberships.lastEntry().getValue();
    }

    /** The memberships in force at any position above one, ascending. */
    public List<Membership> membershipsAbove(long position) {
        long first = memberships.floorKey(position + 1);
        return List.copyOf(memberships.tailMap(first, true).values());
    }

    /** How many commands have been applied. */
    long applied() {
        return applied;
    }

    private static Identity identityOf(ProposedCommand command) {
        return new Identity(
                new Source(command.proposer(), command.incarnation(), command.stream()), command.sequence());
    }

    /** The commands of a value, none if it is a membership. */
    public static List<ProposedCommand> decode(ByteSlice value) {
        try {
            return BatchCodec.isMembership(value) ? List.of() : BatchCodec.decode(value);
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("a delivered value is no batch: " + e.getMessage());
        }
    }

    /** The membership that a value is, null if it is a batch. */
    public static Membership membershipIn(ByteSlice value) {
        try {
            return BatchCodec.isMembership(value) ? BatchCodec.decodeMembership(value) : null;
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("a delivered value is no membership: " + e.getMessage());
        }
    }

    /** A value in words: proposer, incarnation, sequence and command of each of its commands. */
    public String describe(ByteSlice value) {
        return describe(value, words);
    }

    /** The same with each command in the words that a function finds for it. */
    public static String describe(ByteSlice value, Function<ByteSlice, String> words) {
        Membership held = membershipIn(value);
        if (held != null) {
            return "members " + held;
        }
        List<String> commands = new ArrayList<>();
        for (ProposedCommand command : decode(value)) {
            commands.add(command.proposer() + "." + command.incarnation() + "#" + command.sequence() + " "
                    + words.apply(command.command()));
        }
        return commands.isEmpty() ? "no-op" : commands.toString();
    }
}
