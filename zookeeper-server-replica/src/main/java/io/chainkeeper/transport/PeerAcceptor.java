package io.chainkeeper.transport;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.HandshakeMessage.Hello;
import io.chainkeeper.transport.HandshakeMessage.Purpose;
import io.chainkeeper.transport.HandshakeMessage.Refused;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;

/** Prepares accepted connections. Those that have not proved themselves are bounded in number and time. */
final class PeerAcceptor extends ChannelInitializer<Channel> {
    private final IoContext io;
    private final Set<Channel> unproved = new LinkedHashSet<>();
    private final Queue<Runnable> lookUps = new ArrayDeque<>();

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
        makeRoom(remote.getAddress());
        unproved.add(channel);
        channel.closeFuture().addListener(closed -> unproved.remove(channel));
        HandshakeHandler handshake = new HandshakeHandler(
                io,
                HandshakeMessage.UNKNOWN_SENDER,
                null,
                remoteHost,
                null,
                new Accepting(channel, remote.getAddress()));
        PeerTls tls = io.settings().tls();
        if (tls != null) {
            SslHandler decrypting = new SslHandler(tls.server(remoteHost, remote.getPort()), io.blocking());
            channel.pipeline().addLast("tlsGate", new TlsGate(decrypting, handshake, tls.admitsPlain()));
        }
        channel.pipeline().addLast("handshake", handshake);
    }

    /** A real peer needs milliseconds: whoever has been here longest is the least likely to be one. */
    private void makeRoom(InetAddress remote) {
        TransportLimits limits = io.settings().limits();
        List<Channel> ofTheSame = unproved.stream()
                .filter(channel -> remote.equals(((InetSocketAddress) channel.remoteAddress()).getAddress()))
                .toList();
        if (ofTheSame.size() >= limits.maxPendingHandshakesPerAddress()) {
            closeOldest(ofTheSame.get(0));
        } else if (unproved.size() >= limits.maxPendingHandshakes()) {
            closeOldest(unproved.iterator().next());
        }
    }

    private void closeOldest(Channel oldest) {
        unproved.remove(oldest);
        Refused refusal = Refused.elsewhere("too many connections that do not finish their handshake, the oldest from "
                + oldest.remoteAddress() + ": let only servers of the ensemble reach this port");
        io.refusals().refused(HandshakeMessage.UNKNOWN_SENDER, refusal);
        oldest.close();
    }

    /**
     * Names are looked up one after the other, and only so many wait: strangers may ask for it, and whoever else needs
     * the name service must not wait for them.
     */
    private void lookUpNext() {
        Runnable next = lookUps.peek();
        if (next != null) {
            io.blocking().execute(next);
        }
    }

    private final class Accepting implements HandshakeHandler.Owner {
        private final Channel channel;
        private final InetAddress remote;
        private final String remoteHost;
        private Hello said;
        private boolean proving;

        Accepting(Channel channel, InetAddress remote) {
            this.channel = channel;
            this.remote = remote;
            this.remoteHost = remote.getHostAddress();
        }

        @Override
        public Refused objection(Hello hello, boolean proves) {
            said = hello;
            proving = proves;
            Refused refusal = io.policy().refusalOfAccepted(hello, remoteHost);
            if (refusal != null) {
                return refusal;
            }
            return hello.purpose() == Purpose.STATE ? objectionToState() : objectionToLink(hello, proves);
        }

        private Refused objectionToLink(Hello hello, boolean proves) {
            PeerConnection current = io.peers().link(hello.sender()).current();
            if (current == null) {
                return null;
            }
            Hello present = current.hello();
            if (!proves
                    && !hello.credentials().disk().equals(present.credentials().disk())) {
                return Refused.elsewhere("replica " + hello.sender() + " (" + remoteHost + ") is linked already, and"
                        + " this connection does not come from the same data directory: if the server was given a new"
                        + " one, it is let in when the old link has been silent for "
                        + io.settings().limits().idleLimitMillis() + " ms; else two servers run with the same myid");
            }
            if (hello.incarnation() >= present.incarnation()) {
                return null;
            }
            return Refused.elsewhere("replica " + hello.sender() + " (" + remoteHost + ") is start "
                    + hello.incarnation() + " of it while start " + present.incarnation()
                    + " is connected: two servers run with the same myid, or its dataLogDir was set back");
        }

        private Refused objectionToState() {
            String objection = io.state().objection();
            return objection == null ? null : Refused.elsewhere(objection);
        }

        @Override
        public boolean checksAddress(Hello hello, Consumer<Refused> outcome) {
            if (!io.policy().dependsOnAddress(hello)) {
                return false;
            }
            PeerAddress configured = io.peers().wantedAddress(hello.sender());
            Refused refusal = io.policy().refusalOfAddress(hello, configured, remoteHost);
            checkComesFrom(configured, comesFrom -> outcome.accept(comesFrom ? null : refusal));
            return true;
        }

        private void checkComesFrom(PeerAddress configured, Consumer<Boolean> outcome) {
            if (configured == null || lookUps.size() >= io.settings().limits().maxPendingHandshakesPerAddress()) {
                outcome.accept(false);
                return;
            }
            lookUps.add(() -> {
                boolean leadsHere = leadsTo(configured);
                io.execute(() -> {
                    lookUps.remove();
                    lookUpNext();
                    outcome.accept(leadsHere);
                });
            });
            if (lookUps.size() == 1) {
                lookUpNext();
            }
        }

        private boolean leadsTo(PeerAddress configured) {
            try {
                for (InetAddress address : io.settings().resolver().resolve(configured.host())) {
                    boolean sameMachine = address.isLoopbackAddress() && remote.isLoopbackAddress();
                    if (sameMachine || address.equals(remote)) {
                        return true;
                    }
                }
                return false;
            } catch (UnknownHostException | RuntimeException e) {
                return false;
            }
        }

        @Override
        public HandshakeHandler.Successor established(Hello hello, Channel proved) {
            // Since it was asked another connection may have come up, or it may have been removed.
            Refused refusal = objection(hello, proving);
            if (refusal != null) {
                refused(hello.sender(), refusal, proving);
                return null;
            }
            unproved.remove(channel);
            if (hello.purpose() == Purpose.STATE) {
                return io.state().admit(io, hello.sender(), channel, remoteHost);
            }
            PeerLink link = io.peers().link(hello.sender());
            return new PeerConnection(io, link, channel, remoteHost, hello);
        }

        @Override
        public void refused(int peer, Refused refusal, boolean proved) {
            // Stays among the unproved until it is closed.
            if (said != null && said.purpose() == Purpose.STATE) {
                io.refusals().refusedState(refusal);
            } else {
                io.refusals().refused(peer, refusal, proved, outcome -> identify(peer, proved, outcome));
            }
        }

        /** A shared secret is proved last, when hardly anything is refused any more. */
        private void identify(int peer, boolean proved, Consumer<Boolean> outcome) {
            if (proved) {
                outcome.accept(true);
            } else if (io.settings().admitsUnauthenticated()) {
                checkComesFrom(io.peers().wantedAddress(peer), outcome);
            } else {
                outcome.accept(false);
            }
        }

        @Override
        public void failed(String reason) {
            throw new InvariantViolated("an accepted connection is refused, it does not fail: " + reason);
        }
    }
}
