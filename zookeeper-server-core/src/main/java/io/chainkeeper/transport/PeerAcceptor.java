package io.chainkeeper.transport;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.HandshakeMessage.Hello;
import io.chainkeeper.transport.HandshakeMessage.Purpose;
import io.chainkeeper.transport.HandshakeMessage.Refused;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Set;

/** Prepares accepted connections. Those that have not proved themselves are bounded in number and time. */
final class PeerAcceptor extends ChannelInitializer<Channel> {
    private final IoContext io;
    private final Set<Channel> unproved = new LinkedHashSet<>();

    /** @param io shared parts */
    PeerAcceptor(IoContext io) {
        this.io = io;
    }

    @Override
    protected void initChannel(Channel channel) {
        io.channels().add(channel);
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
                io, HandshakeMessage.UNKNOWN_SENDER, null, remoteHost, null, new Accepting(channel, remoteHost));
        PeerTls tls = io.settings().tls();
        if (tls != null) {
            SslHandler decrypting = new SslHandler(tls.server(remoteHost, remote.getPort()), io.blocking());
            channel.pipeline().addLast("tlsGate", new TlsGate(decrypting, handshake, tls.admitsPlain()));
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
                            Refused.elsewhere(
                                    "too many connections that do not finish their handshake, the oldest from "
                                            + oldest.remoteAddress()
                                            + ": let only servers of the ensemble reach this port"));
            oldest.close();
        }
    }

    private final class Accepting implements HandshakeHandler.Owner {
        private final Channel channel;
        private final String remoteHost;
        private Hello said;
        private StateAnswerer answerer;

        Accepting(Channel channel, String remoteHost) {
            this.channel = channel;
            this.remoteHost = remoteHost;
        }

        @Override
        public Refused objection(Hello hello) {
            said = hello;
            Refused refusal = io.policy().refusalOfAccepted(hello, remoteHost);
            if (refusal != null) {
                return refusal;
            }
            return hello.purpose() == Purpose.STATE ? objectionToState(hello) : objectionToLink(hello);
        }

        private Refused objectionToLink(Hello hello) {
            PeerConnection current = io.peers().link(hello.sender()).current();
            if (current == null || hello.incarnation() >= current.peerIncarnation()) {
                return null;
            }
            return Refused.elsewhere("replica " + hello.sender() + " (" + remoteHost + ") is start "
                    + hello.incarnation() + " of it while start " + current.peerIncarnation()
                    + " is connected: two servers run with the same myid, or its dataLogDir was set back");
        }

        private Refused objectionToState(Hello hello) {
            String objection = io.state().objection();
            if (objection != null) {
                return Refused.elsewhere(objection);
            }
            answerer = io.state().admit(io, hello.sender(), channel, remoteHost);
            return null;
        }

        @Override
        public HandshakeHandler.Successor established(Hello hello, Channel proved) {
            unproved.remove(channel);
            if (hello.purpose() == Purpose.STATE) {
                return answerer;
            }
            PeerLink link = io.peers().link(hello.sender());
            return new PeerConnection(io, link, channel, remoteHost, hello.incarnation());
        }

        @Override
        public void refused(int peer, Refused refusal) {
            // Stays among the unproved until it is closed.
            if (said != null && said.purpose() == Purpose.STATE) {
                io.refusals().refusedState(refusal);
            } else {
                io.refusals().refused(peer, refusal);
            }
        }

        @Override
        public void failed(String reason) {
            throw new InvariantViolated("an accepted connection is refused, it does not fail: " + reason);
        }
    }
}
