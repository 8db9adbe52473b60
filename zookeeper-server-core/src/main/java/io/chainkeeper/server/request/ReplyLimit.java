package io.chainkeeper.server.request;

import io.chainkeeper.server.guard.Lengths;
import io.chainkeeper.server.guard.ReplyMemory;
import io.chainkeeper.server.zookeeper.LocalRefusal;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.util.Collection;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
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
 * Finds replies before they are made for which there is no memory. As with ZooKeeper they may be longer than {@code
 * jute.maxbuffer}: that is the business of the client, which may have a larger one. Any thread, but the size of the
 * reply to a read may be asked for only while execution is excluded.
 */
final class ReplyLimit {
    private static final Logger LOG = LoggerFactory.getLogger(ReplyLimit.class);

    /** So many replies of the largest data are too few to be looked at: more fit. */
    private static final int DATA_REPLIES = 64;

    /** Headers, lengths and Stat of one result. */
    private static final int REPLY_BYTES = 128;

    private static final int LENGTH_BYTES = 4;
    private static final int STAT_BYTES = 68;
    private static final int MULTI_HEADER_BYTES = 9;
    private static final int ERROR_BYTES = 4;
    private static final int SEQUENCE_BYTES = 10;

    private static final long DOES_NOT_DECODE = -1;

    private final OrderedZooKeeperServer server;
    private final ReplyMemory memory;

    /** Whether a reply to getData can be long enough to be counted for anything: what it holds came in a request. */
    private final boolean countsData;

    ReplyLimit(OrderedZooKeeperServer server, ReplyMemory memory) {
        this.server = server;
        this.memory = memory;
        this.countsData = BinaryInputArchive.maxBuffer > memory.maxBytes() / DATA_REPLIES;
    }

    /**
     * Reserves memory for the reply to a read, or marks the request as refused and logs why.
     *
     * @param request the read
     * @return bytes to give back to {@link #release} when the reply has been handed to the connection
     */
    long reserve(Request request) {
        long bytes = lengthOfLongReply(request);
        if (bytes == DOES_NOT_DECODE) {
            // It can be decoded only once, later attempts give what the first one left.
            LocalRefusal.mark(request, new KeeperException.MarshallingErrorException());
            return 0;
        }
        if (bytes <= ReplyMemory.LONG_REPLY_BYTES || memory.reserve(bytes)) {
            return bytes <= ReplyMemory.LONG_REPLY_BYTES ? 0 : bytes;
        }
        boolean never = bytes > memory.maxBytes();
        LOG.warn(
                "Session 0x{}: the reply to {} of {} would have {} bytes, and {}: answering {}",
                Long.toHexString(request.sessionId),
                Request.op2String(request.type),
                path(request),
                bytes,
                never
                        ? "replies may have " + memory.maxBytes() + ", an eighth of the heap; ask for less, or set"
                                + " ZK_SERVER_HEAP to more"
                        : "with what other clients have not taken yet that is more than " + memory.maxBytes()
                                + ", an eighth of the heap; it may be asked for again",
                never ? Code.MARSHALLINGERROR : Code.THROTTLEDOP);
        LocalRefusal.mark(
                request,
                never ? new KeeperException.MarshallingErrorException() : KeeperException.create(Code.THROTTLEDOP));
        return 0;
    }

    /** @param bytes what {@link #reserve} has given */
    void release(long bytes) {
        if (bytes != 0) {
            memory.release(bytes);
        }
    }

