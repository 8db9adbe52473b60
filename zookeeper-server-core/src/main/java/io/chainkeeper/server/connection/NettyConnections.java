package io.chainkeeper.server.connection;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.concurrent.EventExecutorGroup;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;

/**
 * What ZooKeeper's Netty connection factory lacks beside its default one, as handlers of each connection: {@link
 * InlineReplyOrder} and {@link ReplyBatcher} for replies, {@link ConnectionLogging}, {@link SessionlessTimeout}, {@link
 * EmptyFrames}, {@link StatisticsEnding}, {@link RequestBatching}, {@link ReentrancyGuard}.
 */
public final class NettyConnections extends ChannelInitializer<Channel> {
    private static final String LAST_HANDLER = "servercnxnfactory";
    private static final int MAX_ANSWERS_PER_FLUSH = 256;

    private final ServerCnxnFactory factory;
    private final ReplyBatch replies;
    private final ChannelHandler original;

    private NettyConnections(ServerCnxnFactory factory, ReplyBatch replies, ChannelHandler original) {
        this.factory = factory;
        this.replies = replies;
        this.original = original;
    }

    /**
     * @param factory any, which does not listen yet; those that are not ZooKeeper's for Netty are left as they are
     * @param replies what the apply thread's answers to its clients are collected in
     */
    public static void install(ServerCnxnFactory factory, ReplyBatch replies) {
        if (factory instanceof NettyServerCnxnFactory) {
            ServerBootstrap bootstrap = bootstrapOf(factory);
            bootstrap.childHandler(
                    new NettyConnections(factory, replies, bootstrap.config().childHandler()));
        }
    }

    /**
     * Listens at another address than before, or again. ZooKeeper's own method binds the new address first, which
     * cannot work if the port stays the same, and closes the old one in any case.
     *
     * @param factory ZooKeeper's for Netty
     * @throws IOException if the address cannot be bound; clients cannot connect then
     */
    public static void listenAt(ServerCnxnFactory factory, InetSocketAddress address) throws IOException {
        try {
            Field listening = field("parentChannel");
            Channel old = (Channel) listening.get(factory);
            if (old != null) {
                old.close().awaitUninterruptibly();
            }
            ChannelFuture bound = bootstrapOf(factory).bind(address).awaitUninterruptibly();
            if (!bound.isSuccess()) {
                throw new IOException("cannot be bound: " + bound.cause().getMessage(), bound.cause());
            }
            listening.set(factory, bound.channel());
            field("localAddress").set(factory, bound.channel().localAddress());
        } catch (ReflectiveOperationException e) {
            throw unknownRelease(e);
        }
    }

    /**
     * For programs that keep servers for their tests.
     *
     * @param factory ZooKeeper's for Netty, which listens
     * @return what it runs on
     */
    public static ClientLoops loops(ServerCnxnFactory factory) {
        try {
            ServerBootstrap bootstrap = bootstrapOf(factory);
            ChannelGroup connections = (ChannelGroup) field("allChannels").get(factory);
            Field teller = DefaultChannelGroup.class.getDeclaredField("executor");
            teller.setAccessible(true);
            return new ClientLoops(
                    (Channel) field("parentChannel").get(factory),
                    connections,
                    bootstrap.config().group(),
                    bootstrap.config().childGroup(),
                    (EventExecutorGroup) teller.get(connections));
        } catch (ReflectiveOperationException e) {
            throw unknownRelease(e);
        }
    }

    private static ServerBootstrap bootstrapOf(ServerCnxnFactory factory) {
        try {
            return (ServerBootstrap) field("bootstrap").get(factory);
        } catch (ReflectiveOperationException e) {
            throw unknownRelease(e);
        }
    }

    private static Field field(String name) throws ReflectiveOperationException {
        Field field = NettyServerCnxnFactory.class.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    private static IllegalStateException unknownRelease(ReflectiveOperationException e) {
        return new IllegalStateException("this release of ZooKeeper listens in another way: " + e, e);
    }

    @Override
    protected void initChannel(Channel channel) {
        ChannelPipeline pipeline = channel.pipeline();
        pipeline.addLast(original);
        // Behind TLS, as the bytes go: one record then holds many answers.
        pipeline.addBefore(LAST_HANDLER, "flushes", new FlushConsolidationHandler(MAX_ANSWERS_PER_FLUSH, true));
        pipeline.addBefore(LAST_HANDLER, "emptyFrames", new EmptyFrames());
        pipeline.addBefore(LAST_HANDLER, "requestBatching", new RequestBatching());
        pipeline.addBefore(LAST_HANDLER, "statisticsEnding", new StatisticsEnding(factory));
        pipeline.addBefore(LAST_HANDLER, "sessionlessTimeout", new SessionlessTimeout());
        pipeline.addBefore(LAST_HANDLER, "connectionLogging", new ConnectionLogging());
        pipeline.addBefore(LAST_HANDLER, "inlineReplyOrder", new InlineReplyOrder());
        pipeline.addBefore(LAST_HANDLER, "reentrancyGuard", new ReentrancyGuard());
        ReplyBatcher.install(pipeline, replies);
    }
}
