package io.chainkeeper.server.maintenance;

import io.chainkeeper.command.Command;
import io.chainkeeper.server.proposal.PatientProposer;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.state.StateDigest;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * Orders audits while this replica leads, and reports what this replica found. Orders nothing while nothing is written.
 * Used by the maintenance thread only.
 */
public final class DigestAuditor {
    private final ZooKeeperServer server;
    private final ReplicatedState state;
    private final PatientProposer proposer;
    private final LongSupplier clockMillis;
    private final long periodMillis;
    private long nextMillis;
    private long auditedZxid;

    /**
     * @param server whose tree is audited
     * @param state the replicated state
     * @param proposer the way into the order
     * @param clockMillis a monotonic clock
     * @param periodSeconds how often
     */
    public DigestAuditor(
            ZooKeeperServer server,
            ReplicatedState state,
            PatientProposer proposer,
            LongSupplier clockMillis,
            int periodSeconds) {
        this.server = server;
        this.state = state;
        this.proposer = proposer;
        this.clockMillis = clockMillis;
        this.periodMillis = TimeUnit.SECONDS.toMillis(periodSeconds);
        this.nextMillis = clockMillis.getAsLong() + periodMillis;
    }

    /** Called with every tick while this replica leads. */
    void tick() {
        long now = clockMillis.getAsLong();
        if (now >= nextMillis) {
            nextMillis = now + periodMillis;
            auditWhatIsNew();
        }
    }

    private void auditWhatIsNew() {
        long zxid = server.getZKDatabase().getDataTreeLastProcessedZxid();
        if (zxid > auditedZxid) {
            auditedZxid = zxid;
            proposer.propose(0, new Command.DigestAudit(proposer.wallClockMillis()));
        }
    }

    /** This replica has executed an audit. */
    void report(long position, StateDigest digest) {
        // While the order is replayed the audits of the past come by, and nobody wants to know.
        if (state.auditPosition() == position) {
            proposer.propose(
                    0,
                    new Command.DigestReport(proposer.wallClockMillis(), position, digest.tree(), digest.replicated()));
        }
    }
}
