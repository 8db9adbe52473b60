package io.chainkeeper.simulation.link;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.io.BlockingTasks;
import io.chainkeeper.transport.io.TransportRuntime;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process in virtual time, as far as its transport is concerned: an I/O thread and threads that may block, all run by
 * one caller. It can stand still, in which case its sockets go on receiving, and it can die.
 */
public final class VirtualProcess implements TransportRuntime {
    private static final long NANOS_PER_MICRO = 1_000;
    private static final int MAX_LAST_TURNS = 1_000;

    /** A process's own monotonic clock. */
    public interface Clock {
        /** @return microseconds since some moment */
        long nowMicros();

        /**
         * @param clockMicros not negative
         * @return how much virtual time passes until the clock has moved on by so much
         */
        long realMicros(long clockMicros);
    }

    /** A socket that the I/O thread serves. */
    interface Served {
        /** Does what can be done now. */
        void serve();
    }

    private final VirtualNetwork network;
    private final Host host;
    private final Clock clock;
    private final CountingMemory memory = new CountingMemory();
    private final VirtualEventLoop loop = new VirtualEventLoop(this);
    private final Set<Served> ready = new LinkedHashSet<>();
    private final List<Tasks> blocking = new ArrayList<>();
    private long pausedUntilMicros;
    private long turnAtMicros = Long.MAX_VALUE;
    private long timerAtMicros = Long.MAX_VALUE;
    private boolean inTurn;
    private boolean dead;
    private Throwable defect;

    /**
     * @param network that it reaches others by
     * @param host where it runs
     * @param clock its own
     */
    VirtualProcess(VirtualNetwork network, Host host, Clock clock) {
        this.network = network;
        this.host = host;
        this.clock = clock;
    }

    VirtualNetwork network() {
        return network;
    }

    Host host() {
        return host;
    }

    ByteBufAllocator memory() {
        return memory;
    }

    /** @return bytes of the buffers that its transport holds */
    public long usedBytes() {
        return memory.usedBytes();
    }

    /** @return whether it has died */
    public boolean isDead() {
        return dead;
    }

    // ---------------------------------------------------------------- turns of the I/O thread

    /** @param socket to be served in the next turn */
    void ready(Served socket) {
        if (!dead && ready.add(socket)) {
            wake();
        }
    }

    /** There is something to do for the I/O thread. */
    void wake() {
        if (!inTurn && !dead) {
            planTurn(network.nowMicros() + network.wakeMicros());
        }
    }

    private void planTurn(long atMicros) {
        long at = Math.max(atMicros, pausedUntilMicros);
        if (at < turnAtMicros) {
            turnAtMicros = at;
            network.after(at - network.nowMicros(), () -> turnIfPlanned(at));
        }
    }

    private void turnIfPlanned(long at) {
        if (turnAtMicros == at && !dead) {
            turnAtMicros = Long.MAX_VALUE;
            if (inTurn) {
                return; // it waits for a disk in the middle of one, and looks for more at its end
            }
            if (network.nowMicros() < pausedUntilMicros) {
                planTurn(pausedUntilMicros);
            } else {
                turn();
            }
        }
    }

    private void turn() {
        InvariantViolated.check(!inTurn, "a turn of the I/O thread within another");
        Thread caller = Thread.currentThread();
        Thread.UncaughtExceptionHandler before = caller.getUncaughtExceptionHandler();
        caller.setUncaughtExceptionHandler((thread, failure) -> defect = defect == null ? failure : defect);
        inTurn = true;
        loop.current(true);
        try {
            serveReady();
            loop.runTasks();
        } finally {
            loop.current(false);
            inTurn = false;
            caller.setUncaughtExceptionHandler(before);
        }
        throwDefect();
        if (loop.isShuttingDown() && !loop.hasTasks() && ready.isEmpty()) {
            die();
        }
        if (!dead && (loop.hasTasks() || !ready.isEmpty())) {
            wake();
        }
        planTimer();
    }

    /** Sockets that are ready together are served in any order. */
    private void serveReady() {
        List<Served> now = new ArrayList<>(ready);
        ready.clear();
        while (!now.isEmpty() && !dead) {
            now.remove(now.size() == 1 ? 0 : network.random().nextInt(now.size()))
                    .serve();
        }
    }

    /** What goes wrong in the product's own code is the failure of the run. */
    private void throwDefect() {
        Throwable thrown = defect;
        defect = null;
        if (thrown instanceof Error error) {
            throw error;
        } else if (thrown != null) {
            throw (RuntimeException) thrown;
        }
    }

    private void planTimer() {
        long due = loop.nextDueNanos();
        if (dead || due < 0) {
            return;
        }
        long left = (due - nanoTime() + NANOS_PER_MICRO - 1) / NANOS_PER_MICRO;
        long at = network.nowMicros() + clock.realMicros(Math.max(1, left));
        if (at < timerAtMicros) {
            timerAtMicros = at;
            network.after(at - network.nowMicros(), () -> timer(at));
        }
    }

    private void timer(long at) {
        if (timerAtMicros == at && !dead) {
            timerAtMicros = Long.MAX_VALUE;
            planTurn(network.nowMicros());
        }
    }

