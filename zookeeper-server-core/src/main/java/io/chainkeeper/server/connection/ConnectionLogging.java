package io.chainkeeper.server.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names the client whose bytes have broken its connection, in one line. ZooKeeper writes "Exception caught" with a
 * stack trace, from which nobody can tell who it was. Stands behind the handlers that read.
 */
final class ConnectionLogging extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLogging.class);

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.warn(
                "Closing the connection of {}: {}",
                context.channel().remoteAddress(),
                String.valueOf(cause).replaceAll("\\p{Cntrl}+", " "));
        context.close();
    }
}
