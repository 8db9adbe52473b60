package io.chainkeeper.disk;

/**
 * Whether this server executes what is decided. Where its own disk hangs it may execute nothing more, while the shared
 * disks go on deciding what it proposes: it could answer nobody, and somebody else should lead.
 */
final class ExecutionWatch {
    private static final long UNTOLD = -1;

    private final DiskState state;
    private long executed = UNTOLD;

    /** When it was last ahead of what it was before, or had nothing to do. */
    private long movedTick;

    ExecutionWatch(DiskState state) {
        this.state = state;
    }

    /** What was delivered is executed up to here. */
    void executed(long position) {
        executed = position;
        movedTick = state.now;
    }

    /** A tick has passed. */
    void tick() {
        if (executed == UNTOLD || executed >= state.decided) {
            movedTick = state.now;
        }
    }

    /** Whether nothing of what is decided was executed for long; a slow disk lets something be executed meanwhile. */
    boolean isHeldUp() {
        return state.now - movedTick > state.settings.executionTicks();
    }
}
