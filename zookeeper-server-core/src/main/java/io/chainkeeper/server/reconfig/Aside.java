package io.chainkeeper.server.reconfig;

import java.util.function.Consumer;
import java.util.function.Supplier;

/** Does what may take long, such as asking the name service, somewhere else than on the maintenance thread. */
public interface Aside {
    /**
     * Called by the maintenance thread.
     *
     * @param work done by a thread that is not the caller's; what it throws unchecked stops the replica
     * @param outcome takes what the work gives, on the maintenance thread; not called once the replica is closed
     * @param <T> what the work gives
     */
    <T> void run(Supplier<T> work, Consumer<T> outcome);

    /** Does it at once, where nothing can take long and there are no threads. */
    Aside AT_ONCE = new Aside() {
        @Override
        public <T> void run(Supplier<T> work, Consumer<T> outcome) {
            outcome.accept(work.get());
        }
    };
}
