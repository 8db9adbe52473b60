package io.chainkeeper.server.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import java.nio.channels.SelectionKey;
import org.apache.zookeeper.server.NettyServerCnxn;
import org.apache.zookeeper.server.ServerCnxn;

/**
 * Keeps ZooKeeper's parser of a connection's requests from being entered while it runs, and a connection from being
 * read while it is throttled. Used by the I/O thread of the connection.
 *
 * <p>ZooKeeper throttles a connection with a request and lets it go on with an answer, each by an event. The second
 * event has the parser take up the bytes that were read meanwhile. When the I/O thread answers a request itself, the
 * parser has not returned from that request yet, and would put bytes of the next one behind it. So the event waits
 * until the parser has returned.
 *
 * <p>It is dropped if the connection has been throttled again by then: ZooKeeper would read on, and keep what it reads
 * without a bound. Another event comes when the connection may really go on.
 */
final class ReentrancyGuard extends ChannelInboundHandlerAdapter {
    /** Where ZooKeeper's factory keeps its connection. */
    private static final AttributeKey<ServerCnxn> CONNECTION = AttributeKey.valueOf("NettyServerCnxn");

    private boolean parsing;
    private Object waiting;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        parse(() -> context.fireChannelRead(message));
        if (waiting != null) {
            goOn(context, waiting);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (!isToGoOn(event)) {
            context.fireUserEventTriggered(event);
        } else if (parsing) {
            waiting = event;
        } else {
            goOn(context, event);
        }
    }

    /** An event that comes meanwhile has nothing to do: the parser stops only where the connection is throttled. */
    private void goOn(ChannelHandlerContext context, Object event) {
        waiting = null;
        ServerCnxn connection = context.channel().attr(CONNECTION).get();
        if (connection == null || connection.isStale() || isThrottled(connection)) {
            return;
        }
        parse(() -> context.fireUserEventTriggered(event));
        waiting = null;
        if (isThrottled(connection)) {
            // ZooKeeper's handler reads on, even if its parser has found the connection throttled again.
            context.channel().config().setAutoRead(false);
        }
    }

    private void parse(Runnable parser) {
        parsing = true;
        try {
            parser.run();
        } finally {
            parsing = false;
        }
    }

    /** ZooKeeper's type of these events is not public. */
    private static boolean isToGoOn(Object event) {
        return event instanceof Enum<?> value
                && value.getDeclaringClass().getEnclosingClass() == NettyServerCnxn.class
                && value.name().equals("ENABLE");
    }

    /** Only the connection's I/O thread makes it so. */
    private static boolean isThrottled(ServerCnxn connection) {
        return (connection.getInterestOps() & SelectionKey.OP_READ) == 0;
    }
}
