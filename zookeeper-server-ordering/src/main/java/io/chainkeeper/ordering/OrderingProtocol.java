package io.chainkeeper.ordering;

import java.util.List;
import java.util.Map;

/**
 * A total-order protocol as a deterministic state machine. Every method is one input; effects go to the {@link Effects}
 * given at creation. Single-threaded by construction: the host serialises all calls. An {@link InvariantViolated} out
 * of any method means the replica must stop.
 */
public interface OrderingProtocol {
    /**
     * The first input, once.
     *
     * @param recovered what this replica's disk holds
     */
    void onStart(RecoveredState recovered);

    /**
     * Time passes. Ticks come at a fixed period, one by one; a host that was paused does not make up for missed ones.
     */
    void onTick();

    /**
     * How many of the coming ticks will change nothing and send nothing unless another input comes first. The host may
     * sleep through so many: it gives them late, together, and before any other input. Asked between inputs.
     *
     * @return at least 0; 0, which is always right, means that each tick has to come in time
     */
    default int quietTicks() {
        return 0;
    }

    /**
     * A command of this replica is to be ordered. The protocol keeps it until it has been delivered, across any change
     * of leader; commands of one stream are delivered in order of their sequence.
     *
     * @param command with this replica's id and incarnation; per stream the sequence is 1, 2, 3, ...
     */
    void onPropose(ProposedCommand command);

    /**
     * A message has arrived.
     *
     * @param from replica id of the sender
     * @param message decoded by {@link OrderingProtocolFactory#codec()}
     */
    void onMessage(int from, Message message);

    /**
     * Everything appended up to here is on stable storage.
     *
     * @param logSequence highest stable log sequence
     */
    void onDurable(long logSequence);

    /**
     * A link is up, in both directions.
     *
     * @param peer replica id
     */
    void onPeerUp(int peer);

    /**
     * A link is down; messages sent since it was up may be lost.
     *
     * @param peer replica id
     */
    void onPeerDown(int peer);

    /**
     * Linearizable reads wait at this replica. Answered by {@link Effects#barrierReached} as soon as the order can
     * show that the reads are safe, possibly never if this replica is cut off.
     *
     * @param token grows with each call
     */
    void onReadBarrier(long token);

    /**
     * The answer to {@link Effects#readLog}.
     *
     * @param fromPosition as asked
     * @param records the latest records of consecutive positions from there; empty if the log no longer holds the
     *     first
     */
    void onLogRead(long fromPosition, List<LogRecord> records);

    /**
     * The application can recover without the positions up to here.
     *
     * @param position covered by the oldest checkpoint that recovery may fall back to
     */
    void onCheckpoint(long position);

    /**
     * The application has executed what was delivered up to here. Comes before a tick, if it has changed since the one
     * before; a host that executes at once need not tell it.
     *
     * @param position of the last value whose execution has ended
     */
    default void onExecuted(long position) {
        // Protocols that do not go by it need not know it.
    }

    /**
     * The configured ensemble has changed (ZooKeeper's {@code reconfig}). The leader brings the membership into line.
     *
     * @param ensemble who is meant to take part
     */
    void onEnsemble(Ensemble ensemble);

    /**
     * This replica is going to stop soon, for a while: if it leads, somebody else who can is to lead in its place, and
     * it does not stand any more. It goes on voting. Given once at most; nothing takes it back. Whether anybody has
     * taken its place, {@link #status} says.
     */
    default void onLeave() {}

    /**
     * The answer to {@link Effects#writeBlocks}: the bytes are on stable storage.
     *
     * @param disk number of the shared disk
     * @param offset as asked
     * @param length number of bytes, as asked
     */
    default void onBlocksWritten(int disk, long offset, int length) {
        throw new InvariantViolated("nothing was written to shared disk " + disk);
    }

    /**
     * The answer to {@link Effects#readBlocks}.
     *
     * @param disk number of the shared disk
     * @param offset as asked
     * @param bytes what is there, as many as asked
     */
    default void onBlocksRead(int disk, long offset, ByteSlice bytes) {
        throw new InvariantViolated("nothing was read from shared disk " + disk);
    }

    /**
     * A shared disk does not work: what was asked of it and not answered yet never will be, and may have been carried
     * out or not. What is asked of it later makes the host try to open it again.
     *
     * @param disk number of the shared disk
     * @param reason for people; one line
     */
    default void onDiskFailed(int disk, String reason) {
        throw new InvariantViolated("shared disk " + disk + ", for which nobody asked, failed: " + reason);
    }

    /** The host has no more input at hand: anything held back for batching is to be sent now. */
    void onBatchEnd();

    /** @return the current view, the same as last given to {@link Effects#statusChanged} */
    OrderingStatus status();

    /**
     * Named numbers for monitoring (watermarks, queue depths), without the {@code ordering_} prefix. Called by the
     * host between inputs. The name of a number about a member ends with a dot and its replica id.
     *
     * @return in a fixed order; all names but those about members are there from the start
     */
    Map<String, Long> gauges();

    /**
     * Tells how full each queue, window and buffer of the protocol is. Called by the host between inputs.
     *
     * @param occupancy is told
     */
    void tellOccupancy(Occupancy occupancy);
}
