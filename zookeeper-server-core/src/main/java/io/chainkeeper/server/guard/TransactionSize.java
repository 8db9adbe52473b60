package io.chainkeeper.server.guard;

import java.util.List;
import java.util.function.LongSupplier;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.SetACLRequest;

/**
 * How long a write may be: as long as a client's request, and the entry of the transaction log that it makes as long as
 * every server can read back. The entry is larger than the request: in an access list scheme {@code auth} stands for
 * all identities of the client, however many they are. Safe for use by any thread.
 */
public final class TransactionSize {
    /** Header, digest, and what one transaction has besides its request. */
    private static final int ENTRY_BYTES = 128;

    /** What a transaction inside a multi has besides its request: parent's version, number of a sequential node. */
    private static final int OPERATION_BYTES = 16;

    private static final int LEAST_ACL_BYTES = 12;
    private static final String AUTH = "auth";

    private final LongSupplier agreedBytes;

    /** @param agreedBytes how long an entry every server has said that it can read back */
    public TransactionSize(LongSupplier agreedBytes) {
        this.agreedBytes = agreedBytes;
    }

    /** @return how long an entry of the transaction log may be at the moment, in bytes */
    public long maxEntryBytes() {
        return Math.min(TransactionLimit.BYTES, agreedBytes.getAsLong());
    }

    /**
     * @param identities of whoever writes, null for none
     * @param record of a write that decodes, null if it has none
     * @param payloadBytes length of the record
     * @return whether it is longer than a client's request, or its transaction may be too long to be read back from the
     *     transaction log
     */
    public boolean isTooLarge(List<Id> identities, Record record, int payloadBytes) {
        return payloadBytes > BinaryInputArchive.maxBuffer
                || isEntryTooLarge(identityBytes(identities), record, payloadBytes, maxEntryBytes());
    }

    private static boolean isEntryTooLarge(long identities, Record record, int payloadBytes, long most) {
        // Nearly always enough, and looks at no operation: none is shorter than an entry of an access list.
        long operations = payloadBytes / LEAST_ACL_BYTES + 1L;
        if (ENTRY_BYTES + payloadBytes + operations * (OPERATION_BYTES + identities) <= most) {
            return false;
        }
        long bytes = (long) ENTRY_BYTES + payloadBytes;
        if (record instanceof MultiOperationRecord multi) {
            for (Op op : multi) {
                bytes += OPERATION_BYTES + auths(op.toRequestRecord()) * identities;
            }
        } else {
            bytes += auths(record) * identities;
        }
        return bytes > most;
    }

    private static long identityBytes(List<Id> identities) {
        long bytes = 0;
        if (identities != null) {
            for (Id id : identities) {
                bytes += LEAST_ACL_BYTES + Lengths.utf8Bytes(id.getScheme()) + Lengths.utf8Bytes(id.getId());
            }
        }
        return bytes;
    }

    private static long auths(Record record) {
        List<ACL> acl = record instanceof CreateRequest create
                ? create.getAcl()
                : record instanceof CreateTTLRequest create
                        ? create.getAcl()
                        : record instanceof SetACLRequest set ? set.getAcl() : null;
        return acl == null
                ? 0
                : acl.stream()
                        .filter(entry -> entry.getId() != null
                                && AUTH.equals(entry.getId().getScheme()))
                        .count();
    }
}
