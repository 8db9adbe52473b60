package io.chainkeeper.ordering.proposer;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.SizeLimits;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Commands on their way: those of this replica until they are delivered (<em>outstanding</em>), of these the ones that
 * still have to be sent to their leader (<em>unsent</em>), and, where this replica leads, those of all replicas that
 * are in no batch yet (<em>waiting</em>). All are bounded by the hosts, which limit how many commands of one replica
 * are outstanding.
 *
 * <p>A replica gives everything that it has not seen delivered to each new leader, in order. The executor skips what
 * was ordered before, so nothing is lost, doubled or reordered.
 */
public final class CommandQueue {
    private record Source(int proposer, long incarnation) implements Comparable<Source> {
        @Override
        public int compareTo(Source other) {
            int byProposer = Integer.compare(proposer, other.proposer);
            return byProposer != 0 ? byProposer : Long.compare(incarnation, other.incarnation);
        }
    }

    private record Batch(long position, int commands, int bytes) {}

    private final int replica;
    private final long incarnation;

    /** Ascending. */
    private final ArrayDeque<ProposedCommand> outstanding = new ArrayDeque<>();

    /** The last ones of those that are outstanding. */
    private final ArrayDeque<ProposedCommand> unsent = new ArrayDeque<>();

    private final ArrayDeque<ProposedCommand> waiting = new ArrayDeque<>();
    private long waitingBytes;

    /** Ascending. */
    private final ArrayDeque<Batch> underWay = new ArrayDeque<>();

    private long commandsUnderWay;
    private long bytesUnderWay;

    /** The last sequence taken of each proposer since the leader changed. */
    private final Map<Source, Long> lastTaken = new TreeMap<>();

    /**
     * @param replica id of this replica
     * @param incarnation its present one
     */
    public CommandQueue(int replica, long incarnation) {
        this.replica = replica;
        this.incarnation = incarnation;
    }

    /**
     * Takes a command of this replica.
     *
     * @param command the next one
     * @param leads whether this replica is the leader it has to go to
     */
    public void propose(ProposedCommand command, boolean leads) {
        outstanding.add(command);
        if (leads) {
            take(command);
        } else {
            unsent.add(command);
        }
    }

    /**
     * The leader takes commands of another replica, each once and in order.
     *
     * @param lowest sequence of the lowest command that the sender has not seen delivered
     * @param commands what it sent
     */
    public void takeForwarded(long lowest, List<ProposedCommand> commands) {
        for (ProposedCommand command : commands) {
            Long last = lastTaken.get(new Source(command.proposer(), command.incarnation()));
            // The first that is taken of a proposer must be its lowest undelivered one: what was sent before it
            // over a link that broke comes again, and must not be overtaken.
            long next = last == null ? lowest : last + 1;
            if (command.sequence() == next) {
                take(command);
            }
        }
    }

    private void take(ProposedCommand command) {
        lastTaken.put(new Source(command.proposer(), command.incarnation()), command.sequence());
        waiting.add(command);
        waitingBytes += sizeOf(command);
    }

    private static int sizeOf(ProposedCommand command) {
        return command.command().length() + BatchCodec.COMMAND_OVERHEAD_BYTES;
    }

    /** Nobody leads: what waits here is with its proposers too. */
    public void leaderLost() {
        waiting.clear();
        waitingBytes = 0;
        underWay.clear();
        commandsUnderWay = 0;
        bytesUnderWay = 0;
        lastTaken.clear();
    }

    /**
     * Another leader: all that is outstanding here has to be taken again.
     *
     * @param leads whether this replica is the leader that its own commands have to go to
     */
    public void leaderChanged(boolean leads) {
        leaderLost();
        unsent.clear();
        if (leads) {
            outstanding.forEach(this::take);
        } else {
            unsent.addAll(outstanding);
        }
    }

    /** What was sent to the leader may be lost: everything that is outstanding is unsent again. */
    public void resend() {
        unsent.clear();
        unsent.addAll(outstanding);
    }

    /** @return whether there is something to be sent to the leader */
    public boolean hasUnsent() {
        return !unsent.isEmpty();
    }

    /** @return sequence of the lowest command of this replica that is not delivered; there must be one */
    public long lowestOutstanding() {
        InvariantViolated.check(!outstanding.isEmpty(), "nothing is outstanding");
        return outstanding.peek().sequence();
    }

