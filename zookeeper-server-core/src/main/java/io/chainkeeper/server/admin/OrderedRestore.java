package io.chainkeeper.server.admin;

import io.chainkeeper.command.AuthId;
import io.chainkeeper.command.Command.ClientRequest;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.admin.RestorePlan.Step;
import io.chainkeeper.server.admin.TreeDifference.Passing;
import io.chainkeeper.server.backup.LoadedSnapshot;
import io.chainkeeper.server.guard.ResourceGuards;
import io.chainkeeper.server.guard.TransactionSize;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.Adler32;
import java.util.zip.CheckedInputStream;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a snapshot back while the ensemble works, as writes: what differs is deleted, created and set by requests that
 * go through the order as those of clients do, in the name of a user who may do everything. So all replicas have the
 * same at every moment, zxids go on, and watches fire. What refuses clients' writes refuses these. One at a time; any
 * thread.
 */
final class OrderedRestore {
    /** Each round does what the one before has left, because clients write or a count is known only then. */
    private static final int MAX_ROUNDS = 6;

    /** More nodes are not created only to be counted: it would take minutes. */
    private static final long MAX_PASSING = 1_000_000;

    private static final long EXECUTION_MINUTES = 10;
    private static final List<AuthId> NAMES = RestorePlan.IDENTITIES.stream()
            .map(id -> new AuthId(id.getScheme(), id.getId()))
            .toList();
    private static final Logger LOG = LoggerFactory.getLogger(OrderedRestore.class);

    private final OrderedZooKeeperServer server;
    private final Proposer proposer;
    private final ResourceGuards guards;
    private long requests;

    /**
     * @param server whose tree is compared
     * @param proposer the way into the order
     * @param guards refuse what there is no room for
     */
    OrderedRestore(OrderedZooKeeperServer server, Proposer proposer, ResourceGuards guards) {
        this.server = server;
        this.proposer = proposer;
        this.guards = guards;
    }

    /**
     * Restores; waits until this replica has executed all of it.
     *
     * @param snapshot bytes of a snapshot file, not compressed
     * @return zxid of the snapshot
     * @throws IOException if it is damaged, and nothing was changed; or if it could not be brought back as a whole. The
     *     message says which
     */
    synchronized long restore(InputStream snapshot) throws IOException {
        requests = 0;
        if (!server.isServing()) {
            throw new IOException("this server serves nobody at the moment: ask another one; nothing was changed");
        }
        requireRoom(guards.refusalOfWrites());
        DataTree wanted = OrderedDatabase.newTree();
        long zxid = load(snapshot, wanted);
        try {
            for (int round = 1; round <= MAX_ROUNDS; round++) {
                TreeDifference difference =
                        TreeDifference.between(server.getZKDatabase().getDataTree(), wanted);
                if (difference.isEmpty()) {
                    LOG.info("Snapshot 0x{} restored by {} requests", Long.toHexString(zxid), requests);
                    return zxid;
                }
                checkPassing(difference, round);
                carryOut(difference);
                awaitExecution();
            }
        } catch (ReplicaStoppedException e) {
            throw new IOException("this server stops while a snapshot is being restored: restore it again elsewhere");
        }
        throw new IOException("clients write what the snapshot does not hold: a part of it is restored; stop them and"
                + " restore it again");
    }

    private static long load(InputStream snapshot, DataTree wanted) throws IOException {
        CheckedInputStream in = new CheckedInputStream(new BufferedInputStream(snapshot), new Adler32());
        try {
            LoadedSnapshot.read(in, 0, wanted, new ConcurrentHashMap<>());
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    "what was sent is no whole snapshot (" + e.getMessage()
                            + "): send the bytes of a snapshot file, not compressed; nothing was changed",
                    e);
        }
        if (wanted.getNode("/") == null || wanted.getNode("/zookeeper") == null) {
            throw new IOException("the snapshot has no root: it is none of ZooKeeper's; nothing was changed");
        }
        return wanted.lastProcessedZxid;
    }

    private static void checkPassing(TreeDifference difference, int round) throws IOException {
        long sum = difference.passing().stream().mapToLong(Passing::times).sum();
        if (sum > MAX_PASSING) {
            throw new IOException(
                    "the snapshot's nodes have had " + sum + " more children than those here, and sequence nodes are"
                            + " named by that: stop all servers and start them from the snapshot (docs/operations.md)"
                            + (round == 1 ? "; nothing was changed" : "; all else is restored"));
        }
    }

    private void carryOut(TreeDifference difference) throws IOException {
        List<Step> steps = RestorePlan.of(difference, guards.transactions());
        for (Step step : steps) {
            requireSize(step, RestorePlan.bytesOf(step.request()));
        }
        for (Step step : steps) {
            for (long done = 0; done < step.times(); done++) {
                propose(step);
            }
        }
    }

    private String outcome() {
        return requests == 0 ? "nothing was changed" : "a part of the snapshot is restored";
    }

    private void requireRoom(String refusal) throws IOException {
        if (refusal != null) {
            throw new IOException(
                    "writes are refused: " + refusal + "; " + outcome() + "; restore the snapshot again after that");
        }
    }

    private void requireSize(Step step, int bytes) throws IOException {
        TransactionSize sizes = guards.transactions();
        if (sizes.isTooLarge(RestorePlan.IDENTITIES, step.request(), bytes)) {
            throw new IOException(step.path() + ": its " + Request.op2String(step.opcode()) + " has " + bytes
                    + " bytes; a request may have " + BinaryInputArchive.maxBuffer + " (jute.maxbuffer of this server),"
                    + " and its transaction " + sizes.maxEntryBytes() + " (jute.maxbuffer and"
                    + " zookeeper.jute.maxbuffer.extrasize, the least of all servers); raise them at all servers; "
                    + outcome() + "; restore the snapshot again after that");
        }
    }

    /** Waits while too much is under way, as clients do. */
    private void propose(Step step) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        step.request().serialize(BinaryOutputArchive.getArchive(bytes), "request");
        requireSize(step, bytes.size());
        requireRoom(guards.refusalOfWrite(bytes.size()));
        requests++;
        boolean ordered = proposer.propose(
                0,
                new ClientRequest(
                        proposer.wallClockMillis(),
                        0,
                        0,
                        step.opcode(),
                        NAMES,
                        ByteSlice.of(bytes.toByteArray()),
                        ClientRequest.QUOTA_KEPT,
                        true,
                        0),
                server::isServing);
        requireServing(ordered);
    }

    private static void requireServing(boolean ordered) throws IOException {
        if (!ordered) {
            throw new IOException("this server serves nobody any more: a part of the snapshot may be restored; restore"
                    + " it again at another server");
        }
    }

    /** In the stream of the requests: what comes behind them has been executed after them. */
    private void awaitExecution() throws IOException {
        CountDownLatch executed = new CountDownLatch(1);
        requireServing(proposer.proposeNoOp(executed::countDown, server::isServing));
        try {
            if (!executed.await(EXECUTION_MINUTES, TimeUnit.MINUTES)) {
                throw new IOException("the order did not take the snapshot within " + EXECUTION_MINUTES
                        + " minutes: a part of it may be restored; restore it again when there is a quorum");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted: a part of the snapshot may be restored; restore it again", e);
        }
    }
}
