package io.chainkeeper.transport;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** How sockets are served: by Linux's epoll where Netty has it, which costs less CPU than the JDK's selector. */
final class Sockets {
    private static final boolean EPOLL = Epoll.isAvailable();

    private Sockets() {}

    /** @return what the I/O thread waits with */
    static IoHandlerFactory ioHandler() {
        return EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    /** @return the kind of socket that listens */
    static Class<? extends ServerChannel> listening() {
        return EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /** @return the kind of socket that connects */
    static Class<? extends Channel> connecting() {
        return EPOLL ? EpollSocketChannel.class : NioSocketChannel.class;
    }
}
