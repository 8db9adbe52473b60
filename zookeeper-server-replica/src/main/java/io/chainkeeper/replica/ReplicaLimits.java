package io.chainkeeper.replica;

import io.chainkeeper.ordering.SizeLimits;

/**
 * The bounds of a replica's queues, in one place. One command or value may pass each bound that counts bytes, because
 * it may be larger than a whole queue ({@link SizeLimits}); so may the frames that each link of a peer brings at once.
 *
 * @param maxOutstandingBytes bytes of this replica's own commands that are proposed and not yet applied; more wait in
 *     {@link TotalOrder#propose}. What is offered has a room of its own, {@link #maxOfferedBytes}
 * @param maxInboundBytes bytes of frames of one peer that wait for the protocol host; more stay in the link
 * @param maxBacklogBytes bytes of decided values that wait for the apply thread; more stop the reading of all links
 * @param maxUnsyncedBytes bytes that wait for the log writer; more make the protocol host wait
 * @param maxHeldMessages messages that wait for the log to be forced; more make the protocol host wait
 * @param maxSharedDiskBytes bytes of requests that wait for one shared disk; if more do, the next request makes the
 *     disk count as failed. A write of a largest value and three reads of such may wait at a disk that works
 * @param maxInputsPerBatch inputs that the protocol host takes before it sends what became due
 * @param tickMillis period of the protocol's ticks
 */
public record ReplicaLimits(
        long maxOutstandingBytes,
        long maxInboundBytes,
        long maxBacklogBytes,
        long maxUnsyncedBytes,
        int maxHeldMessages,
        long maxSharedDiskBytes,
        int maxInputsPerBatch,
        int tickMillis) {
    /** What a command counts for besides its bytes. */
    public static final int COMMAND_COST_BYTES = 256;

    /** The room for what is offered is this part of that for what is proposed, */
    private static final int OFFERED_PART = SizeLimits.MAX_OUTSTANDING_BYTES / SizeLimits.MAX_OFFERED_BYTES;

    /** and has room for so many short commands at least. */
    private static final int LEAST_OFFERED_COMMANDS = 64;

    private static final long SHARED_DISK_BYTES = (64L << 20) + 4L * SizeLimits.MAX_VALUE_BYTES;

    /** The bounds used unless a test says otherwise. */
    public static final ReplicaLimits DEFAULT = new ReplicaLimits(
            SizeLimits.MAX_OUTSTANDING_BYTES, 32L << 20, 64L << 20, 64L << 20, 1 << 16, SHARED_DISK_BYTES, 1024, 50);

    /** @return bytes of commands that were offered ({@link TotalOrder#offer}) and are not yet applied */
    public long maxOfferedBytes() {
        return Math.max(maxOutstandingBytes / OFFERED_PART, (long) LEAST_OFFERED_COMMANDS * COMMAND_COST_BYTES);
    }

    /**
     * @param millis period of the protocol's ticks
     * @return these bounds with another period
     */
    public ReplicaLimits withTickMillis(int millis) {
        return with(maxOutstandingBytes, maxHeldMessages, maxSharedDiskBytes, millis);
    }

    /**
     * @param bytes of own commands that are proposed and not yet applied, positive
     * @return these bounds with another one of such bytes
     */
    public ReplicaLimits withMaxOutstandingBytes(long bytes) {
        return with(bytes, maxHeldMessages, maxSharedDiskBytes, tickMillis);
    }

    /**
     * @param bytes of requests that may wait for one shared disk, positive
     * @return these bounds with another one of such bytes
     */
    public ReplicaLimits withMaxSharedDiskBytes(long bytes) {
        return with(maxOutstandingBytes, maxHeldMessages, bytes, tickMillis);
    }

    /**
     * @param messages that may wait for the log, positive
     * @return these bounds with another one of messages that wait for the log
     */
    public ReplicaLimits withMaxHeldMessages(int messages) {
        return with(maxOutstandingBytes, messages, maxSharedDiskBytes, tickMillis);
    }

    private ReplicaLimits with(long outstandingBytes, int heldMessages, long sharedDiskBytes, int millis) {
        return new ReplicaLimits(
                outstandingBytes,
                maxInboundBytes,
                maxBacklogBytes,
                maxUnsyncedBytes,
                heldMessages,
                sharedDiskBytes,
                maxInputsPerBatch,
                millis);
    }
}
