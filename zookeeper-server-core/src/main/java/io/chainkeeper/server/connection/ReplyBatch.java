package io.chainkeeper.server.connection;

import java.util.ArrayList;
import java.util.List;

/**
 * What a server's apply thread sends to clients while it executes what is at hand, over all Netty connections. One
 * at a time, each answer would be a task of its own for the connection's I/O thread, and the first would wake an I/O
 * thread that then finds only that one. Used by the apply thread; {@link #isOfCallingThread} by any.
 */
public final class ReplyBatch {
    /** The apply thread hands over when it has collected so many answers, of all its connections. */
    private static final int MAX_ANSWERS = 64;

    /** After so long what has been collected goes although more may come. */
    private static final long LATE_NANOS = 1_000_000;

    private final List<ReplyBatcher> connections = new ArrayList<>();
    private int answers;
    private long beganNanos;

    /** The apply thread, null if it does not collect. Other threads never find themselves in it. */
    private volatile Thread collecting;

    /** From now on what the calling thread sends is collected. */
    public void begin() {
        collecting = Thread.currentThread();
        beganNanos = System.nanoTime();
    }

    /** Hands over what has been collected, and collects on. */
    public void sendOn() {
        handOver();
        beganNanos = System.nanoTime();
    }

    /** As {@link #sendOn}, if it is a while since the last time. */
    public void sendOnIfLate() {
        if (System.nanoTime() - beganNanos >= LATE_NANOS) {
            sendOn();
        }
    }

    /** Hands over what has been collected, and collects no more. */
    public void end() {
        collecting = null;
        handOver();
    }

    /** @return whether what the calling thread sends is to be collected */
    boolean isOfCallingThread() {
        return collecting == Thread.currentThread();
    }

    /** @param connection has collected its first answer since the last time that it was handed over */
    void join(ReplyBatcher connection) {
        connections.add(connection);
    }

    /** The calling apply thread has had an answer collected; hands over if there are many. */
    void collected() {
        answers++;
        if (answers >= MAX_ANSWERS) {
            handOver();
        }
    }

    private void handOver() {
        answers = 0;
        connections.forEach(ReplyBatcher::handOver);
        connections.clear();
    }
}
