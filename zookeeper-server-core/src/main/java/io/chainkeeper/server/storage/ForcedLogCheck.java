package io.chainkeeper.server.storage;

import java.io.File;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Looks, beside ZooKeeper's loading of the files, whether the part of the transaction log that was on stable storage is
 * still whole. ZooKeeper's own reader takes a file that has become shorter for one that ends there. Safe for use by any
 * thread.
 */
public final class ForcedLogCheck {
    private final CompletableFuture<Void> check;

    private ForcedLogCheck(CompletableFuture<Void> check) {
        this.check = check;
    }

    /** @return of a log that has been looked through already */
    static ForcedLogCheck done() {
        return new ForcedLogCheck(CompletableFuture.completedFuture(null));
    }

    /**
     * Begins to look on a thread of its own.
     *
     * @param directory the directory with the {@code log.*} files, which nobody writes to meanwhile
     * @param fromZxid files that hold only transactions before it are not looked at
     * @param forcedZxid transactions up to here must be there
     */
    static ForcedLogCheck begin(File directory, long fromZxid, long forcedZxid) {
        CompletableFuture<Void> check = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        TxnLogTail.check(directory, fromZxid, forcedZxid);
                        check.complete(null);
                    } catch (IOException | RuntimeException e) {
                        check.completeExceptionally(e);
                    }
                },
                "transaction-log-check");
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
            check.join();
        } catch (CompletionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
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
