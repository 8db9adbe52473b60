package io.chainkeeper.simulation.znode;

import io.chainkeeper.simulation.host.NeverAnswered;
import io.chainkeeper.simulation.time.Coroutine;
import java.util.ArrayDeque;
import java.util.Deque;

/** One of the threads of a server that read from connections. While it waits, none of its connections is read. */
final class InputThread {
    private final boolean mayWait;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean isBusy;

    /** It is never heard of again. */
    private boolean isHung;

    /** @param mayWait whether it may have to wait until others have done something for it */
    InputThread(boolean mayWait) {
        this.mayWait = mayWait;
    }

    /** Does something now, or when the thread is done with what it is in the middle of. */
    void run(Runnable reading) {
        if (isHung) {
            return;
        }
        waiting.addLast(reading);
        if (isBusy) {
            return;
        }
        isBusy = true;
        if (mayWait) {
            Coroutine.run(this::read);
        } else {
            read();
        }
    }

    private void read() {
        isHung = NeverAnswered.in(this::readAll) != null;
    }

    private void readAll() {
        while (!waiting.isEmpty()) {
            waiting.removeFirst().run();
        }
        isBusy = false;
    }
}
