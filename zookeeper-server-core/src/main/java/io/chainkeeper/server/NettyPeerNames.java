package io.chainkeeper.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.lang.reflect.Field;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names the client whose bytes have broken its connection, in one line. ZooKeeper's Netty connection factory writes
 * "Exception caught" with a stack trace, from which nobody can tell who it was.
 */
final class NettyPeerNames extends ChannelInitializer<Channel> {
    private static final Logger LOG = LoggerFactory.getLogger(NettyPeerNames.class);
    private static final String LAST_HANDLER = "servercnxnfactory";

    private final ChannelHandler original;

    private NettyPeerNames(ChannelHandler original) {
        this.original = original;
    }

    /** @param factory any, which does not listen yet; those that are not ZooKeeper's for Netty are left as they are */
    static void install(ServerCnxnFactory factory) {
        if (factory instanceof NettyServerCnxnFactory) {
            ServerBootstrap bootstrap = bootstrapOf(factory);
            bootstrap.childHandler(new NettyPeerNames(bootstrap.config().childHandler()));
        }
    }

    private static ServerBootstrap bootstrapOf(ServerCnxnFactory factory) {
        try {
            Field field = NettyServerCnxnFactory.class.getDeclaredField("bootstrap");
            field.setAccessible(true);
            return (ServerBootstrap) field.get(factory);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this release of ZooKeeper listens in another way: " + e, e);
        }
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline().addLast(original);
        channel.pipeline().addBefore(LAST_HANDLER, "peerNames", new Namer());
    }

    private static final class Namer extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.warn(
                    "Closing the connection of {}: {}",
                    context.channel().remoteAddress(),
                    String.valueOf(cause).replaceAll("\\p{Cntrl}+", " "));
            context.close();
        }
    }
}
