package io.chainkeeper.server.connection;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.util.concurrent.EventExecutorGroup;

/**
 * What ZooKeeper's Netty connection factory runs on, for programs that keep servers for their tests. Safe for use by
 * any thread.
 *
 * @param listening the socket that clients connect to; null if there is none
 * @param connections all that are open
 * @param acceptors threads that take new connections
 * @param workers threads of the connections
 * @param tellers thread that tells when all connections are closed; the factory never ends it
 */
public record ClientLoops(
        Channel listening,
        ChannelGroup connections,
        EventLoopGroup acceptors,
        EventLoopGroup workers,
        EventExecutorGroup tellers) {}
