package io.chainkeeper.server.execution;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.state.StateDigest;
import io.chainkeeper.server.storage.RecoveredTransactions;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the replicas' states at agreed positions: an audit makes every replica take a digest, the reports say what
 * the others found. A replica judges itself by the digest that it took in this life, not by a report of an earlier one,
 * whose state may have been replaced since. Used by the apply thread only.
 */
final class DigestAudits {
    private static final Logger LOG = LoggerFactory.getLogger(DigestAudits.class);

    private final ZooKeeperServer server;
    private final ReplicatedState state;
    private final RecoveredTransactions recovered;
    private final List<Integer> configuredMembers;
    private final ExecutionEvents events;
    private StateDigest own;
    private AuditVerdict told;

    DigestAudits(
            ZooKeeperServer server,
            ReplicatedState state,
            RecoveredTransactions recovered,
            List<Integer> configuredMembers,
            ExecutionEvents events) {
        this.server = server;
        this.state = state;
        this.recovered = recovered;
        this.configuredMembers = List.copyOf(configuredMembers);
        this.events = events;
        if (!isComparable(Charset.defaultCharset())) {
            LOG.warn(
                    "file.encoding is {}: nobody would notice if this server's tree differed from those of the others;"
                            + " start it with -Dfile.encoding=UTF-8, as bin/zkServer.sh does, to have them compared",
                    Charset.defaultCharset());
        }
    }

    void audit(long position) {
        if (!state.digestTally().begin(position)) {
            return;
        }
        told = null;
        own = null;
        // While the order is replayed the tree is ahead of it, and says nothing about this position.
        if (isComparable(Charset.defaultCharset()) && !recovered.covers(state.nextZxid())) {
            own = new StateDigest(server.getZKDatabase().getDataTree().getTreeDigest(), checksum(state.encode()));
            events.digestTaken(position, own);
        }
    }

    /** ZooKeeper takes the digest over the bytes that the JVM makes of paths. */
    private static boolean isComparable(Charset encoding) {
        return encoding.equals(StandardCharsets.UTF_8);
    }

    private static long checksum(ByteSlice bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), bytes.offset(), bytes.length());
        return crc.getValue();
    }

    void report(int replica, Command.DigestReport report) {
        StateDigest digest = new StateDigest(report.treeDigest(), report.sideDigest());
        if (state.digestTally().add(replica, report.auditPosition(), digest)) {
            AuditVerdict verdict = judge();
            if (verdict != null && !verdict.equals(told)) {
                told = verdict;
                events.auditJudged(verdict);
            }
        }
    }

    /** Returns null as long as the members that have not reported may still make a majority. */
    private AuditVerdict judge() {
        Map<Integer, StateDigest> reports = state.digestTally().reports();
        List<Integer> members = state.membership() == null
                ? configuredMembers
                : state.membership().replicaIds();
        int majority = members.size() / 2 + 1;
        List<Integer> largest = List.of();
        int reported = 0;
        for (int member : members) {
            StateDigest digest = reports.get(member);
            if (digest != null) {
                reported++;
                List<Integer> same = sameAs(digest, members, reports);
                largest = same.size() > largest.size() ? same : largest;
            }
        }
        long position = state.digestTally().position();
        if (largest.size() >= majority) {
            StateDigest agreed = reports.get(largest.get(0));
            List<Integer> differing = new ArrayList<>(reports.keySet());
            differing.removeIf(replica -> reports.get(replica).equals(agreed));
            return new AuditVerdict(position, own, agreed, largest, differing);
        }
        boolean undecidable = largest.size() + members.size() - reported < majority;
        return undecidable ? new AuditVerdict(position, own, null, List.of(), new ArrayList<>(reports.keySet())) : null;
    }

    private static List<Integer> sameAs(StateDigest digest, List<Integer> members, Map<Integer, StateDigest> reports) {
        return members.stream()
                .filter(member -> digest.equals(reports.get(member)))
                .sorted()
                .toList();
    }
}
