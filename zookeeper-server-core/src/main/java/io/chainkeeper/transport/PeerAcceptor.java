package io.chainkeeper.transport;

import io.chainkeeper.transport.HandshakeMessage.Hello;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Prepares accepted connections. Those that have not proved themselves are bounded in number and time. */
final class PeerAcceptor extends ChannelInitializer<Channel> {
    private final IoContext io;
    private final Map<Integer, PeerLink> links;
    private final Set<Channel> unproved = new LinkedHashSet<>();

    /**
     * @param io shared parts
     * @param links of all other members
     */
    PeerAcceptor(IoContext io, Map<Integer, PeerLink> links) {
        this.io = io;
        this.links = links;
    }

    @Override
    protected void initChannel(Channel channel) {
        InetSocketAddress remote = (InetSocketAddress) channel.remoteAddress();
        if (remote == null) {
            channel.close();
            return;
        }
        String remoteHost = remote.getAddress().getHostAddress();
        makeRoom();
        unproved.add(channel);
        channel.closeFuture().addListener(closed -> unproved.remove(channel));
        HandshakeHandler handshake = new HandshakeHandler(
                io, HandshakeMessage.UNKNOWN_SENDER, remoteHost, new Accepting(channel, remoteHost));
        PeerTls tls = io.settings().tls();
        if (tls != null) {
            SslHandler decrypting = new SslHandler(tls.server(remoteHost, remote.getPort()), io.blocking());
            channel.pipeline().addLast("tlsGate", new TlsGate(decrypting, handshake));
        }
        channel.pipeline().addLast("handshake", handshake);
    }

    /** A real peer needs milliseconds: whoever has been here longest is the least likely to be one. */
    private void makeRoom() {
        if (unproved.size() >= io.settings().limits().maxPendingHandshakes()) {
            Channel oldest = unproved.iterator().next();
            unproved.remove(oldest);
            io.refusals()
                    .refused(
                            HandshakeMessage.UNKNOWN_SENDER,
                            "too many connections that do not finish their handshake, the oldest from "
                                    + oldest.remoteAddress() + ": let only servers of the ensemble reach this port");
            oldest.close();
        }
    }

    private final class Accepting implements HandshakeHandler.Owner {
        private final Channel channel;
        private final String remoteHost;

        Accepting(Channel channel, String remoteHost) {
            this.channel = channel;
            this.remoteHost = remoteHost;
        }

        @Override
        public String objection(Hello hello) {
            PeerConnection current = links.get(hello.sender()).current();
            if (current == null || hello.incarnation() >= current.peerIncarnation()) {
                return null;
            }
            return "replica " + hello.sender() + " (" + remoteHost + ") is start " + hello.incarnation()
                    + " of it while start " + current.peerIncarnation()
                    + " is connected: two servers run with the same myid, or its dataLogDir was set back";
        }

        @Override
        public PeerLink established(Hello hello) {
            unproved.remove(channel);
            return links.get(hello.sender());
        }

        @Override
        public void failed(String reason) {
            // Stays among the unproved until it is closed; the handler has reported what there was to report.
        }
    }
}
