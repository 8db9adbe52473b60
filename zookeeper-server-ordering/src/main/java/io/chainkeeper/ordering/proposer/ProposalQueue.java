package io.chainkeeper.ordering.proposer;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.SizeLimits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A leader's commands that wait to be proposed, of all replicas, and the batches that it has made of others and that
 * are not decided yet (<em>under way</em>). Bounded by the hosts, which limit how many commands of one replica are
 * outstanding ({@link ForwardQueue}).
 *
 * <p>Not thread-safe; the protocol that owns it calls it.
 */
public final class ProposalQueue {
    /** The last command taken of a proposer. */
    private record Taken(long incarnation, long sequence) {}

    private record Batch(long position, int commands, int bytes) {}

    private final int maxBatchCommands;
    private final int maxBatchBytes;

    private final ArrayDeque<ProposedCommand> waiting = new ArrayDeque<>();
    private long waitingBytes;

    /** Ascending. */
    private final ArrayDeque<Batch> underWay = new ArrayDeque<>();

    private long commandsUnderWay;
    private long bytesUnderWay;

    /** Of each proposer that has forwarded anything since the leader changed. */
    private final Map<Integer, Taken> lastTaken = new TreeMap<>();

    /**
     * @param maxBatchCommands most commands of a batch, from 1
     * @param maxBatchBytes most bytes of a batch with the overhead of each command, unless the first command alone is
     *     larger
     */
    public ProposalQueue(int maxBatchCommands, int maxBatchBytes) {
        this.maxBatchCommands = maxBatchCommands;
        this.maxBatchBytes = maxBatchBytes;
    }

    /**
     * Takes commands that a replica has forwarded, each once and in order.
     *
     * @param lowest sequence of the lowest command that the replica has not seen delivered
     * @param commands what it sent
     */
    public void add(long lowest, List<ProposedCommand> commands) {
        for (ProposedCommand command : commands) {
            Taken last = lastTaken.get(command.proposer());
            // The first command that is taken of a start must be its lowest undelivered one: what was sent before it
            // over a link that broke comes again, and must not be overtaken.
            boolean continues = last != null && last.incarnation() == command.incarnation();
            long next = continues ? last.sequence() + 1 : lowest;
            if (command.sequence() == next) {
                lastTaken.put(command.proposer(), new Taken(command.incarnation(), command.sequence()));
                waiting.add(command);
                waitingBytes += sizeOf(command);
            }
        }
    }

    static int sizeOf(ProposedCommand command) {
        return command.command().length() + BatchCodec.COMMAND_OVERHEAD_BYTES;
    }

    /** The leader is another or none: what waits here is with its proposers too. */
    public void clear() {
        waiting.clear();
        waitingBytes = 0;
        underWay.clear();
        commandsUnderWay = 0;
        bytesUnderWay = 0;
        lastTaken.clear();
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
     * @return false also if nothing waits
     */
    public boolean hasBatch() {
        int size = waiting.size();
        return size > 0
                && bytesUnderWay < SizeLimits.MAX_UNDER_WAY_BYTES
                && (size >= Math.min(commandsUnderWay, maxBatchCommands) || waitingBytes >= maxBatchBytes);
    }

    /**
     * Removes the next batch of what waits; there must be something. The batch is under way until {@link #decided}.
     *
     * @param position what the batch is for, above those of all batches before it
     * @return the value of the position
     */
    public ByteSlice pollBatch(long position) {
        InvariantViolated.check(!waiting.isEmpty(), "nothing waits to be proposed");
        List<ProposedCommand> batch = new ArrayList<>();
        int bytes = 0;
        while (!waiting.isEmpty() && batch.size() < maxBatchCommands) {
            int size = sizeOf(waiting.peek());
            if (!batch.isEmpty() && bytes + size > maxBatchBytes) {
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

    /** @param occupancy is told how much is under way, and of how many proposers commands were taken */
    public void tellOccupancy(Occupancy occupancy) {
        occupancy.holds("bytes_under_way", bytesUnderWay, SizeLimits.MAX_UNDER_WAY_BYTES, Slack.ONE_VALUE);
        occupancy.holds("proposers_taken_from", lastTaken.size(), Membership.MAX_REPLICA_ID, Slack.NONE);
        occupancy.holds("waiting_command_bytes", waitingBytes, maxWaitingBytes(), Slack.ONE_COMMAND);
    }

    /** What the hosts of those let through from whom something was taken. */
    private long maxWaitingBytes() {
        return lastTaken.size() * (long) (SizeLimits.MAX_OUTSTANDING_BYTES + SizeLimits.MAX_OFFERED_BYTES);
    }

    /** @return batches that are under way */
    public int underWay() {
        return underWay.size();
    }

    /** @return commands that wait to be proposed */
    public int waiting() {
        return waiting.size();
    }
}
