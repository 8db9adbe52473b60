package io.chainkeeper.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Opens connections, whatever they are for. */
final class Connector {
    private Connector() {}

    /**
     * Begins to connect. Any thread.
     *
     * @param io shared parts
     * @param target one of the addresses of the member's host
     * @param address the member's, as configured
     * @param handshake first handler, behind TLS if that is on
     * @return done when the connection is open or has failed; the handshake tells the rest
     */
    static ChannelFuture connect(IoContext io, InetAddress target, PeerAddress address, HandshakeHandler handshake) {
        Bootstrap bootstrap = new Bootstrap()
                .group(io.loop())
                .channel(Sockets.connecting())
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        io.settings().limits().connectTimeoutMillis())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        io.channels().add(channel);
                        PeerTls tls = io.settings().tls();
                        if (tls != null && tls.dials()) {
                            channel.pipeline()
                                    .addLast(
                                            "tls",
                                            new SslHandler(tls.client(address.host(), address.port()), io.blocking()));
                        }
                        channel.pipeline().addLast("handshake", handshake);
                    }
                });
        NettyPeerTransport.setSocketOptions(bootstrap::option);
        return bootstrap.connect(new InetSocketAddress(target, address.port()));
    }
}
