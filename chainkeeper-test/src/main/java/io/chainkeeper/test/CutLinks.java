package io.chainkeeper.test;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which servers one server reaches: connections that it has opened to others are closed when they are cut off, and new
 * ones fail. Each connection is opened by one of the two, so both have to be told. Safe for use by any thread.
 */
final class CutLinks {
    private final Map<Channel, Integer> open = new HashMap<>();
    private final Set<Integer> cutPorts = new HashSet<>();

    /** @param port the other server's for links */
    void cut(int port) {
        Set<Channel> toClose = new HashSet<>();
        synchronized (this) {
            cutPorts.add(port);
            open.forEach((channel, remotePort) -> {
                if (remotePort == port) {
                    toClose.add(channel);
                }
            });
        }
        toClose.forEach(Channel::close);
    }

    /** @param port the other server's for links */
    synchronized void mend(int port) {
        cutPorts.remove(port);
    }

    /** @return whether connections to the other server's port are cut */
    synchronized boolean isCut(int port) {
        return cutPorts.contains(port);
    }

    private synchronized boolean admits(Channel channel, int port) {
        if (cutPorts.contains(port)) {
            return false;
        }
        open.put(channel, port);
        return true;
    }

    private synchronized void closed(Channel channel) {
        open.remove(channel);
    }

    /** @param channel that is about to connect */
    void watch(Channel channel) {
        channel.pipeline().addFirst("cut-links", new Watch());
    }

    private final class Watch extends ChannelOutboundHandlerAdapter {
        @Override
        public void connect(
                ChannelHandlerContext context, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            Channel channel = context.channel();
            if (remote instanceof InetSocketAddress address && !admits(channel, address.getPort())) {
                promise.setFailure(new ConnectException("the test has cut " + address + " off"));
                channel.close();
                return;
            }
            channel.closeFuture().addListener(done -> closed(channel));
            context.connect(remote, local, promise);
        }
    }
}
