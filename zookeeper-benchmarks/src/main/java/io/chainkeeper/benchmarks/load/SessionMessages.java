package io.chainkeeper.benchmarks.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;
import org.apache.zookeeper.ZooDefs.OpCode;

/** The messages of ZooKeeper's protocol that a session needs to begin, to come back, and to live. */
final class SessionMessages {
    private static final int PASSWORD_BYTES = 16;
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final int PROTOCOL_VERSION = 0;
    private static final int PING_XID = -2;
    private static final int CONNECT_BYTES =
            Integer.BYTES + Long.BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES + PASSWORD_BYTES + 1;

    private SessionMessages() {}

    /**
     * Who a session is, as its server says.
     *
     * @param id of the session; 0 for one that does not exist yet
     * @param password that proves it
     * @param timeoutMillis of the session; 0 or less if it has expired
     */
    record Identity(long id, byte[] password, int timeoutMillis) {
        static final Identity NEW = new Identity(0, new byte[PASSWORD_BYTES], TIMEOUT_MILLIS);

        @Override
        public boolean equals(Object other) {
            return other instanceof Identity that
                    && id == that.id
                    && timeoutMillis == that.timeoutMillis
                    && Arrays.equals(password, that.password);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(id);
        }

        @Override
        public String toString() {
            return "session 0x" + Long.toHexString(id);
        }
    }

    /** The first message of a connection, with its length. */
    static ByteBuf connect(ByteBufAllocator buffers, Identity identity) {
        return buffers.buffer(Integer.BYTES + CONNECT_BYTES)
                .writeInt(CONNECT_BYTES)
                .writeInt(PROTOCOL_VERSION)
                .writeLong(0)
                .writeInt(TIMEOUT_MILLIS)
                .writeLong(identity.id())
                .writeInt(PASSWORD_BYTES)
                .writeBytes(identity.password())
                .writeBoolean(false);
    }

    /** Reads the answer to {@link #connect}, without its length. */
    static Identity identity(ByteBuf frame) {
        frame.skipBytes(Integer.BYTES);
        int timeoutMillis = frame.readInt();
        long id = frame.readLong();
        byte[] password = new byte[frame.readInt()];
        frame.readBytes(password);
        return new Identity(id, password, timeoutMillis);
    }

    /** A sign of life, with its length. */
    static ByteBuf ping(ByteBufAllocator buffers) {
        return buffers.buffer(3 * Integer.BYTES)
                .writeInt(2 * Integer.BYTES)
                .writeInt(PING_XID)
                .writeInt(OpCode.ping);
    }
}