    // ---------------------------------------------------------------- what happens to a process

    /** @param untilMicros until when it stands still; in the past to let it go on at once */
    public void pause(long untilMicros) {
        pausedUntilMicros = untilMicros;
        if (!dead && untilMicros <= network.nowMicros()) {
            planTurn(network.nowMicros());
            blocking.forEach(Tasks::goOn);
        }
    }

    boolean isPaused() {
        return network.nowMicros() < pausedUntilMicros;
    }

    long pausedUntilMicros() {
        return pausedUntilMicros;
    }

    /** Nothing of it runs any more. */
    void die() {
        dead = true;
        ready.clear();
        blocking.forEach(Tasks::end);
        loop.die();
    }

    /** The transport has told its event loop to end. */
    void end() {
        InvariantViolated.check(!inTurn, "the I/O thread must not end itself");
        for (int left = MAX_LAST_TURNS; !dead; left--) {
            InvariantViolated.check(left > 0, "the I/O thread does not come to an end");
            turn();
        }
    }

    // ---------------------------------------------------------------- what a transport asks for

    @Override
    public EventLoop eventLoop(String threadName) {
        return loop;
    }

    @Override
    public BlockingTasks blocking(String threadName, int threads) {
        Tasks tasks = new Tasks(threads);
        blocking.add(tasks);
        return tasks;
    }

    @Override
    public ChannelFactory<? extends ServerChannel> listening() {
        return () -> new VirtualServerChannel(this);
    }

    @Override
    public ChannelFactory<? extends Channel> connecting() {
        return () -> new VirtualChannel(this);
    }

    @Override
    public void await(Future<?> done) {
        while (!done.isDone()) {
            InvariantViolated.check(loop.hasTasks() || !ready.isEmpty(), "waits for what never happens");
            turn();
        }
    }

    @Override
    public void await(Future<?> done, int limitSeconds) {
        await(done);
    }

    @Override
    public <T> T await(CompletableFuture<T> result, long limitMillis)
            throws ExecutionException, TimeoutException, InterruptedException {
        long deadline = clock.nowMicros() + TimeUnit.MILLISECONDS.toMicros(limitMillis);
        while (!result.isDone()) {
            if (clock.nowMicros() >= deadline) {
                throw new TimeoutException();
            }
            letTimePass();
        }
        return result.get();
    }

    @Override
    public void await(Object monitor, long limitMillis) throws InterruptedException {
        letTimePass();
    }

    /**
     * Does what a thread of the process does that may wait, for a connection or for an answer: meanwhile time passes,
     * and if the process dies, the wait ends with an interruption.
     *
     * @param piece of work
     */
    public void runBlocking(Runnable piece) {
        try {
            piece.run();
        } finally {
            // The thread that was interrupted is the process's own, not the caller.
            Thread.interrupted();
        }
    }

    private void letTimePass() throws InterruptedException {
        InvariantViolated.check(!inTurn, "the I/O thread must not wait");
        network.letTimePass();
        if (dead) {
            throw new InterruptedException();
        }
    }

    @Override
    public long nanoTime() {
        return clock.nowMicros() * NANOS_PER_MICRO;
    }

    @Override
    public int nextInt(int bound) {
        return network.random().nextInt(bound);
    }

    @Override
    public void nextSecret(byte[] bytes) {
        network.random().nextBytes(bytes);
    }

    @Override
    public void awaitThreads(int limitMillis) {
        // They have ended: nothing but the caller runs anything.
    }

    /** Tasks that take their time; as many at once as there are threads. */
    private final class Tasks implements BlockingTasks {
        private final Queue<Runnable> waiting = new ArrayDeque<>();
        private final Queue<Runnable> asleep = new ArrayDeque<>();
        private int threads;
        private int running;
        private boolean ended;

        Tasks(int threads) {
            this.threads = threads;
        }

        @Override
        public void execute(Runnable task) {
            if (ended) {
                throw new RejectedExecutionException("the threads have ended");
            }
            waiting.add(task);
            begin();
        }

        private void begin() {
            while (!ended && running < threads && !waiting.isEmpty()) {
                Runnable task = waiting.remove();
                running++;
                network.after(network.blockingMicros(), () -> run(task));
            }
        }

        private void run(Runnable task) {
            if (ended) {
                return;
            }
            if (isPaused()) {
                asleep.add(task);
                network.after(pausedUntilMicros() - network.nowMicros(), this::goOn);
                return;
            }
            try {
                task.run();
            } finally {
                running--;
                begin();
            }
        }

        void goOn() {
            while (!isPaused() && !asleep.isEmpty()) {
                run(asleep.remove());
            }
        }

        @Override
        public void size(int count) {
            threads = count;
            begin();
        }

        @Override
        public void remove(Runnable task) {
            Iterator<Runnable> each = waiting.iterator();
            while (each.hasNext()) {
                if (each.next() == task) {
                    each.remove();
                    return;
                }
            }
        }

        @Override
        public void end() {
            ended = true;
            waiting.clear();
            asleep.clear();
        }
    }
}
