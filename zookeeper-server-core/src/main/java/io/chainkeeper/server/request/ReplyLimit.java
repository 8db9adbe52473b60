package io.chainkeeper.server.request;

import io.chainkeeper.server.OrderedZooKeeperServer;
import java.io.IOException;
import java.util.Collection;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetEphemeralsRequest;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds replies that would be longer than {@code jute.maxbuffer} before they are made. A client closes its connection
 * when it meets one, connects again, asks again, and so on; here it gets an error instead. Any thread, but the size of
 * the reply to a read may be asked for only while execution is excluded.
 */
final class ReplyLimit {
    private static final Logger LOG = LoggerFactory.getLogger(ReplyLimit.class);

    private static final int REPLY_HEADER_BYTES = 16;
    private static final int LENGTH_BYTES = 4;
    private static final int STAT_BYTES = 68;
    private static final int MULTI_HEADER_BYTES = 9;
    private static final int ERROR_BYTES = 4;
    private static final int SEQUENCE_BYTES = 10;

    private final OrderedZooKeeperServer server;
    private final int maxReplyBytes;

    ReplyLimit(OrderedZooKeeperServer server) {
        this(server, BinaryInputArchive.maxBuffer);
    }

    ReplyLimit(OrderedZooKeeperServer server, int maxReplyBytes) {
        this.server = server;
        this.maxReplyBytes = maxReplyBytes;
    }

    /**
     * Finds out whether a read is to be answered with an error, and logs it.
     *
     * @param request the read
     * @return whether its reply would be too long, or the record does not decode: it can be decoded only once, later
     *     attempts give what the first one left
     */
    boolean refusesRead(Request request) {
        try {
            return switch (request.type) {
                case OpCode.getData -> {
                    GetDataRequest record = request.readRequestRecord(GetDataRequest::new);
                    yield refuses(request, record.getPath(), data(request, record.getPath()));
                }
                case OpCode.getChildren -> {
                    GetChildrenRequest record = request.readRequestRecord(GetChildrenRequest::new);
                    yield refuses(request, record.getPath(), children(request, record.getPath()));
                }
                case OpCode.getChildren2 -> {
                    GetChildren2Request record = request.readRequestRecord(GetChildren2Request::new);
                    yield refuses(request, record.getPath(), children(request, record.getPath()) + STAT_BYTES);
                }
                case OpCode.getEphemerals -> {
                    GetEphemeralsRequest record = request.readRequestRecord(GetEphemeralsRequest::new);
                    yield refuses(request, record.getPrefixPath(), ephemerals(request, record.getPrefixPath()));
                }
                case OpCode.multiRead -> refusesReads(request);
                default -> false;
            };
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "Session 0x{}: the record of {} does not decode: {}",
                    Long.toHexString(request.sessionId),
                    Request.op2String(request.type),
                    e.toString());
            return true;
        }
    }

    /**
     * Finds out whether a write is to be answered with an error instead of being ordered, and logs it.
     *
     * @param request the write
     * @param record its record, null if it has none
     * @return whether its reply would be too long
     */
    boolean refusesWrite(Request request, Record record) {
        if (record instanceof CreateRequest || record instanceof CreateTTLRequest) {
            return refuses(request, path(record), created(request.type, record));
        }
        if (!(record instanceof MultiOperationRecord multi)) {
            return false;
        }
        long bytes = MULTI_HEADER_BYTES;
        String first = null;
        for (Op op : multi) {
            first = first == null ? op.getPath() : first;
            bytes += MULTI_HEADER_BYTES;
            bytes += switch (op.getType()) {
                case OpCode.create, OpCode.create2, OpCode.createTTL, OpCode.createContainer ->
                    created(op.getType(), op.toRequestRecord());
                case OpCode.setData -> STAT_BYTES;
                default -> ERROR_BYTES;
            };
        }
        return refuses(request, first, bytes);
    }

    private boolean refuses(Request request, String path, long bodyBytes) {
        long bytes = REPLY_HEADER_BYTES + bodyBytes;
        if (bytes <= maxReplyBytes) {
            return false;
        }
        LOG.warn(
                "Session 0x{}: the reply to {} of {} would have {} bytes, jute.maxbuffer is {}: answering"
                        + " MARSHALLINGERROR; ask for less, or raise jute.maxbuffer at all servers and clients",
                Long.toHexString(request.sessionId),
                Request.op2String(request.type),
                path,
                bytes,
                maxReplyBytes);
        return true;
    }

    private boolean refusesReads(Request request) throws IOException {
        MultiOperationRecord reads = request.readRequestRecord(MultiOperationRecord::new);
        long bytes = MULTI_HEADER_BYTES;
        String first = null;
        for (Op op : reads) {
            first = first == null ? op.getPath() : first;
            long result =
                    op.getType() == OpCode.getData ? data(request, op.getPath()) : children(request, op.getPath());
            bytes += MULTI_HEADER_BYTES + Math.max(ERROR_BYTES, result);
        }
        return refuses(request, first, bytes);
    }

    /** Returns 0 where the answer is an error. */
    private long data(Request request, String path) {
        DataNode node = readable(request, path);
        byte[] data = node == null ? null : node.getData();
        return node == null ? 0 : LENGTH_BYTES + (data == null ? 0 : data.length) + STAT_BYTES;
    }

    /** Returns 0 where the answer is an error. */
    private long children(Request request, String path) {
        DataNode node = readable(request, path);
        return node == null ? 0 : strings(node.getChildren(), "");
    }

    private long ephemerals(Request request, String prefix) {
        String wanted = prefix == null || prefix.isBlank() || prefix.trim().equals("/") ? "" : prefix;
        return strings(server.getZKDatabase().getDataTree().getEphemerals(request.sessionId), wanted);
    }

    private DataNode readable(Request request, String path) {
        DataNode node = path == null ? null : server.getZKDatabase().getNode(path);
        if (node == null) {
            return null;
        }
        try {
            server.checkACL(
                    request.cnxn, server.getZKDatabase().aclForNode(node), Perms.READ, request.authInfo, path, null);
            return node;
        } catch (KeeperException.NoAuthException e) {
            return null;
        }
    }

    private static long strings(Collection<String> strings, String prefix) {
        long bytes = LENGTH_BYTES;
        for (String string : strings) {
            bytes += string.startsWith(prefix) ? LENGTH_BYTES + bytes(string) : 0;
        }
        return bytes;
    }

    /** As ZooKeeper's archive writes it: each half of a surrogate pair for itself. */
    private static long bytes(String string) {
        long bytes = 0;
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
        }
        return bytes;
    }

    private static String path(Record record) {
        return record instanceof CreateRequest create ? create.getPath() : ((CreateTTLRequest) record).getPath();
    }

    private static long created(int type, Record record) {
        String path = path(record);
        int flags = record instanceof CreateRequest create ? create.getFlags() : ((CreateTTLRequest) record).getFlags();
        boolean sequential = CreateMode.fromFlag(flags, CreateMode.PERSISTENT).isSequential();
        return LENGTH_BYTES
                + (path == null ? 0 : bytes(path))
                + (sequential ? SEQUENCE_BYTES : 0)
                + (type == OpCode.create ? 0 : STAT_BYTES);
    }
}
