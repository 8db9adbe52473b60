package io.chainkeeper.server.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxn;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes a connection that asks for no session within {@code zookeeper.nio.sessionlessCnxnTimeout} milliseconds. */
final class SessionlessTimeout extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(SessionlessTimeout.class);
    private static final int DEFAULT_MILLIS = 10_000;

    /** Where ZooKeeper's factory keeps its connection. */
    private static final AttributeKey<ServerCnxn> CONNECTION = AttributeKey.valueOf("NettyServerCnxn");

    @Override
    public void channelActive(ChannelHandlerContext context) {
        int timeoutMillis =
                Integer.getInteger(NIOServerCnxnFactory.ZOOKEEPER_NIO_SESSIONLESS_CNXN_TIMEOUT, DEFAULT_MILLIS);
        context.executor().schedule(() -> closeIfSessionless(context), timeoutMillis, TimeUnit.MILLISECONDS);
        context.fireChannelActive();
    }

    private static void closeIfSessionless(ChannelHandlerContext context) {
        ServerCnxn connection = context.channel().attr(CONNECTION).get();
        if (connection != null && connection.getSessionId() == 0) {
            LOG.info(
                    "Closing the connection of {}: it has asked for no session",
                    context.channel().remoteAddress());
            connection.close(ServerCnxn.DisconnectReason.CONNECTION_EXPIRED);
        }
    }
}
