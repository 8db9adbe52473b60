package io.chainkeeper.transport.handshake;

import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTls;
import io.chainkeeper.transport.io.Sockets;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Opens connections, for links and for bulk requests. */
public final class Connector {
    private Connector() {}

    /**
     * Begins to connect. Any thread.
     *
     * @param context what handshakes share
     * @param target one of the addresses of the member's host
     * @param address the member's, as configured
     * @param handshake first handler, behind TLS if that is on
     * @return done when the connection is open or has failed; the handshake tells the rest
     */
    public static ChannelFuture connect(
            HandshakeContext context, InetAddress target, PeerAddress address, HandshakeHandler handshake) {
        Bootstrap bootstrap = new Bootstrap()
                .group(context.io().loop())
                .channelFactory(context.io().runtime().connecting())
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        context.settings().limits().connectTimeoutMillis())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        context.io().channels().add(channel);
                        PeerTls tls = context.settings().tls();
                        if (tls != null && tls.dials()) {
                            channel.pipeline()
                                    .addLast(
                                            "tls",
                                            new SslHandler(
                                                    tls.client(address.host(), address.port()),
                                                    context.io().blocking()));
                        }
                        channel.pipeline().addLast("handshake", handshake);
                    }
                });
        Sockets.setOptions(bootstrap::option);
        return bootstrap.connect(new InetSocketAddress(target, address.port()));
    }
}
