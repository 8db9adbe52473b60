package io.chainkeeper.server.storage;

import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.Work;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Looks, beside ZooKeeper's loading of the files, whether the part of the transaction log that was on stable storage is
 * still whole. ZooKeeper's own reader takes a file that has become shorter for one that ends there. Safe for use by any
 * thread.
 */
public final class ForcedLogCheck {
    private final Scheduler scheduler;
    private boolean done;
    /** Whatever ended the look, an error of the JVM included; null if the log is whole. */
    private Throwable failure;

    private ForcedLogCheck(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** @return of a log that has been looked through already */
    static ForcedLogCheck done(Scheduler scheduler) {
        ForcedLogCheck check = new ForcedLogCheck(scheduler);
        check.done = true;
        return check;
    }

    /**
     * Begins to look in the background.
     *
     * @param scheduler gives the worker that looks
     * @param directory the directory with the {@code log.*} files, which nobody writes to meanwhile
     * @param fromZxid files that hold only transactions before it are not looked at
     * @param forcedZxid transactions up to here must be there
     */
    static ForcedLogCheck begin(Scheduler scheduler, Path directory, long fromZxid, long forcedZxid) {
        ForcedLogCheck check = new ForcedLogCheck(scheduler);
        scheduler
                .worker("transaction-log-check", () -> {
                    check.look(directory, fromZxid, forcedZxid);
                    return Work.NEVER;
                })
                .start();
        return check;
    }

    private void look(Path directory, long fromZxid, long forcedZxid) {
        Throwable found = null;
        try {
            TxnLogTail.check(directory, fromZxid, forcedZxid);
        } catch (IOException | RuntimeException | Error e) {
            found = e;
        }
        synchronized (this) {
            failure = found;
            done = true;
            notifyAll();
        }
    }

    /**
     * Waits for the end.
     *
     * @throws IOException if the log is damaged or cannot be read; the message names the file
     */
    public synchronized void await() throws IOException {
        try {
            scheduler.await(this, "the transaction log to be looked through", () -> done);
        } catch (ReplicaStoppedException e) {
            throw new IOException("interrupted while the transaction log was looked through", e);
        }
        if (failure instanceof IOException damage) {
            throw damage;
        }
        if (failure != null) {
            throw new IOException("transaction log could not be looked through: " + failure, failure);
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