    private long lengthOfLongReply(Request request) {
        try {
            return switch (request.type) {
                case OpCode.getData ->
                    countsData
                            ? data(
                                    request,
                                    request.readRequestRecord(GetDataRequest::new)
                                            .getPath())
                            : 0;
                case OpCode.getChildren ->
                    children(
                            request,
                            request.readRequestRecord(GetChildrenRequest::new).getPath());
                case OpCode.getChildren2 ->
                    children(
                            request,
                            request.readRequestRecord(GetChildren2Request::new).getPath());
                case OpCode.getEphemerals ->
                    ephemerals(
                            request,
                            request.readRequestRecord(GetEphemeralsRequest::new).getPrefixPath());
                case OpCode.multiRead -> reads(request);
                default -> 0;
            };
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "Session 0x{}: the record of {} does not decode: {}",
                    Long.toHexString(request.sessionId),
                    Request.op2String(request.type),
                    e.toString());
            return DOES_NOT_DECODE;
        }
    }

    /**
     * Finds out whether a write is to be answered with an error instead of being ordered, and logs it: there would
     * never be memory for its reply.
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
        long bytes = 0;
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
        long bytes = REPLY_BYTES + bodyBytes;
        if (bytes <= memory.maxBytes()) {
            return false;
        }
        LOG.warn(
                "Session 0x{}: the reply to {} of {} would have {} bytes, replies may have {}, an eighth of the heap:"
                        + " answering MARSHALLINGERROR; ask for less, or set ZK_SERVER_HEAP to more",
                Long.toHexString(request.sessionId),
                Request.op2String(request.type),
                path,
                bytes,
                memory.maxBytes());
        return true;
    }

    private long reads(Request request) throws IOException {
        long bytes = REPLY_BYTES;
        for (Op op : request.readRequestRecord(MultiOperationRecord::new)) {
            bytes += op.getType() == OpCode.getData ? data(request, op.getPath()) : children(request, op.getPath());
        }
        return bytes;
    }

    private long data(Request request, String path) {
        DataNode node = path == null ? null : server.getZKDatabase().getNode(path);
        byte[] data = node == null ? null : node.getData();
        return data == null ? REPLY_BYTES : REPLY_BYTES + ifReadable(request, path, node, data.length);
    }

    private long children(Request request, String path) {
        DataNode node = path == null ? null : server.getZKDatabase().getNode(path);
        return node == null
                ? REPLY_BYTES
                : REPLY_BYTES + ifReadable(request, path, node, strings(node.getChildren(), ""));
    }

    private long ephemerals(Request request, String prefix) {
        String wanted = prefix == null || prefix.isBlank() || prefix.trim().equals("/") ? "" : prefix;
        return strings(server.getZKDatabase().getDataTree().getEphemerals(request.sessionId), wanted);
    }

    /** Who may not read gets an error, which is short. ZooKeeper asks again, so only long replies are worth asking. */
    private long ifReadable(Request request, String path, DataNode node, long bytes) {
        if (bytes <= ReplyMemory.LONG_REPLY_BYTES / 2) {
            return bytes;
        }
        try {
            server.checkACL(
                    request.cnxn, server.getZKDatabase().aclForNode(node), Perms.READ, request.authInfo, path, null);
            return bytes;
        } catch (KeeperException.NoAuthException e) {
            return 0;
        }
    }

    private static long strings(Collection<String> strings, String prefix) {
        long bytes = LENGTH_BYTES;
        for (String string : strings) {
            bytes += string.startsWith(prefix) ? LENGTH_BYTES + Lengths.utf8Bytes(string) : 0;
        }
        return bytes;
    }

    private static String path(Request read) {
        try {
            return switch (read.type) {
                case OpCode.getData ->
                    read.readRequestRecord(GetDataRequest::new).getPath();
                case OpCode.getChildren ->
                    read.readRequestRecord(GetChildrenRequest::new).getPath();
                case OpCode.getChildren2 ->
                    read.readRequestRecord(GetChildren2Request::new).getPath();
                case OpCode.getEphemerals ->
                    read.readRequestRecord(GetEphemeralsRequest::new).getPrefixPath();
                default ->
                    read.readRequestRecord(MultiOperationRecord::new)
                            .iterator()
                            .next()
                            .getPath();
            };
        } catch (IOException e) {
            throw new IllegalStateException("a request that decoded before does not decode any more: " + read, e);
        }
    }

    private static String path(Record record) {
        return record instanceof CreateRequest create ? create.getPath() : ((CreateTTLRequest) record).getPath();
    }

    private static long created(int type, Record record) {
        String path = path(record);
        int flags = record instanceof CreateRequest create ? create.getFlags() : ((CreateTTLRequest) record).getFlags();
        boolean sequential = CreateMode.fromFlag(flags, CreateMode.PERSISTENT).isSequential();
        return LENGTH_BYTES
                + Lengths.utf8Bytes(path)
                + (sequential ? SEQUENCE_BYTES : 0)
                + (type == OpCode.create ? 0 : STAT_BYTES);
    }
}
