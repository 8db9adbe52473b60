package io.chainkeeper.server.connection;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** Ends a leader's {@code stat} and {@code srvr} with the line that those of ZooKeeper's leader end with. */
final class StatisticsEnding extends ChannelOutboundHandlerAdapter {
    private final ServerCnxnFactory factory;

    /** @param factory knows the server */
    StatisticsEnding(ServerCnxnFactory factory) {
        this.factory = factory;
    }

    /** ZooKeeper closes by writing nothing; here, by the thread that has answered a four-letter word. */
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        ZooKeeperServer server = factory.getZooKeeperServer();
        if (message == Unpooled.EMPTY_BUFFER
                && server != null
                && server.serverStats() instanceof OrderedServerStats stats) {
            String line = stats.pollLastLine();
            if (line != null) {
                byte[] text = (line + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
                context.write(Unpooled.wrappedBuffer(text));
            }
        }
        context.write(message, promise);
    }
}
