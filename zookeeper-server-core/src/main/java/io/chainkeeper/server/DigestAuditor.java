package io.chainkeeper.server;

import io.chainkeeper.command.Command;
import io.chainkeeper.server.request.Proposer;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.DataTree.ZxidDigest;

/**
 * At the leader, puts a recent digest of its tree into the order now and then, so that every replica compares it with
 * its own. Proposes nothing while nothing is written. Used by the housekeeping thread only.
 */
final class DigestAuditor {
    private static final long PERIOD_MILLIS = 60_000;

    private final DataTree tree;
    private final Proposer proposer;
    private final LongSupplier clockMillis;
    private long nextMillis;
    private long auditedZxid;

    /**
     * @param tree this replica's tree, which notes a digest every 128 transactions
     * @param proposer the way into the order
     * @param clockMillis a monotonic clock
     */
    DigestAuditor(DataTree tree, Proposer proposer, LongSupplier clockMillis) {
        this.tree = tree;
        this.proposer = proposer;
        this.clockMillis = clockMillis;
        this.nextMillis = clockMillis.getAsLong() + PERIOD_MILLIS;
    }

    /** Called with every tick while this replica leads. */
    void tick() {
        long now = clockMillis.getAsLong();
        if (now < nextMillis) {
            return;
        }
        nextMillis = now + PERIOD_MILLIS;
        proposeNewest();
    }

    /** Proposes the newest digest that has not been compared yet. */
    void proposeNewest() {
        List<ZxidDigest> digests = tree.getDigestLog();
        if (digests.isEmpty()) {
            return;
        }
        ZxidDigest newest = digests.get(digests.size() - 1);
        if (newest.getZxid() > auditedZxid) {
            auditedZxid = newest.getZxid();
            proposer.propose(
                    0, new Command.DigestAudit(proposer.wallClockMillis(), newest.getZxid(), newest.getDigest()));
        }
    }
}
