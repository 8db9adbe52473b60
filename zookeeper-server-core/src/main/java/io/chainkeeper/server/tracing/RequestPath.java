package io.chainkeeper.server.tracing;

import io.chainkeeper.ordering.ByteSlice;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.ZooDefs.OpCode;

/** Finds the path of a request in its bytes, for people to read. Stateless. */
final class RequestPath {
    /** In place of the path of a request that is about none. */
    static final String NONE = "-";

    private static final int MAX_LENGTH = 200;

    /** The type, whether it is the last one, and an error. */
    private static final int MULTI_HEADER_BYTES = Integer.BYTES + 1 + Integer.BYTES;

    private RequestPath() {}

    /**
     * @param type operation code
     * @param payload the request's record, null if there is none; may be malformed
     * @return its path, of a multi that of the first operation; shortened, and without control characters
     */
    static String of(int type, ByteSlice payload) {
        if (payload == null || !hasPath(type)) {
            return NONE;
        }
        ByteBuffer bytes = payload.asByteBuffer();
        int skipped = type == OpCode.multi || type == OpCode.multiRead ? MULTI_HEADER_BYTES : 0;
        if (bytes.remaining() < skipped + Integer.BYTES) {
            return NONE;
        }
        bytes.position(bytes.position() + skipped);
        int length = bytes.getInt();
        if (length < 0 || length > bytes.remaining()) {
            return NONE;
        }
        byte[] text = new byte[Math.min(length, MAX_LENGTH)];
        bytes.get(text);
        String path = new String(text, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
        return length > MAX_LENGTH ? path + "..." : path;
    }

    private static boolean hasPath(int type) {
        return switch (type) {
            case OpCode.create,
                    OpCode.create2,
                    OpCode.createTTL,
                    OpCode.createContainer,
                    OpCode.delete,
                    OpCode.deleteContainer,
                    OpCode.exists,
                    OpCode.getData,
                    OpCode.setData,
                    OpCode.getACL,
                    OpCode.setACL,
                    OpCode.getChildren,
                    OpCode.getChildren2,
                    OpCode.getAllChildrenNumber,
                    OpCode.getEphemerals,
                    OpCode.sync,
                    OpCode.multi,
                    OpCode.multiRead,
                    OpCode.checkWatches,
                    OpCode.removeWatches,
                    OpCode.addWatch -> true;
            default -> false;
        };
    }
}
