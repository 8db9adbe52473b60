package io.chainkeeper.simulation.znode;

import io.chainkeeper.simulation.host.NeverAnswered;
import java.util.ArrayDeque;
import java.util.Deque;

/** One of the threads of a server that read from connections. While it waits, none of its connections is read. */
final class InputThread {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean isBusy;

    /** Does something now, or when the thread is done with what it is in the middle of. */
    void run(Runnable reading) {
        waiting.addLast(reading);
        if (isBusy) {
            return;
        }
        isBusy = true;
        try {
            while (!waiting.isEmpty()) {
                waiting.removeFirst().run();
            }
        } catch (NeverAnswered e) {
            // Its process is gone.
            waiting.clear();
        } finally {
            isBusy = false;
        }
    }
}
