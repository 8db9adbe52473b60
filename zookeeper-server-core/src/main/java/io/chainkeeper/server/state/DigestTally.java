package io.chainkeeper.server.state;

import io.chainkeeper.ordering.MalformedMessageException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * The digests that have been reported for the newest audit; part of the replicated state. One audit at a time: the next
 * one forgets what was reported for the one before. Changed by the apply thread only.
 */
public final class DigestTally {
    private static final int FIXED_BYTES = Long.BYTES + Integer.BYTES;
    private static final int REPORT_BYTES = Integer.BYTES + 2 * Long.BYTES;

    private final Map<Integer, StateDigest> reports = new TreeMap<>();
    private volatile long position;

    /** Position of the newest audit, 0 before the first; may be asked by any thread. */
    public long position() {
        return position;
    }

    /** The reports for it, by replica. */
    public Map<Integer, StateDigest> reports() {
        return reports;
    }

    /** An audit is executed; a second one at the same position is none, because its digests would be mixed up. */
    public boolean begin(long auditPosition) {
        if (auditPosition == position) {
            return false;
        }
        position = auditPosition;
        reports.clear();
        return true;
    }

    /** A report is executed; returns whether it is a replica's first one for the newest audit. */
    public boolean add(int replica, long auditPosition, StateDigest digest) {
        return auditPosition == position && reports.putIfAbsent(replica, digest) == null;
    }

    int encodedBytes() {
        return FIXED_BYTES + reports.size() * REPORT_BYTES;
    }

    void put(ByteBuffer out) {
        out.putLong(position).putInt(reports.size());
        reports.forEach(
                (replica, digest) -> out.putInt(replica).putLong(digest.tree()).putLong(digest.replicated()));
    }

    static DigestTally get(ByteBuffer in) throws MalformedMessageException {
        DigestTally tally = new DigestTally();
        tally.position = in.getLong();
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / REPORT_BYTES) {
            throw new MalformedMessageException("side state claims " + count + " digest reports");
        }
        for (int i = 0; i < count; i++) {
            tally.reports.put(in.getInt(), new StateDigest(in.getLong(), in.getLong()));
        }
        return tally;
    }
}
