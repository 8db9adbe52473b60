package io.chainkeeper.server.storage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Looks, beside ZooKeeper's loading of the files, whether the part of the transaction log that was on stable storage is
 * still whole. ZooKeeper's own reader takes a file that has become shorter for one that ends there. Safe for use by any
 * thread.
 */
public final class ForcedLogCheck {
    /** Whatever ends the look, an error of the JVM included, is told to who waits. */
    private final FutureTask<Void> check;

    private ForcedLogCheck(FutureTask<Void> check) {
        this.check = check;
    }

    /** @return of a log that has been looked through already */
    static ForcedLogCheck done() {
        FutureTask<Void> nothing = new FutureTask<>(() -> {}, null);
        nothing.run();
        return new ForcedLogCheck(nothing);
    }

    /**
     * Begins to look on a thread of its own.
     *
     * @param directory the directory with the {@code log.*} files, which nobody writes to meanwhile
     * @param fromZxid files that hold only transactions before it are not looked at
     * @param forcedZxid transactions up to here must be there
     */
    static ForcedLogCheck begin(Path directory, long fromZxid, long forcedZxid) {
        FutureTask<Void> check = new FutureTask<>(() -> {
            TxnLogTail.check(directory, fromZxid, forcedZxid);
            return null;
        });
        Thread thread = new Thread(check, "transaction-log-check");
        thread.setDaemon(true);
        thread.start();
        return new ForcedLogCheck(check);
    }

    /**
     * Waits for the end.
     *
     * @throws IOException if the log is damaged or cannot be read; the message names the file
     */
    public void await() throws IOException {
        try {
            check.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException damage) {
                throw damage;
            }
            throw new IOException("transaction log could not be looked through: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the transaction log was looked through", e);
        }
    }

    /**
     * Waits for the end.
     *
     * @param failure of ZooKeeper's loading
     * @return what to tell the operator: of the damage, if there is some, the name of the file; else the failure
     */
    public Throwable causeOf(Throwable failure) {
        try {
            await();
            return failure;
        } catch (IOException damage) {
            return damage;
        }
    }
}
