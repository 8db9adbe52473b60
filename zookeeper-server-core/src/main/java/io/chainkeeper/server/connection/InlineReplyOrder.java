package io.chainkeeper.server.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Keeps what is sent over a connection in the order in which it was handed over. What other threads hand over waits in
 * the I/O thread's queue; what that thread answers itself has to wait there behind it, or ZooKeeper's client would see
 * replies out of order, and new data before the watch event that announces it.
 */
final class InlineReplyOrder extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (InlineReplies.areRunning()) {
            context.executor().execute(() -> context.writeAndFlush(message, promise));
        } else {
            context.write(message, promise);
        }
    }
}
