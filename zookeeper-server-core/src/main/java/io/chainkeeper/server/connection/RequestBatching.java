package io.chainkeeper.server.connection;

import io.chainkeeper.replica.WakeupBatch;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Proposes the requests that one read of a connection has brought together, so that they wake others once. */
final class RequestBatching extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        WakeupBatch.run(() -> context.fireChannelRead(message));
    }
}
