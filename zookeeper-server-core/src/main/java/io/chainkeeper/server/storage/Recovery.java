package io.chainkeeper.server.storage;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.NodeOwners;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.server.session.SessionState;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.state.Zxids;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.persistence.SnapshotInfo;
import org.apache.zookeeper.server.persistence.TxnLog.TxnIterator;
import org.apache.zookeeper.txn.TxnHeader;

/**
 * Brings back the state from which the order is continued: tree and sessions as ZooKeeper loads them, and the newest
 * checkpoint. Commands after the checkpoint whose transactions the tree already holds will only advance the replicated
 * state.
 *
 * @param position the order is continued after it
 * @param proposers see {@link io.chainkeeper.replica.Application#proposerTable}
 * @param state the replicated state at {@code position}
 * @param transactions what the tree holds beyond {@code position}
 * @param forcedZxid the transaction log is on stable storage up to here
 */
public record Recovery(
        long position,
        ProposerTable proposers,
        ReplicatedState state,
        RecoveredTransactions transactions,
        long forcedZxid) {
    /** Told to cut a log of which nothing is known. */
    private static final long NOTHING_FORCED = -1;

    /**
     * First step, before ZooKeeper loads its files: cuts the torn end of the transaction log, and writes again what may
     * never have been forced. Of a directory that
     * Apache ZooKeeper has left it first notes what is going to change.
     *
     * @param files ZooKeeper's files
     * @param checkpoints the checkpoints
     * @param scheduler gives what looks in the background
     * @return looks through the part of the log that is not torn
     * @throws IOException if a file is damaged where it must not be; the message names it
     */
    public static ForcedLogCheck repair(LoggedFiles files, CheckpointStore checkpoints, Scheduler scheduler)
            throws IOException {
        List<Checkpoint> all = checkpoints.readForStart();
        if (all.isEmpty()) {
            imported(files, checkpoints).note();
            TxnLogTail.cut(files.logDirectory(), 0, NOTHING_FORCED);
            return ForcedLogCheck.done(scheduler);
        }
        Checkpoint newest = all.get(0);
        TxnLogTail.cut(files.logDirectory(), newest.snapshotZxid(), newest.coveredZxid());
        TxnLogTail.writeAgain(files.logDirectory(), newest.coveredZxid());
        long snapshotZxid = checkpoints.readAll().get(0).snapshotZxid();
        return snapshotZxid >= newest.snapshotZxid()
                ? ForcedLogCheck.done(scheduler)
                : ForcedLogCheck.begin(scheduler, files.logDirectory(), snapshotZxid, newest.coveredZxid());
    }

    /**
     * Second step, after ZooKeeper has loaded its files.
     *
     * @param files ZooKeeper's files
     * @param database the loaded tree
     * @param checkpoints the checkpoints
     * @param identity whose directory it is, null for a new one
     * @param replicaId this replica
     * @return the state to continue from
     * @throws IOException if the files do not belong together; the message says which
     */
    public static Recovery recover(
            LoggedFiles files,
            ZKDatabase database,
            CheckpointStore checkpoints,
            ClusterIdentity identity,
            int replicaId)
            throws IOException {
        long zxid = database.getDataTreeLastProcessedZxid();
        SnapshotInfo snapshot = files.getLastSnapshotInfo();
        long snapshotZxid = snapshot == null ? 0 : snapshot.zxid;
        List<Checkpoint> all = checkpoints.readForStart();
        if (all.isEmpty()) {
            if (identity != null && identity.clusterId() != null) {
                throw new IOException("no checkpoint in " + checkpoints.directory() + " although this directory belongs"
                        + " to cluster " + identity.clusterId()
                        + ". Replace this replica's data directories by those of a healthy member");
            }
            return firstStart(files, database, checkpoints, replicaId, snapshotZxid);
        }
        Checkpoint checkpoint = all.get(0);
        requireBelongsTogether(files, all, zxid, snapshotZxid);
        try {
            ReplicatedState state = ReplicatedState.decode(checkpoint.replicatedState());
            return new Recovery(
                    checkpoint.position(),
                    ProposerTable.decode(checkpoint.proposers()),
                    state,
                    new RecoveredTransactions(files, Math.max(snapshotZxid, checkpoint.zxid()), zxid),
                    checkpoint.coveredZxid());
        } catch (MalformedMessageException e) {
            throw new IOException("newest checkpoint in " + checkpoints.directory() + ": " + e.getMessage());
        }
    }

    /**
     * @param checkpoints the checkpoints
     * @return the number that says the settings of the cluster that the files belong to; empty if they belong to none
     * @throws IOException if the newest checkpoint cannot be read; the message names the directory
     */
    public static OptionalLong formedWith(CheckpointStore checkpoints) throws IOException {
        List<Checkpoint> all = checkpoints.readForStart();
        try {
            ReplicatedState state =
                    all.isEmpty() ? null : ReplicatedState.decode(all.get(0).replicatedState());
            return state == null || state.clusterId() == null
                    ? OptionalLong.empty()
                    : OptionalLong.of(state.executionProfile());
        } catch (MalformedMessageException e) {
            throw new IOException("newest checkpoint in " + checkpoints.directory() + ": " + e.getMessage());
        }
    }

    /**
     * Tells of a stopped server whose directory bears no name of a cluster: the name is noted only when the server has
     * caught up, but what it has executed or fetched by then is the cluster's.
     *
     * @param checkpoints the checkpoints
     * @param lastZxid with which its transaction log ends
     * @return whether its data is that of a cluster, and not what was there before one was formed
     * @throws IOException if the newest checkpoint cannot be read; the message names the directory
     */
    public static boolean isOfCluster(CheckpointStore checkpoints, long lastZxid) throws IOException {
        List<Checkpoint> all = checkpoints.readForStart();
        // No command becomes a transaction before the cluster is formed. If it begins with data, a checkpoint follows.
        return !all.isEmpty()
                && (lastZxid > all.get(0).zxid() || formedWith(checkpoints).isPresent());
    }

    private static void requireBelongsTogether(LoggedFiles files, List<Checkpoint> all, long zxid, long snapshotZxid)
            throws IOException {
        Checkpoint newest = all.get(0);
        if (zxid < newest.coveredZxid()) {
            throw new IOException("transaction log in " + files.logDirectory() + " ends at " + Zxids.text(zxid)
                    + " although it was on stable storage up to " + Zxids.text(newest.coveredZxid())
                    + ". Replace this replica's data directories by those of a healthy member");
        }
        boolean known = snapshotZxid <= newest.zxid()
                || all.stream().anyMatch(checkpoint -> checkpoint.snapshotZxid() == snapshotZxid);
        boolean sameEpoch = Zxids.epoch(zxid) == Zxids.epoch(newest.zxid());
        if (!known || !sameEpoch && !isDense(files, Math.max(snapshotZxid, newest.zxid()), zxid)) {
            throw new IOException("data in " + files.snapshotDirectory() + " at " + Zxids.text(zxid)
                    + " was changed outside this cluster's order, probably by Apache ZooKeeper. To form a new order"
                    + " from it, delete the ordering directory of every member");
        }
    }

    /** Whether the epoch ended because its numbers were used up; Apache ZooKeeper begins a new one at every start. */
    private static boolean isDense(LoggedFiles files, long fromZxid, long toZxid) throws IOException {
        long last = fromZxid;
        if (last == toZxid) {
            return true;
        }
        try (TxnIterator transactions = files.readTxnLog(Zxids.next(last))) {
            do {
                TxnHeader header = transactions.getHeader();
                if (header == null || header.getZxid() != Zxids.next(last)) {
                    return false;
                }
                last = header.getZxid();
            } while (last < toZxid && transactions.next());
        }
        return last == toZxid;
    }

    private static ImportedDirectory imported(LoggedFiles files, CheckpointStore checkpoints) {
        return new ImportedDirectory(checkpoints.directory().toAbsolutePath().getParent(), files);
    }

    /**
     * A new directory, or one that Apache ZooKeeper wrote: its state becomes position 0, and counts if the order says
     * that the cluster begins with it.
     */
    private static Recovery firstStart(
            LoggedFiles files, ZKDatabase database, CheckpointStore checkpoints, int replicaId, long snapshotZxid)
            throws IOException {
        long zxid = database.getDataTreeLastProcessedZxid();
        ReplicatedState state = ReplicatedState.initial(zxid);
        String refusal = NodeOwners.refusal(database.getSessionWithTimeOuts().keySet());
        if (refusal != null) {
            throw new IOException("data in " + files.snapshotDirectory() + " cannot be taken over: " + refusal);
        }
        database.getSessionWithTimeOuts()
                .forEach((id, timeoutMillis) -> state.sessions().create(id, timeoutMillis, SessionState.NO_OWNER, 0));
        state.importedStates().report(replicaId, imported(files, checkpoints).state(database), List.of());
        // ZooKeeper writes the snapshot of an empty directory without forcing it, and refuses a log without a snapshot.
        SnapshotWriter.forceSnapshot(files.snapshotDirectory(), snapshotZxid);
        SnapshotWriter.forceLogs(files.logDirectory(), snapshotZxid);
        ProposerTable proposers = new ProposerTable();
        checkpoints.write(new Checkpoint(0, zxid, snapshotZxid, zxid, proposers.encode(), state.encode()));
        return new Recovery(0, proposers, state, new RecoveredTransactions(files, zxid, zxid), zxid);
    }
}
