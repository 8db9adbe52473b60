package io.chainkeeper.server.request;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.replica.StageTimes;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.guard.ExecutionLock;
import io.chainkeeper.server.proposal.ClientProposal;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.apache.zookeeper.server.Request;

/**
 * Keeps the replies of one connection in the order of its requests. Requests that cannot be answered at once wait
 * here: writes until they have been executed, reads until the writes before them have been executed and their barrier
 * is reached.
 *
 * <p>Threads: entries are added by the I/O thread that serves the connection (one at a time) and removed by the
 * apply thread. The queue's monitor is held for queue operations only, never while a request is proposed or answered;
 * that of entering while a write takes its place in the order, not while it waits for room there. The
 * queue is bounded by ZooKeeper's own throttling ({@code globalOutstandingLimit}), which stops reading the connection.
 *
 * <p>A {@code reconfig} takes its turn like a read, then may wait long before it is ordered. Meanwhile everything that
 * comes later is held back, unseen, under the same bound.
 */
final class ReplyQueue {
    /** A request that waits. */
    final class Entry implements TotalOrder.ReadWaiter, ClientProposal.Turn {
        private final Request request;
        private final boolean write;
        private final Runnable turn;
        private boolean ready;
        private long barrierNanos = StageTimes.UNKNOWN;

        private Entry(Request request, boolean write, boolean ready) {
            this(request, write, ready, null);
        }

        private Entry(Request request, boolean write, boolean ready, Runnable turn) {
            this.request = request;
            this.turn = turn;
            this.write = write;
            this.ready = ready;
        }

        @Override
        public Request request() {
            return request;
        }

        @Override
        public boolean isWanted() {
            return ReplyQueue.this.isWanted();
        }

        @Override
        public boolean enter(Runnable place) {
            synchronized (entering) {
                if (!closed) {
                    place.run();
                }
                return !closed;
            }
        }

        /**
         * The place of a write in the order is later than all that could have been seen when the reads before it
         * arrived, so they need no barrier any more.
         */
        @Override
        public void beforeExecution() {
            for (Entry entry = first(); entry != this; entry = first()) {
                InvariantViolated.check(entry != null, "a write was delivered that its connection does not wait for");
                InvariantViolated.check(!entry.write, "a connection's writes were delivered out of order");
                run(entry);
                removeFirst();
            }
        }

        @Override
        public void afterExecution() {
            InvariantViolated.check(first() == this, "a write was executed that is not its connection's next");
            removeFirst();
            drain();
        }

        @Override
        public void barrierReached(long reachedNanos) {
            barrierNanos = reachedNanos;
            barrierReached();
        }

        @Override
        public void barrierReached() {
            ready = true;
            lock.asReader(ReplyQueue.this::drain);
        }
    }

    private final ArrayDeque<Entry> waiting = new ArrayDeque<>();
    private final ArrayDeque<Request> held = new ArrayDeque<>();
    private boolean holding;
    private boolean releasing;
    private volatile boolean ending;
    private final Object entering = new Object();
    private volatile boolean closed;
    private final ExecutionLock lock;
    private final Responder responder;
    private final BooleanSupplier served;

    /**
     * @param lock keeps reads and execution apart
     * @param responder answers requests whose turn it is; called by the apply thread
     * @param served whether clients are served; any thread asks it
     */
    ReplyQueue(ExecutionLock lock, Responder responder, BooleanSupplier served) {
        this.lock = lock;
        this.responder = responder;
        this.served = served;
    }

    /** @return whether what has no place in the order yet may still get one; any thread, does not wait */
    boolean isWanted() {
        return !closed && served.getAsBoolean();
    }

    /** @return whether nothing waits; stays true until the calling I/O thread adds something */
    boolean isIdle() {
        synchronized (waiting) {
            return waiting.isEmpty();
        }
    }

    /** @return whether a request of the connection waits for its answer, or is held back */
    boolean isBusy() {
        synchronized (waiting) {
            return !waiting.isEmpty() || holding || releasing;
        }
    }

    /** The session is being closed: what arrives from now on has come too late. */
    void end() {
        ending = true;
    }

    /** @return whether {@link #end} has been called */
    boolean isEnding() {
        return ending;
    }

    /**
     * The connection is closed, or its session goes on at a later one to this server: what has not taken its place in
     * the order until now never does. It may have waited for room, and would come behind what the session has written
     * since. Any thread.
     */
    void close() {
        synchronized (entering) {
            closed = true;
        }
    }

    Entry addWrite(Request request) {
        return add(new Entry(request, true, false));
    }

    /** Adds a read that may run only after {@link Entry#barrierReached}. */
    Entry addBarrierRead(Request request) {
        return add(new Entry(request, false, false));
    }

    /**
     * Adds something that runs in its turn, after {@link Entry#barrierReached}; everything later is held back.
     *
     * @param request what it is about
     * @param turn called by the apply thread
     */
    Entry addTurn(Request request, Runnable turn) {
        synchronized (waiting) {
            holding = true;
        }
        return add(new Entry(request, false, false, turn));
    }

    /**
     * @param request a request that has arrived
     * @return whether it is held back
     */
    boolean holdBack(Request request) {
        synchronized (waiting) {
            if (holding || releasing) {
                held.addLast(request);
            }
            return holding || releasing;
        }
    }

    /** The request that {@link #nextHeld} has given last waits on, and with it everything behind it. */
    void holdAgain(Request request) {
        synchronized (waiting) {
            held.addFirst(request);
        }
    }

    /**
     * Ends the holding back that {@link #addTurn} began. To be followed by {@link #nextHeld} until it gives null: at
     * once, or later behind a {@link #holdAgain}. Whatever arrives until then is held back, too.
     */
    void release() {
        synchronized (waiting) {
            holding = false;
            releasing = true;
        }
    }

    /**
     * @return the next request that was held back, null if none is or the last one given made the others wait again
     */
    Request nextHeld() {
        synchronized (waiting) {
            Request next = holding ? null : held.pollFirst();
            if (next == null) {
                releasing = false;
            }
            return next;
        }
    }

    private void run(Entry entry) {
        if (entry.turn != null) {
            entry.turn.run();
        } else {
            responder.respond(entry.request, entry.barrierNanos);
        }
    }

    /**
     * Adds a read that needs no barrier, if something is in front of it.
     *
     * @return false if nothing is: the caller answers it itself
     */
    boolean addIfBusy(Request request) {
        synchronized (waiting) {
            if (waiting.isEmpty()) {
                return false;
            }
            waiting.addLast(new Entry(request, false, true));
            return true;
        }
    }

    private Entry add(Entry entry) {
        synchronized (waiting) {
            waiting.addLast(entry);
        }
        return entry;
    }

    /** A write that has not taken its place in the order is not waited for: it may be added again. */
    void remove(Entry entry) {
        synchronized (waiting) {
            waiting.removeLastOccurrence(entry);
        }
    }

    private Entry first() {
        synchronized (waiting) {
            return waiting.peekFirst();
        }
    }

    private void removeFirst() {
        synchronized (waiting) {
            waiting.removeFirst();
        }
    }

    /** Apply thread: runs reads up to the next write or unreached barrier. */
    private void drain() {
        for (Entry entry = first(); entry != null && entry.ready && !entry.write; entry = first()) {
            run(entry);
            removeFirst();
        }
    }
}
