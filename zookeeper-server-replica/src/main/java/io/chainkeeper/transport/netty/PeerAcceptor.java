package io.chainkeeper.transport.netty;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTls;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.TransportLimits;
import io.chainkeeper.transport.bulk.StateConnections;
import io.chainkeeper.transport.handshake.HandshakeContext;
import io.chainkeeper.transport.handshake.HandshakeHandler;
import io.chainkeeper.transport.handshake.HandshakeMessage;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.handshake.TlsGate;
import io.chainkeeper.transport.link.LinkContext;
import io.chainkeeper.transport.link.PeerConnection;
import io.chainkeeper.transport.link.PeerLink;
import io.chainkeeper.transport.link.PeerTable;
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
    private final LinkContext context;
    private final HandshakeContext handshakes;
    private final PeerTable peers;
    private final StateConnections bulk;
    private final Set<Channel> unproved = new LinkedHashSet<>();
    private final Queue<Runnable> lookUps = new ArrayDeque<>();
    private long accepted;

    /**
     * @param context what links share
     * @param peers finds the link of a connection
     * @param bulk takes connections for bulk requests
     */
    PeerAcceptor(LinkContext context, PeerTable peers, StateConnections bulk) {
        this.context = context;
        this.handshakes = context.handshakes();
        this.peers = peers;
        this.bulk = bulk;
    }

    @Override
    protected void initChannel(Channel channel) {
        handshakes.io().channels().add(channel);
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
                handshakes,
                HandshakeMessage.UNKNOWN_SENDER,
                null,
                remoteHost,
                null,
                new Accepting(channel, remote.getAddress(), ++accepted));
        PeerTls tls = handshakes.settings().tls();
        if (tls != null) {
            SslHandler decrypting = new SslHandler(
                    tls.server(remoteHost, remote.getPort()), handshakes.io().blocking());
            channel.pipeline().addLast("tlsGate", new TlsGate(decrypting, handshake, tls.admitsPlain()));
        }
        channel.pipeline().addLast("handshake", handshake);
    }

    /** A real peer needs milliseconds: the connection that has been here longest is the least likely to be a peer's. */
    private void makeRoom(InetAddress remote) {
        TransportLimits limits = handshakes.settings().limits();
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
        handshakes.refusals().refused(HandshakeMessage.UNKNOWN_SENDER, refusal);
        oldest.close();
    }

    /**
     * Names are looked up one after the other, and the number that waits is bounded: strangers can cause look-ups, and
     * others that need the name service must not wait for those.
     */
    private void lookUpNext() {
        Runnable next = lookUps.peek();
        if (next != null) {
            handshakes.io().blocking().execute(next);
        }
    }

    private final class Accepting implements HandshakeHandler.Owner {
        private final Channel channel;
        private final InetAddress remote;
        private final String remoteHost;
        private final long number;
        private Hello said;
        private boolean proving;

        Accepting(Channel channel, InetAddress remote, long number) {
            this.channel = channel;
            this.remote = remote;
            this.remoteHost = remote.getHostAddress();
            this.number = number;
        }

        @Override
        public Refused objection(Hello hello, boolean proves) {
            said = hello;
            proving = proves;
            Refused refusal = handshakes.policy().refusalOfAccepted(hello, remoteHost);
            if (refusal != null) {
                return refusal;
            }
            return hello.purpose() == Purpose.STATE ? objectionToState() : objectionToLink(hello, proves);
        }

        private Refused objectionToLink(Hello hello, boolean proves) {
            PeerConnection current = peers.link(hello.sender()).current();
            if (current == null) {
                return null;
            }
            Hello present = current.hello();
            if (!proves
                    && !hello.credentials().disk().equals(present.credentials().disk())) {
                return linkedAlready("replica " + hello.sender() + " (" + remoteHost + ") is linked already, and"
                        + " this connection does not come from the same data directory: if the server was given a new"
                        + " one, it is let in when the old link has been silent for "
                        + handshakes.settings().limits().idleLimitMillis()
                        + " ms; else two servers run with the same myid");
            }
            if (hello.incarnation() >= present.incarnation()) {
                return null;
            }
            return linkedAlready("replica " + hello.sender() + " (" + remoteHost + ") is start "
                    + hello.incarnation() + " of it while start " + present.incarnation()
                    + " is connected: two servers run with the same myid, or its dataLogDir was set back");
        }

        private static Refused linkedAlready(String reason) {
            return new Refused(RefusalKind.LINKED_ALREADY, reason);
        }

        private Refused objectionToState() {
            String objection = bulk.objection();
            return objection == null ? null : Refused.elsewhere(objection);
        }

        @Override
        public boolean checksAddress(Hello hello, Consumer<Refused> outcome) {
            if (!handshakes.policy().dependsOnAddress(hello)) {
                return false;
            }
            PeerAddress configured = peers.wantedAddress(hello.sender());
            Refused refusal = handshakes.policy().refusalOfAddress(hello, configured, remoteHost);
            checkComesFrom(configured, comesFrom -> outcome.accept(comesFrom ? null : refusal));
            return true;
        }

        private void checkComesFrom(PeerAddress configured, Consumer<Boolean> outcome) {
            if (configured == null
                    || lookUps.size() >= handshakes.settings().limits().maxPendingHandshakesPerAddress()) {
                outcome.accept(false);
                return;
            }
            lookUps.add(() -> {
                boolean leadsHere = leadsTo(configured);
                handshakes.io().execute(() -> {
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
                for (InetAddress address : handshakes.settings().resolver().resolve(configured.host())) {
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
        public HandshakeHandler.NextHandler established(Hello hello, Channel proved) {
            // Since the first check another connection may have come up, or the peer may have been removed.
            Refused refusal = objection(hello, proving);
            if (refusal != null) {
                refused(hello.sender(), refusal, proving);
                return null;
            }
            unproved.remove(channel);
            if (hello.purpose() == Purpose.STATE) {
                return bulk.admit(hello.sender(), channel, remoteHost);
            }
            PeerLink link = peers.link(hello.sender());
            if (!link.isLatest(number)) {
                return null;
            }
            return new PeerConnection(context, link, channel, remoteHost, hello);
        }

        @Override
        public void refused(int peer, Refused refusal, boolean proved) {
            // The connection stays among the unproved until it is closed.
            if (said != null && said.purpose() == Purpose.STATE) {
                handshakes.refusals().refusedState(refusal);
            } else {
                // Its address spoke against it just now: a name service that fails must not find the opposite here.
                boolean mayBeThePeer = refusal.kind() != RefusalKind.UNPROVED;
                handshakes
                        .refusals()
                        .refused(peer, refusal, proved, outcome -> identify(peer, mayBeThePeer, proved, outcome));
            }
        }

        /** A shared secret is proved last, when hardly anything is refused any more. */
        private void identify(int peer, boolean mayBeThePeer, boolean proved, Consumer<Boolean> outcome) {
            if (proved) {
                outcome.accept(true);
            } else if (mayBeThePeer && handshakes.settings().admitsUnauthenticated()) {
                checkComesFrom(peers.wantedAddress(peer), outcome);
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
