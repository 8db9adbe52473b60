package io.chainkeeper.ordering;

/**
 * How large things may become on their way from a client to the disks of all replicas: each bound is derived from the
 * one before it, and code that keeps a bound takes it from here. The table is in docs/operations.md ("Sizes").
 *
 * <p>What replicas take from each other, and from their logs, follows from the largest {@code jute.maxbuffer} that
 * there may be and not from that of this replica: others may have a larger one, and the log may be from a time when it
 * was larger. Only what this replica proposes follows from its own.
 */
public final class SizeLimits {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    /** Largest {@code jute.maxbuffer} of a server: bytes of a client's request, with its header. */
    public static final int MAX_REQUEST_BYTES = 64 * MIB;

    /** What a command may have besides its request: time, ids, and the identities of its client. */
    public static final int COMMAND_EXTRA_BYTES = MIB;

    /** Largest value that {@code *.maxBatchBytes} may be given. A command that is larger has a batch of its own. */
    public static final int MAX_BATCH_SETTING_BYTES = 8 * MIB;

    /** Bytes of the value of one position. */
    public static final int MAX_VALUE_BYTES = valueBytes(MAX_REQUEST_BYTES);

    /** Bytes that a record of the acceptor log has besides a value: what the protocol writes in front of it. */
    public static final int RECORD_EXTRA_BYTES = 64 * KIB;

    /** Bytes of one record of the acceptor log. */
    public static final int MAX_RECORD_BYTES = MAX_VALUE_BYTES + RECORD_EXTRA_BYTES;

    /**
     * Values or commands that travel together in one message, unless one alone is larger; also what is read from the
     * log at once.
     */
    public static final int PART_BYTES = MIB;

    /**
     * What a message may have besides its largest value or command: those before it in its part, and the instance,
     * ballot and length of each. A value has four bytes at least, of which there are a quarter of a million in a part.
     */
    public static final int FRAME_EXTRA_BYTES = 8 * MIB;

    /** Bytes of one frame of a link between replicas. */
    public static final int MAX_FRAME_BYTES = MAX_VALUE_BYTES + FRAME_EXTRA_BYTES;

    /**
     * Bytes of values that a proposer, or a replica that hands values on, may have under way. One more value goes as
     * long as they are fewer, so this may be passed by one value.
     */
    public static final int MAX_UNDER_WAY_BYTES = 32 * MIB;

    /** Bytes of its own commands that a replica may have in progress; may be passed by one command. */
    public static final int MAX_OUTSTANDING_BYTES = 32 * MIB;

    /** Bytes of commands of the server itself that come besides; may be passed by one command. */
    public static final int MAX_OFFERED_BYTES = MAX_OUTSTANDING_BYTES / 8;

    /** How many times its {@code jute.maxbuffer} a server's heap must have. Measured; docs/operations.md ("Sizes"). */
    public static final int HEAP_PER_REQUEST = 24;

    private SizeLimits() {}

    /**
     * @param requestBytes {@code jute.maxbuffer} of the replica that proposes, 1 to {@link #MAX_REQUEST_BYTES}
     * @return largest command that it may propose, in bytes
     */
    public static int commandBytes(int requestBytes) {
        return requestBytes + COMMAND_EXTRA_BYTES;
    }

    /**
     * @param requestBytes {@code jute.maxbuffer} of the replica that proposes, 1 to {@link #MAX_REQUEST_BYTES}
     * @return largest value of a position that comes of it, in bytes
     */
    public static int valueBytes(int requestBytes) {
        int single = commandBytes(requestBytes) + BatchCodec.COMMAND_OVERHEAD_BYTES;
        return BatchCodec.BATCH_OVERHEAD_BYTES + Math.max(MAX_BATCH_SETTING_BYTES, single);
    }

    /**
     * What may wait for a link without its peer being too slow: commands forwarded to a leader, values handed on, and
     * the values of an answer to a candidate; each of these may pass its bound by one.
     *
     * @param requestBytes {@code jute.maxbuffer}, 1 to {@link #MAX_REQUEST_BYTES}
     * @return bytes, enough for one largest frame of a replica with a larger {@code jute.maxbuffer}
     */
    public static long linkBytes(int requestBytes) {
        long own = (long) MAX_OUTSTANDING_BYTES + MAX_OFFERED_BYTES;
        long usual = own + MAX_UNDER_WAY_BYTES + FRAME_EXTRA_BYTES;
        return Math.max(usual + 4L * valueBytes(requestBytes), (long) MAX_FRAME_BYTES + MIB);
    }

    /**
     * Checks a {@code jute.maxbuffer} when a server starts.
     *
     * @param requestBytes its value
     * @param heapBytes the largest heap that this process may have
     * @return null, or one line: what is wrong and what to do
     */
    public static String refusal(int requestBytes, long heapBytes) {
        if (requestBytes < 1 || requestBytes > MAX_REQUEST_BYTES) {
            return "jute.maxbuffer=" + requestBytes + ": must be 1 to " + MAX_REQUEST_BYTES
                    + " at servers; set -Djute.maxbuffer in SERVER_JVMFLAGS to less. Replies may be longer than that:"
                    + " for those raise it at the clients only";
        }
        long needed = (long) HEAP_PER_REQUEST * requestBytes;
        if (needed > heapBytes) {
            return "jute.maxbuffer=" + requestBytes + ": requests of that size need a heap of "
                    + (needed + MIB - 1) / MIB + " MiB, this server has " + heapBytes / MIB
                    + "; set ZK_SERVER_HEAP to more, or -Djute.maxbuffer in SERVER_JVMFLAGS to less";
        }
        return null;
    }
}
