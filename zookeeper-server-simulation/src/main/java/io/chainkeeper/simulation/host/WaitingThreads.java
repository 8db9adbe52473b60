package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.time.Coroutine;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/** Threads of one start of a replica that wait in the middle of something until the order has gone on. */
public final class WaitingThreads {
    private static final class Waiting {
        private final Coroutine thread;
        private final BooleanSupplier condition;

        /** It is overlooked as long as others go on in front of it: monitors are not fair. */
        private boolean isOverlooked = true;

        private Waiting(Coroutine thread, BooleanSupplier condition) {
            this.thread = thread;
            this.condition = condition;
        }
    }

    private final ReplicaHost host;
    private final World world;
    private final Trace trace;
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    /** Somebody waits who has not been woken since. */
    private boolean standsStill;

    /**
     * @param host whose threads these are
     * @param world told when some wait
     * @param trace told of each
     */
    WaitingThreads(ReplicaHost host, World world, Trace trace) {
        this.host = host;
        this.world = world;
        this.trace = trace;
    }

    /**
     * The calling thread waits.
     *
     * @param lock whose monitor it has, and gives up meanwhile
     * @param what it waits for, in words
     * @param condition when it can go on
     */
    void await(Object lock, String what, BooleanSupplier condition) {
        Coroutine thread = Coroutine.current();
        InvariantViolated.check(
                thread != null,
                "replica %d: a part without which the order stands still waits for %s",
                host.id(),
                what);
        Waiting one = new Waiting(thread, condition);
        waiting.addLast(one);
        trace.record(host.id(), "a thread waits, of", waiting.size(), what);
        standStill(true);
        world.overlooks(
                host,
                () -> host.runChecked(() -> {
                    one.isOverlooked = false;
                    letGoOn(one);
                }));
        thread.suspend(lock);
    }

    /** An own command has taken effect, and made the room that those wait for. */
    void applied() {
        if (!waiting.isEmpty()) {
            standStill(false);
            reconsider();
        }
    }

    /** Those who wait look again whether they can go on, in their own time, so in any order. */
    public void reconsider() {
        for (Waiting each : waiting) {
            world.linksWork(host, () -> host.runChecked(() -> letGoOn(each)));
        }
    }

    private void letGoOn(Waiting one) {
        if (!one.isOverlooked && one.condition.getAsBoolean() && waiting.contains(one)) {
            resume(one);
        }
    }

    /** Perhaps it leaves without any room; who waits alone has stood still until then. */
    private void resume(Waiting one) {
        waiting.remove(one);
        if (waiting.isEmpty()) {
            standStill(false);
        }
        one.thread.resume();
    }

    private void standStill(boolean now) {
        if (standsStill != now) {
            standsStill = now;
            world.standsStill(host, now);
        }
    }

    /** Lets one go on that can; returns whether there was one. */
    public boolean letOneGoOn() {
        for (Waiting each : waiting) {
            if (each.condition.getAsBoolean()) {
                resume(each);
                return true;
            }
        }
        return false;
    }

    /** Their process is gone. */
    void end() {
        standStill(false);
        while (!waiting.isEmpty()) {
            waiting.removeFirst().thread.end(NeverAnswered.processGone(host.id()));
        }
    }

    int size() {
        return waiting.size();
    }
}
