package io.chainkeeper.server.admin;

import io.chainkeeper.server.admin.TreeDifference.Access;
import io.chainkeeper.server.admin.TreeDifference.Passing;
import io.chainkeeper.server.guard.TransactionSize;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.SetACLRequest;

/**
 * The requests that carry out a difference. Small operations travel together, no longer than a request may be; a larger
 * one has a request of its own, as a client has sent it. A node that is too long to be created with all that it holds,
 * because its clients have set data and access list one after the other, is created empty and then set. Used by one
 * thread.
 */
final class RestorePlan {
    /** In whose name all is done. */
    static final List<Id> IDENTITIES = List.of(new Id("super", "restore"));

    private static final int MAX_BATCH_BYTES = 1 << 17;
    private static final int MAX_BATCH_OPERATIONS = 500;

    /** More than what an operation adds to a multi, and to its transaction, besides its record. */
    private static final int OPERATION_BYTES = 256;

    private static final byte[] NO_DATA = {};

    private final TransactionSize sizes;
    private final long maxBatchBytes;
    private final List<Step> steps = new ArrayList<>();
    private List<Op> batch = new ArrayList<>();
    private long batchBytes;

    /**
     * One request.
     *
     * @param opcode its operation
     * @param request its record
     * @param times how often it is to be ordered
     * @param path of its first node
     */
    record Step(int opcode, Record request, long times, String path) {}

    private RestorePlan(TransactionSize sizes) {
        this.sizes = sizes;
        this.maxBatchBytes = Math.min(MAX_BATCH_BYTES, Math.min(BinaryInputArchive.maxBuffer, sizes.maxEntryBytes()));
    }

    /**
     * @param difference to be carried out
     * @param sizes how long a request may be
     * @return what is to be ordered, one after the other; those that cannot be shorter may be too long
     */
    static List<Step> of(TreeDifference difference, TransactionSize sizes) throws IOException {
        RestorePlan plan = new RestorePlan(sizes);
        for (Op operation : difference.operations()) {
            plan.add(operation);
        }
        plan.endBatch();
        for (Access access : difference.accesses()) {
            SetACLRequest request = new SetACLRequest(access.path(), access.acl(), -1);
            plan.steps.add(new Step(OpCode.setACL, request, 1, access.path()));
        }
        for (Passing passing : difference.passing()) {
            plan.count(passing);
        }
        return plan.steps;
    }

    /** @return length of a record */
    static int bytesOf(Record record) throws IOException {
        DataOutputStream counted = new DataOutputStream(OutputStream.nullOutputStream());
        record.serialize(BinaryOutputArchive.getArchive(counted), "request");
        return counted.size();
    }

    private void add(Op operation) throws IOException {
        Record record = operation.toRequestRecord();
        int bytes = bytesOf(record);
        if (bytes + OPERATION_BYTES > maxBatchBytes) {
            endBatch();
            addAlone(operation, record, bytes);
            return;
        }
        if (batchBytes + bytes + OPERATION_BYTES > maxBatchBytes || batch.size() == MAX_BATCH_OPERATIONS) {
            endBatch();
        }
        batch.add(operation);
        batchBytes += bytes + OPERATION_BYTES;
    }

    private void endBatch() {
        if (!batch.isEmpty()) {
            steps.add(multi(batch, 1));
            batch = new ArrayList<>();
            batchBytes = 0;
        }
    }

    private static Step multi(List<Op> operations, long times) {
        return new Step(
                OpCode.multi,
                new MultiOperationRecord(operations),
                times,
                operations.get(0).getPath());
    }

    private void addAlone(Op operation, Record record, int bytes) throws IOException {
        byte[] data = dataOfCreation(record);
        if (data.length > 0 && sizes.isTooLarge(IDENTITIES, record, bytes)) {
            add(withoutData(record));
            add(Op.setData(operation.getPath(), data, -1));
        } else {
            steps.add(new Step(operation.getType(), record, 1, operation.getPath()));
        }
    }

    private static byte[] dataOfCreation(Record record) {
        byte[] data = record instanceof CreateRequest create
                ? create.getData()
                : record instanceof CreateTTLRequest lasting ? lasting.getData() : null;
        return data == null ? NO_DATA : data;
    }

    private static Op withoutData(Record record) {
        if (record instanceof CreateTTLRequest lasting) {
            return Op.create(
                    lasting.getPath(), NO_DATA, lasting.getAcl(), CreateMode.PERSISTENT_WITH_TTL, lasting.getTtl());
        }
        CreateRequest create = (CreateRequest) record;
        return Op.create(create.getPath(), NO_DATA, create.getAcl(), create.getFlags());
    }

    private void count(Passing passing) throws IOException {
        List<Op> pair = List.of(
                Op.create(passing.path(), NO_DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                Op.delete(passing.path(), -1));
        long bytes = 0;
        for (Op operation : pair) {
            bytes += bytesOf(operation.toRequestRecord()) + OPERATION_BYTES;
        }
        long together = Math.max(1, Math.min(MAX_BATCH_OPERATIONS / pair.size(), maxBatchBytes / bytes));
        addRepeated(pair, together, passing.times() / together);
        addRepeated(pair, passing.times() % together, 1);
    }

    private void addRepeated(List<Op> pair, long together, long times) {
        List<Op> operations = new ArrayList<>();
        for (long i = 0; i < together; i++) {
            operations.addAll(pair);
        }
        if (together > 0 && times > 0) {
            steps.add(multi(operations, times));
        }
    }
}
