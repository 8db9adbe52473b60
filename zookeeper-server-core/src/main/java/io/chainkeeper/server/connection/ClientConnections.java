package io.chainkeeper.server.connection;

import io.chainkeeper.server.guard.ReplyMemory;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.jute.BinaryInputArchive;
import org.apache.zookeeper.server.NIOServerCnxn;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which of ZooKeeper's two connection factories serves clients, and its NIO one, except that a connection which is
 * closed because of what came over it is logged with the address of its client, in one line. (ZooKeeper's own line
 * names a session or nobody, and has a stack trace; {@code conf/logback.xml} leaves it out.) And a leader's
 * {@code stat} and {@code srvr} end as those of ZooKeeper's leader.
 */
public final class ClientConnections extends NIOServerCnxnFactory {
    private static final Logger LOG = LoggerFactory.getLogger(ClientConnections.class);

    /**
     * Makes Netty's connection factory the one that serves clients, unless the configuration names one; this class
     * stands in for ZooKeeper's NIO one. After the configuration has been parsed. NIO reads one request in each round
     * of its selector and wakes two threads for it; Netty reads all that have come and answers them together, which
     * takes half the processor time per operation (docs/performance.md).
     */
    public static void choose() {
        String property = ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY;
        String asked = System.getProperty(property);
        if (asked == null) {
            System.setProperty(property, NettyServerCnxnFactory.class.getName());
        } else if (asked.equals(NIOServerCnxnFactory.class.getName())) {
            System.setProperty(property, ClientConnections.class.getName());
        }
    }

    /**
     * Has this class and ZooKeeper's loaded, if they are not yet. ZooKeeper's takes the uncaught-exception handler of
     * all threads then, and reads settings, so zoo.cfg must have been parsed.
     */
    public static void load() {
        LOG.trace("Loaded");
    }

    /**
     * Closes every connection of a factory that serves clients, behind what it has been answered so far. Safe for use
     * by any thread.
     *
     * @param factory any, null if there is none
     */
    public static void closeAll(ServerCnxnFactory factory) {
        if (factory instanceof ClientConnections connections) {
            connections.closeBehindAnswers();
        } else if (factory != null) {
            factory.closeAll(ServerCnxn.DisconnectReason.SERVER_SHUTDOWN);
        }
    }

    /**
     * Closes every connection once what it has been answered so far is with the system, as Netty's factory does: a
     * client must learn what became of the {@code reconfig} that has removed its server. Nothing is sent behind that. A
     * client that does not take its answers is closed with its next request, or when its session's timeout has passed
     * without a sign of life. Safe for use by any thread.
     */
    private void closeBehindAnswers() {
        getConnections().forEach(ServerCnxn::sendCloseSession);
    }

    @Override
    protected NIOServerCnxn createConnection(SocketChannel socket, SelectionKey key, SelectorThread selector)
            throws IOException {
        return new Connection(zkServer, socket, key, this, selector);
    }

    private static final class Connection extends NIOServerCnxn {
        private static final long ALL = Long.MAX_VALUE;

        private final AtomicLong queuedPackets = new AtomicLong();

        /** {@link #ALL} when no more will be. */
        private final AtomicLong writtenPackets = new AtomicLong();

        Connection(
                ZooKeeperServer server,
                SocketChannel socket,
                SelectionKey key,
                NIOServerCnxnFactory factory,
                SelectorThread selector)
                throws IOException {
            super(server, socket, key, factory, selector);
        }

        @Override
        public void sendBuffer(ByteBuffer... buffers) {
            int bytes = buffers[buffers.length - 1].remaining();
            long number = queuedPackets.incrementAndGet();
            super.sendBuffer(buffers);
            if (bytes > ReplyMemory.LONG_REPLY_BYTES) {
                // Not of this connection, which has its server: it may be long until the process asks.
                AtomicLong written = writtenPackets;
                ReplyMemory.OF_PROCESS.sent(bytes, () -> written.get() >= number);
            }
        }

        @Override
        public void setStale() {
            super.setStale();
            writtenPackets.set(ALL);
        }

        /** Called when the system has the last byte of a packet. */
        @Override
        protected void packetSent() {
            super.packetSent();
            writtenPackets.updateAndGet(written -> written == ALL ? ALL : written + 1);
        }

        /** Called at the end of each four-letter word, by the thread that has answered it. */
        @Override
        public void cleanupWriterSocket(PrintWriter writer) {
            if (serverStats() instanceof OrderedServerStats stats) {
                String line = stats.pollLastLine();
                if (line != null) {
                    writer.println(line);
                }
            }
            super.cleanupWriterSocket(writer);
        }

        @Override
        public void close(DisconnectReason reason) {
            if (!isStale()) {
                log(reason);
            }
            super.close(reason);
        }

        private void log(DisconnectReason reason) {
            switch (reason) {
                case IO_EXCEPTION, IO_EXCEPTION_IN_SESSION_INIT ->
                    LOG.warn(
                            "Closing the connection of {} (session 0x{}): it broke, or what it sent is no request or"
                                    + " longer than {} bytes (jute.maxbuffer)",
                            getRemoteSocketAddress(),
                            Long.toHexString(getSessionId()),
                            BinaryInputArchive.maxBuffer);
                case UNABLE_TO_READ_FROM_CLIENT, CLIENT_CNX_LIMIT, CANCELLED_KEY_EXCEPTION, CONNECTION_EXPIRED ->
                    LOG.info(
                            "Closing the connection of {} (session 0x{}): {}",
                            getRemoteSocketAddress(),
                            Long.toHexString(getSessionId()),
                            reason.toDisconnectReasonString());
                default -> LOG.debug("Closing the connection of {}: {}", getRemoteSocketAddress(), reason);
            }
        }
    }
}
