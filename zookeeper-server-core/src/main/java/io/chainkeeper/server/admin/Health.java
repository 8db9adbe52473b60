package io.chainkeeper.server.admin;

import java.util.function.Supplier;

/** The answers to {@code /live} and {@code /ready}. Safe for use by any thread. */
final class Health {
    /** How long {@code /ready?write} waits for its no-op. */
    static final long WRITE_WAIT_MILLIS = 2_000;

    private final Readiness readiness;
    private final Supplier<String> refusalOfWrites;
    private final WriteProbe probe;

    /**
     * @param readiness whether clients are served
     * @param refusalOfWrites why this server refuses its clients' writes, null if it does not
     * @param probe finds out whether writes are ordered
     */
    Health(Readiness readiness, Supplier<String> refusalOfWrites, WriteProbe probe) {
        this.readiness = readiness;
        this.refusalOfWrites = refusalOfWrites;
        this.probe = probe;
    }

    /** @return null if the process works, else one line that says what does not */
    String reasonNotLive() {
        return readiness.reasonNotLive();
    }

    /** @return null if clients are served here, else one line that says why not */
    String reasonNotReady() {
        return readiness.reasonNotReady();
    }

    /**
     * Waits up to {@link #WRITE_WAIT_MILLIS}.
     *
     * @return null if writes are ordered, else one line that says why not
     * @throws InterruptedException if the waiting thread is interrupted
     */
    String reasonNotReadyForWrites() throws InterruptedException {
        String reason = reasonNotReady();
        if (reason != null) {
            return reason;
        }
        String refusal = refusalOfWrites.get();
        if (refusal != null) {
            return "writes are refused: " + refusal;
        }
        return probe.isOrdered(WRITE_WAIT_MILLIS)
                ? null
                : "a no-op did not come back from the order within " + WRITE_WAIT_MILLIS + " ms";
    }
}
