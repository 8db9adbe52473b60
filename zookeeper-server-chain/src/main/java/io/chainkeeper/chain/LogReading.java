package io.chainkeeper.chain;

/**
 * The reading of the own log for those that this replica feeds, one at a time. Reading takes time, in which this
 * replica may follow another ballot and write other values: what is read may be older than its memory.
 */
final class LogReading {
    private final ReplicaState state;
    private boolean isUnderWay;

    /** Everything below was on disk as decided when the reading began, and will never be anything else. */
    private long end;

    LogReading(ReplicaState state) {
        this.state = state;
    }

    /** Begins to read from an instance that is no longer in memory, unless something is being read already. */
    void begin(long from) {
        if (!isUnderWay) {
            isUnderWay = true;
            end = state.values.first();
            state.effects.readLog(from, ChainSettings.LOG_READ_BYTES);
        }
    }

    /** What was read is here; returns the first instance of which it must not be told as decided. */
    long ended() {
        boolean isThen = state.rules.isOn(SafetyRule.LOG_IS_TOLD_AS_DECIDED_WHEN_READ);
        long ended = isThen ? end : state.values.first();
        isUnderWay = false;
        end = 0;
        return ended;
    }
}
