package io.chainkeeper.server.guard;

import java.util.Iterator;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The one bound on the memory that long replies take until their clients have taken them. A reply is reserved before it
 * is made, and counts from when it is handed to its connection until the system has it, or the connection is closed.
 * Safe for use by any thread.
 */
public final class ReplyMemory {
    /** Replies up to this length are not counted: there are no more of them than requests that wait. */
    public static final int LONG_REPLY_BYTES = 256 << 10;

    /**
     * That of this process: an eighth of the heap. On its way a reply is there up to four times: as the growing array
     * of an encoder, its copy, and outside of the heap.
     */
    public static final ReplyMemory OF_PROCESS =
            new ReplyMemory(Runtime.getRuntime().maxMemory() / 8);

    /** A reply in a queue that does not tell when it is written. */
    private record Queued(long bytes, BooleanSupplier taken) {}

    private final long maxBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final Queue<Queued> queued = new ConcurrentLinkedQueue<>();

    /** @param maxBytes of all long replies together */
    ReplyMemory(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** @return bytes of all long replies together */
    public long maxBytes() {
        return maxBytes;
    }

    /**
     * Takes memory for a reply, to be given back by {@link #release}.
     *
     * @param bytes its length
     * @return whether there is as much
     */
    public boolean reserve(long bytes) {
        if (tryReserve(bytes)) {
            return true;
        }
        sweep();
        boolean reserved = tryReserve(bytes);
        if (!reserved) {
            refused.incrementAndGet();
        }
        return reserved;
    }

    private boolean tryReserve(long bytes) {
        long used = usedBytes.get();
        while (used + bytes <= maxBytes) {
            if (usedBytes.compareAndSet(used, used + bytes)) {
                return true;
            }
            used = usedBytes.get();
        }
        return false;
    }

    /**
     * A reply has been handed to a connection; to be given back by {@link #release} when it is written.
     *
     * @param bytes its length
     */
    public void sent(long bytes) {
        usedBytes.addAndGet(bytes);
    }

    /**
     * A reply has been handed to a connection that does not tell when it is written.
     *
     * @param bytes its length
     * @param taken whether it is written by now, or never will be; asked by any thread
     */
    public void sent(long bytes, BooleanSupplier taken) {
        sent(bytes);
        queued.add(new Queued(bytes, taken));
    }

    /** @param bytes no longer needed */
    public void release(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    private void sweep() {
        for (Iterator<Queued> all = queued.iterator(); all.hasNext(); ) {
            Queued next = all.next();
            if (next.taken().getAsBoolean() && queued.remove(next)) {
                release(next.bytes());
            }
        }
    }

    /** @return numbers for monitoring, names without the prefix */
    public Map<String, LongSupplier> gauges() {
        return Map.of(
                "long_reply_bytes",
                () -> {
                    sweep();
                    return usedBytes.get();
                },
                "long_replies_refused",
                refused::get);
    }
}
