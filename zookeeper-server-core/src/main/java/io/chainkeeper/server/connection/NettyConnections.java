package io.chainkeeper.server.connection;

import io.chainkeeper.replica.WakeupBatch;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.AttributeKey;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What ZooKeeper's Netty connection factory lacks beside its default one. Answers leave in the order in which they were
 * given, and together if they are ready together. A client whose bytes have broken its connection is named, in one
 * line; ZooKeeper writes "Exception caught" with a stack trace, from which nobody can tell who it was. A connection
 * that asks for no session is closed after {@code zookeeper.nio.sessionlessCnxnTimeout}, one that sends an empty frame
 * at once. And a leader's {@code stat} and {@code srvr} end as those of ZooKeeper's leader.
 */
public final class NettyConnections extends ChannelInitializer<Channel> {
    private static final Logger LOG = LoggerFactory.getLogger(NettyConnections.class);
    private static final String LAST_HANDLER = "servercnxnfactory";
    private static final int MAX_ANSWERS_PER_FLUSH = 256;
    private static final int SESSIONLESS_MILLIS = 10_000;

    private final ServerCnxnFactory factory;
    private final ChannelHandler original;

    private NettyConnections(ServerCnxnFactory factory, ChannelHandler original) {
        this.factory = factory;
        this.original = original;
    }

    /** @param factory any, which does not listen yet; those that are not ZooKeeper's for Netty are left as they are */
    public static void install(ServerCnxnFactory factory) {
        if (factory instanceof NettyServerCnxnFactory) {
            ServerBootstrap bootstrap = bootstrapOf(factory);
            bootstrap.childHandler(
                    new NettyConnections(factory, bootstrap.config().childHandler()));
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
        pipeline.addBefore(LAST_HANDLER, "manners", new Manners(factory));
        pipeline.addBefore(LAST_HANDLER, "answersInTurn", new AnswersInTurn());
        AnswerBatches.install(pipeline);
    }

    private static final class Manners extends ChannelDuplexHandler {
        private static final AttributeKey<ServerCnxn> CONNECTION = AttributeKey.valueOf("NettyServerCnxn");

        private final ServerCnxnFactory factory;

        private Manners(ServerCnxnFactory factory) {
            this.factory = factory;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            int timeoutMillis =
                    Integer.getInteger(NIOServerCnxnFactory.ZOOKEEPER_NIO_SESSIONLESS_CNXN_TIMEOUT, SESSIONLESS_MILLIS);
            context.executor().schedule(() -> closeIfSessionless(context), timeoutMillis, TimeUnit.MILLISECONDS);
            context.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            WakeupBatch.run(() -> context.fireChannelRead(message));
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

        /** ZooKeeper closes by writing nothing; here, by the thread that has answered a four-letter word. */
        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ZooKeeperServer server = factory.getZooKeeperServer();
            if (message == Unpooled.EMPTY_BUFFER
                    && server != null
                    && server.serverStats() instanceof OrderedServerStats stats) {
                String line = stats.takeLastLine();
                if (line != null) {
                    byte[] text = (line + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
                    ByteBuf end = Unpooled.wrappedBuffer(text);
                    context.write(end);
                }
            }
            context.write(message, promise);
        }

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
