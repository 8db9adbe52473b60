package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Forward;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Commands on their way: those of this replica until they are delivered, and, at the leader of a bucket, those that
 * wait for a position. A bucket holds the commands of one proposer and has one leader in an epoch. Both queues are
 * bounded by the hosts, which limit how many commands of one replica are outstanding.
 *
 * <p>When an epoch begins, everything of the one before is decided, and a replica gives all that it has not seen
 * delivered to the present leader of its bucket, in order. The executor skips what was ordered before, so nothing is
 * lost, doubled or reordered.
 */
final class Commands {
    private record Source(int proposer, long incarnation) implements Comparable<Source> {
        @Override
        public int compareTo(Source other) {
            int byProposer = Integer.compare(proposer, other.proposer);
            return byProposer != 0 ? byProposer : Long.compare(incarnation, other.incarnation);
        }
    }

    private final IssState state;

    /** Commands of this replica that were not delivered yet, ascending. */
    private final ArrayDeque<ProposedCommand> outstanding = new ArrayDeque<>();

    /** Commands of this replica that are to be sent to the bucket's leader at the end of this batch of inputs. */
    private final ArrayDeque<ProposedCommand> unsent = new ArrayDeque<>();

    /** Leader: commands that wait for a position. */
    private final ArrayDeque<ProposedCommand> waiting = new ArrayDeque<>();

    /** Leader: the last sequence taken of each proposer in this epoch. */
    private final Map<Source, Long> lastTaken = new TreeMap<>();

    Commands(IssState state) {
        this.state = state;
    }

    /** The leader of this replica's bucket; 0 if none is known. */
    int owner() {
        return state.epoch == null ? 0 : state.epoch.config().ownerOf(state.self);
    }

    void onPropose(ProposedCommand command) {
        outstanding.add(command);
        if (owner() == state.self) {
            take(command);
        } else {
            unsent.add(command);
        }
    }

    /** Leader: takes commands of another replica, each once and in order. */
    void onForward(Forward m) {
        if (state.epoch.own() == null) {
            return; // its sender will hear of the present epoch and send again
        }
        for (ProposedCommand command : m.commands()) {
            Long last = lastTaken.get(new Source(command.proposer(), command.incarnation()));
            // The first that is taken of a proposer must be its lowest undelivered one: what was sent before it
            // over a link that broke comes again, and must not be overtaken.
            long next = last == null ? m.lowest() : last + 1;
            if (command.sequence() == next) {
                take(command);
            }
        }
    }

    private void take(ProposedCommand command) {
        lastTaken.put(new Source(command.proposer(), command.incarnation()), command.sequence());
        waiting.add(command);
    }

    /** A new epoch: what waited here for others is with its proposers too. */
    void epochBegan() {
        waiting.clear();
        lastTaken.clear();
        unsent.clear();
        if (owner() == state.self) {
            outstanding.forEach(this::take);
        } else {
            unsent.addAll(outstanding);
        }
    }

    /** The link to a replica is new: what was sent to it may be lost. */
    void peerUp(int peer) {
        if (peer == owner()) {
            unsent.clear();
            unsent.addAll(outstanding);
        }
    }

    /** Sends on what waits for the leader of the bucket. */
    void sendForwards() {
        int owner = owner();
        if (unsent.isEmpty() || owner == 0 || owner == state.self || !state.peers.linkUp[owner]) {
            return;
        }
        long lowest = outstanding.peek().sequence();
        List<ProposedCommand> commands = new ArrayList<>();
        int bytes = 0;
        while (!unsent.isEmpty()) {
            ProposedCommand command = unsent.remove();
            commands.add(command);
            bytes += command.command().length() + BatchCodec.COMMAND_OVERHEAD_BYTES;
            if (bytes >= IssSettings.FORWARD_BYTES || unsent.isEmpty()) {
                state.effects.send(owner, new Forward(state.epoch.number(), lowest, commands));
                commands = new ArrayList<>();
                bytes = 0;
            }
        }
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** Leader: the next batch of what waits; there must be something. */
    ByteSlice nextBatch() {
        List<ProposedCommand> batch = new ArrayList<>();
        int bytes = 0;
        while (!waiting.isEmpty() && batch.size() < state.settings.maxBatchCommands()) {
            int size = waiting.peek().command().length() + BatchCodec.COMMAND_OVERHEAD_BYTES;
            if (!batch.isEmpty() && bytes + size > state.settings.maxBatchBytes()) {
                break;
            }
            bytes += size;
            batch.add(waiting.remove());
        }
        return BatchCodec.encode(batch);
    }

    /** Whether the leader of the bucket can no longer propose in this epoch what is outstanding here. */
    boolean areStuck() {
        if (outstanding.isEmpty() || state.epoch == null) {
            return false;
        }
        int number = state.epoch.config().segmentLedBy(owner());
        Segment segment = state.epoch.segment(number);
        boolean leaderIsSilent = owner() == state.self
                ? !state.epoch.maySpeak()
                : state.peers.status(owner()).epoch() == state.epoch.number()
                        && !state.peers.status(owner()).speaks();
        return segment.isTakenOver() || leaderIsSilent;
    }

    /** A value was decided: this replica's commands in it are outstanding no more. */
    void delivered(ByteSlice value) {
        if (outstanding.isEmpty()) {
            return;
        }
        ByteBuffer in = value.asByteBuffer();
        int count = in.getInt(); // negative if the value is no batch
        for (int i = 0; i < count; i++) {
            int proposer = in.getInt();
            long incarnation = in.getLong();
            in.getInt();
            long sequence = in.getLong();
            int length = in.getInt();
            in.position(in.position() + length);
            if (proposer == state.self && incarnation == state.context.incarnation()) {
                forget(sequence);
            }
        }
    }

    private void forget(long sequence) {
        // Not the head: a repeat, or a command that was decided without the one before it. The executor skips either,
        // and the latter is on its way again with all that is outstanding when the next epoch begins.
        if (!outstanding.isEmpty() && outstanding.peek().sequence() == sequence) {
            outstanding.remove();
            if (!unsent.isEmpty() && unsent.peek().sequence() == sequence) {
                unsent.remove();
            }
        }
    }

    int outstanding() {
        return outstanding.size();
    }

    int waiting() {
        return waiting.size();
    }
}
