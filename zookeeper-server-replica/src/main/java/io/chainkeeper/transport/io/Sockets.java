package io.chainkeeper.transport.io;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** How sockets are served: by Linux's epoll where Netty has it, which costs less CPU than the JDK's selector. */
public final class Sockets {
    private static final boolean EPOLL = Epoll.isAvailable();
    private static final WriteBufferWaterMark WATER_MARKS =
            new WriteBufferWaterMark(2 * FrameWriter.CHUNK_BYTES, 4 * FrameWriter.CHUNK_BYTES);

    private Sockets() {}

    /** An option that accepted and opened sockets have in common. */
    public interface OptionSetter {
        /**
         * @param option which
         * @param value its value
         * @param <T> type of the value
         */
        <T> void set(ChannelOption<T> option, T value);
    }

    /** @return what the I/O thread waits with */
    public static IoHandlerFactory ioHandler() {
        return EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    /** @return the kind of socket that listens */
    public static Class<? extends ServerChannel> listening() {
        return EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /** @return the kind of socket that connects */
    public static Class<? extends Channel> connecting() {
        return EPOLL ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /** @param setter takes the options of the socket between two replicas */
    public static void setOptions(OptionSetter setter) {
        setter.set(ChannelOption.TCP_NODELAY, true);
        setter.set(ChannelOption.SO_KEEPALIVE, true);
        setter.set(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARKS);
    }
}
