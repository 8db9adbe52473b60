package io.chainkeeper.replica;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.RecoveredState;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/** An acceptor log that fails, or waits, when a test wants it to. */
final class ScriptedAcceptorLog {
    /** One permit for each sync that may end; without limit unless a test takes them away. */
    final Semaphore syncs = new Semaphore(Integer.MAX_VALUE / 2);

    private final List<LogRecord> appended = new ArrayList<>();
    private final List<Integer> batches = new ArrayList<>();
    private final List<LogRecord> recovered = new ArrayList<>();
    private int unsynced;
    private int durable;
    private volatile IOException appendFailure;
    private volatile IOException syncFailure;
    private volatile IOException readFailure;
    private int callsAfterFailure;
    private boolean failed;
    private boolean closed;

    void failAppends(IOException failure) {
        appendFailure = failure;
    }

    void failSyncs(IOException failure) {
        syncFailure = failure;
    }

    void failReads(IOException failure) {
        readFailure = failure;
    }

    void recovers(LogRecord record) {
        recovered.add(record);
    }

    synchronized int durable() {
        return durable;
    }

    synchronized List<LogRecord> appended() {
        return List.copyOf(appended);
    }

    /** How many records each sync made durable. */
    synchronized List<Integer> batches() {
        return List.copyOf(batches);
    }

    synchronized int callsAfterFailure() {
        return callsAfterFailure;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** The log, only as far as the host uses it. */
    AcceptorLog log() {
        return (AcceptorLog) Proxy.newProxyInstance(
                AcceptorLog.class.getClassLoader(), new Class<?>[] {AcceptorLog.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "append":
                            append((LogRecord) arguments[0]);
                            return null;
                        case "sync":
                            sync();
                            return null;
                        case "read":
                            return read();
                        case "recovered":
                            return new Recovered((Long) arguments[0]);
                        case "sizeBytes":
                            return 0L;
                        case "close":
                            close();
                            return null;
                        case "truncate":
                            return null;
                        default:
                            throw new InvocationTargetException(null, "unexpected " + method);
                    }
                });
    }

    private synchronized void append(LogRecord record) throws IOException {
        count();
        if (appendFailure != null) {
            failed = true;
            throw appendFailure;
        }
        appended.add(record);
        unsynced++;
    }

    private void sync() throws IOException {
        syncs.acquireUninterruptibly();
        synchronized (this) {
            count();
            if (syncFailure != null) {
                failed = true;
                throw syncFailure;
            }
            batches.add(unsynced);
            durable += unsynced;
            unsynced = 0;
        }
    }

    private List<LogRecord> read() throws IOException {
        if (readFailure != null) {
            throw readFailure;
        }
        return List.of();
    }

    private void count() {
        callsAfterFailure += failed ? 1 : 0;
    }

    private synchronized void close() {
        closed = true;
    }

    private final class Recovered implements RecoveredState {
        private final long appliedPosition;

        Recovered(long appliedPosition) {
            this.appliedPosition = appliedPosition;
        }

        @Override
        public long appliedPosition() {
            return appliedPosition;
        }

        @Override
        public LogRecord metadata(int kind) {
            return recovered.stream()
                    .filter(r -> r.position() == LogRecord.METADATA && r.kind() == kind)
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public long firstPosition() {
            return 0;
        }

        @Override
        public long lastPosition() {
            return 0;
        }

        @Override
        public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {
            recovered.stream()
                    .filter(r -> r.position() >= Math.max(1, fromPosition))
                    .forEach(visitor);
        }
    }
}