    /**
     * Removes the next commands to be sent to the leader; there must be some.
     *
     * @param enoughBytes no more follows once there are so many bytes, with the overhead of each command
     * @return the commands, in order
     */
    public List<ProposedCommand> nextUnsent(int enoughBytes) {
        InvariantViolated.check(!unsent.isEmpty(), "nothing is unsent");
        List<ProposedCommand> commands = new ArrayList<>();
        int bytes = 0;
        while (!unsent.isEmpty() && bytes < enoughBytes) {
            ProposedCommand command = unsent.remove();
            commands.add(command);
            bytes += sizeOf(command);
        }
        return commands;
    }

    /** @return whether something waits to be proposed */
    public boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /**
     * Whether the next batch should go now: if no other one is under way, or as many commands wait as are under way, or
     * it is full. A batch costs every replica a message, a forced write and the waking of several threads, whatever is
     * in it, so under load few large ones are cheaper than many small ones; and commands that come when little is under
     * way wait for little. While as many bytes are under way as may be, none goes.
     *
     * @param maxCommands most commands of a batch
     * @param maxBytes most bytes of a batch
     * @return false also if nothing waits
     */
    public boolean hasBatch(int maxCommands, int maxBytes) {
        int size = waiting.size();
        return size > 0
                && bytesUnderWay < SizeLimits.MAX_UNDER_WAY_BYTES
                && (size >= Math.min(commandsUnderWay, maxCommands) || waitingBytes >= maxBytes);
    }

    /**
     * Removes the next batch of what waits; there must be something. It is under way until {@link #decided}.
     *
     * @param position what it is for, above those of all batches before it
     * @param maxCommands most commands
     * @param maxBytes most bytes with the overhead of each command, unless the first one alone is larger
     * @return the value of the position
     */
    public ByteSlice nextBatch(long position, int maxCommands, int maxBytes) {
        InvariantViolated.check(!waiting.isEmpty(), "nothing waits to be proposed");
        List<ProposedCommand> batch = new ArrayList<>();
        int bytes = 0;
        while (!waiting.isEmpty() && batch.size() < maxCommands) {
            int size = sizeOf(waiting.peek());
            if (!batch.isEmpty() && bytes + size > maxBytes) {
                break;
            }
            bytes += size;
            batch.add(waiting.remove());
        }
        waitingBytes -= bytes;
        ByteSlice value = BatchCodec.encode(batch);
        underWay.add(new Batch(position, batch.size(), value.length()));
        commandsUnderWay += batch.size();
        bytesUnderWay += value.length();
        return value;
    }

    /** @param position up to which batches are under way no more */
    public void decided(long position) {
        while (!underWay.isEmpty() && underWay.peek().position() <= position) {
            Batch decided = underWay.remove();
            commandsUnderWay -= decided.commands();
            bytesUnderWay -= decided.bytes();
        }
    }

    /**
     * A value is delivered: this replica's commands in it are outstanding no more.
     *
     * @param value of a position, in the order of positions
     */
    public void delivered(ByteSlice value) {
        if (outstanding.isEmpty()) {
            return;
        }
        ByteBuffer in = value.asByteBuffer();
        int count = in.getInt(); // negative if the value is no batch
        for (int i = 0; i < count; i++) {
            int proposer = in.getInt();
            long itsIncarnation = in.getLong();
            in.getInt();
            long sequence = in.getLong();
            int length = in.getInt();
            in.position(in.position() + length);
            if (proposer == replica && itsIncarnation == incarnation) {
                forget(sequence);
            }
        }
    }

    private void forget(long sequence) {
        // Not the head: a repeat, or a command that was decided without the one before it. The executor skips either,
        // and the latter is taken again with all that is outstanding when the leader changes.
        if (!outstanding.isEmpty() && outstanding.peek().sequence() == sequence) {
            outstanding.remove();
            if (!unsent.isEmpty() && unsent.peek().sequence() == sequence) {
                unsent.remove();
            }
        }
    }

    /** @return commands of this replica that are not delivered */
    public int outstanding() {
        return outstanding.size();
    }

    /** @return commands that wait to be proposed */
    public int waiting() {
        return waiting.size();
    }
}
