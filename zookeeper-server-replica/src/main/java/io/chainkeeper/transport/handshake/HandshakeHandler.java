package io.chainkeeper.transport.handshake;

import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.transport.handshake.HandshakeMessage.Accepted;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.OtherVersion;
import io.chainkeeper.transport.handshake.HandshakeMessage.ProvedRefusal;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.handshake.HandshakeMessage.Token;
import io.chainkeeper.transport.io.IoThread;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;

/**
 * First handler of a new connection, on either side: no frame passes until both sides have agreed. Then the owner names
 * the {@link NextHandler}, which takes this handler's place; or the connection is closed.
 */
public final class HandshakeHandler extends ChannelInboundHandlerAdapter {
    private static final String NO_TLS =
            "does not speak TLS while the other side does: set sslQuorum to the same value on all servers";

    private static final String NO_SASL =
            "did not authenticate itself: set quorum.auth.learnerRequireSasl=true there, or"
                    + " quorum.auth.serverRequireSasl=false on the others until then";

    /** What has opened or accepted the connection. */
    public interface Owner {
        /**
         * Decides whether the other side may talk.
         *
         * @param hello of the other side
         * @param proves whether the other side has proved that it is a member, or has to before it is let in
         * @return null, or why the other side is refused
         */
        Refused objection(Hello hello, boolean proves);

        /**
         * Called for a side that has connected and proves nothing, when nothing else speaks against that side.
         *
         * @param hello of the other side
         * @param outcome to be called on the I/O thread, with null or why the other side is refused
         * @return false if the address does not matter; the outcome is then not called
         */
        default boolean checksAddress(Hello hello, Consumer<Refused> outcome) {
            return false;
        }

        /**
         * Both sides agree.
         *
         * @param hello of the other side
         * @param channel the connection
         * @return what takes the connection over, or null if it is not wanted any more
         */
        NextHandler established(Hello hello, Channel channel);

        /**
         * The connection ends because one side refuses the other.
         *
         * @param peer the other side's id as claimed or meant, {@link HandshakeMessage#UNKNOWN_SENDER} if neither is
         *     known
         * @param refusal why, for the log
         * @param proved whether the other side has proved that it is a member
         */
        void refused(int peer, Refused refusal, boolean proved);

        /**
         * A connection that this replica opened ends before the sides could agree or refuse.
         *
         * @param reason for the log
         */
        void failed(String reason);
    }

    /** Takes a connection over from the handshake. */
    public interface NextHandler extends ChannelHandler {
        /** This handler has its place in the pipeline. Called once, before anything is received. */
        void start();

        /** @param in bytes that came behind the handshake; stay with the caller */
        void receive(ByteBuf in);
    }

    private final HandshakeContext shared;
    private final int dialedPeer;
    private final Purpose purpose;
    private final String remote;
    private final Owner owner;
    private final HandshakeAuthentication authentication;
    private final HandshakeSecret secret;
    private ByteBuf received;
    private Hello ownHello;
    private Hello peerHello;

    /** The hello of the other side, before it is checked. */
    private Hello said;

    private boolean secretProved;
    private boolean checking;
    private ChannelHandlerContext context;
    private boolean lacksTls;
    private boolean done;
    private Future<?> timeout;

    /**
     * @param shared what handshakes share
     * @param dialedPeer the peer that this side wants to reach, {@link HandshakeMessage#UNKNOWN_SENDER} if the other
     *     side opened the connection
     * @param purpose what this side opens the connection for, null if the other side did
     * @param remote address of the other side as the log shall name it, always the same for the same peer
     * @param dialedHost host of the peer that this side wants to reach, null if the other side opened the connection
     * @param owner told of the outcome
     */
    public HandshakeHandler(
            HandshakeContext shared, int dialedPeer, Purpose purpose, String remote, String dialedHost, Owner owner) {
        this.shared = shared;
        this.dialedPeer = dialedPeer;
        this.purpose = purpose;
        this.remote = remote;
        this.owner = owner;
        this.authentication = new HandshakeAuthentication(shared, dialedHost, new Authenticating());
        this.secret = new HandshakeSecret(shared.settings().secret());
    }

    /** What the outcome of the authentication leads to. */
    private final class Authenticating implements HandshakeAuthentication.Listener {
        @Override
        public void say(Token token) {
            HandshakeHandler.this.say(context, token);
        }

        @Override
        public void authenticated() {
            sayHello();
        }

        @Override
        public void notAuthenticated(String reason) {
            if (!done) {
                refuse(context, dialedPeer, Refused.elsewhere(who() + " " + reason));
            }
        }
    }

    /** The other side speaks plain text where TLS is needed: it may say who it is, and is refused. */
    void refuseForLackOfTls() {
        lacksTls = true;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        received = added.alloc().heapBuffer(HandshakeMessage.ENVELOPE_BYTES + HandshakeMessage.MAX_BODY_BYTES);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        int limit = shared.settings().limits().handshakeTimeoutMillis();
        timeout = shared.io().schedule(() -> timedOut(context, limit), limit);
        if (isDialing() && authentication.isNeededToDial()) {
            authentication.begin();
        } else if (isDialing()) {
            sayHello();
        }
    }

    private void sayHello() {
        ownHello = shared.policy().hello(dialedPeer, purpose);
        say(context, ownHello);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        received.release();
        authentication.end();
        if (timeout == null) {
            return; // never connected, which the side that tried to connect has noticed
        }
        timeout.cancel(false);
        if (!done) {
            done = true;
            if (isDialing()) {
                IoThread.run(() -> owner.failed("closed before the handshake ended"));
            }
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (!done) {
                received.writeBytes((ByteBuf) message);
                advance(context);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void advance(ChannelHandlerContext context) {
        try {
            while (!done) {
                HandshakeMessage message = HandshakeMessage.decode(received);
                if (message == null) {
                    return;
                }
                onMessage(context, message);
            }
        } catch (MalformedMessageException e) {
            refuse(context, claimedPeer(), Refused.elsewhere(who() + " " + e.getMessage()));
        }
    }

    private void onMessage(ChannelHandlerContext context, HandshakeMessage message) throws MalformedMessageException {
        if (message instanceof OtherVersion other) {
            int peer = isDialing() ? dialedPeer : other.sender();
            refuse(context, peer, shared.policy().refusalOfVersion(peer, other.version(), remote));
        } else if (message instanceof Refused refused) {
            wasRefused(context, refused);
        } else if (message instanceof ProvedRefusal refusal && isDialing() && ownHello != null) {
            secretProved |= secret.isProvedBy(ownHello, refusal);
            wasRefused(context, refusal.refused());
        } else if (checking) {
            throw new MalformedMessageException("goes on before it is answered: run the same release on all servers");
        } else if (message instanceof Token token && peerHello == null && !authentication.isBusy()) {
            onToken(token);
        } else if (message instanceof Hello hello && peerHello == null && !authentication.isUnderWay()) {
            onHello(context, hello);
        } else if (message instanceof Accepted accepted && peerHello != null && !isDialing()) {
            onAccepted(accepted);
        } else {
            throw new MalformedMessageException("sent a handshake message out of turn ("
                    + message.getClass().getSimpleName() + "): run the same release on all servers");
        }
    }

    private void onToken(Token token) {
        if (lacksTls) {
            refuse(context, dialedPeer, Refused.elsewhere(who() + " " + NO_TLS));
        } else {
            authentication.onToken(token);
        }
    }

    private void onHello(ChannelHandlerContext context, Hello hello) {
        said = hello;
        secretProved = isDialing() && secret.isProvedBy(ownHello, hello);
        String who = "replica " + hello.sender() + " (" + remote + ") ";
        String unproved = isDialing() ? secret.objectionToAnswer(ownHello, hello) : secret.objectionToAsked(hello);
        Refused refusal;
        if (lacksTls) {
            refusal = Refused.elsewhere(who + NO_TLS);
        } else if (!isDialing() && authentication.isMissing()) {
            refusal = Refused.elsewhere(who + NO_SASL);
        } else if (unproved != null) {
            refusal = Refused.elsewhere(who + unproved);
        } else {
            refusal = owner.objection(hello, proves(hello));
        }
        if (refusal == null && !isDialing() && !proves(hello)) {
            checking = true;
            checking = owner.checksAddress(hello, found -> addressChecked(hello, found));
        }
        if (!checking) {
            answerHello(hello, refusal);
        }
    }

    private void addressChecked(Hello hello, Refused refusal) {
        checking = false;
        if (!done) {
            answerHello(hello, refusal);
        }
    }

    private boolean proves(Hello hello) {
        return hasProved() || secret.isToBeProved(hello);
    }

    private boolean hasProved() {
        SslHandler tls = context.pipeline().get(SslHandler.class);
        boolean hasCertificate = tls != null && tls.handshakeFuture().isSuccess();
        return hasCertificate || authentication.isAuthenticated() || secretProved;
    }

    private void answerHello(Hello hello, Refused refusal) {
        if (refusal != null) {
            refuse(context, isDialing() ? dialedPeer : hello.sender(), refusal);
            return;
        }
        peerHello = hello;
        if (isDialing()) {
            say(context, new Accepted(secret.proofOfConnecting(ownHello, hello)));
            establish(context);
        } else {
            ownHello = secret.proving(hello, shared.policy().answer(hello));
            say(context, ownHello);
        }
    }

    private void onAccepted(Accepted accepted) {
        if (secret.isProved(accepted.proofs(), peerHello, ownHello)) {
            establish(context);
        } else {
            refuse(context, claimedPeer(), Refused.elsewhere(who() + " " + HandshakeSecret.OTHER_SECRET));
        }
    }

    private void establish(ChannelHandlerContext context) {
        done = true;
        NextHandler next = owner.established(peerHello, context.channel());
        if (next == null) {
            context.close();
            return;
        }
        ByteBuf rest = received.readRetainedSlice(received.readableBytes());
        try {
            context.pipeline().replace(this, "frames", next);
            next.start();
            next.receive(rest);
        } finally {
            rest.release();
        }
    }

    private void refuse(ChannelHandlerContext context, int peer, Refused refusal) {
        done = true;
        ByteBuf out = context.alloc().buffer();
        // Only the hello itself is refused with a proof: what comes behind may come from a process that replays a
        // hello.
        Hello asked = isDialing() || peerHello != null ? null : said;
        HandshakeMessage.encode(secret.proving(asked, shared.settings().replicaId(), refusal), out);
        context.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
        owner.refused(peer, refusal, hasProved());
    }

    private void wasRefused(ChannelHandlerContext context, Refused refusal) {
        done = true;
        boolean proved = hasProved();
        context.close();
        String reason = who() + " refused this replica: " + refusal.reason();
        owner.refused(claimedPeer(), new Refused(refusal.kind(), reason), proved);
    }

    private void timedOut(ChannelHandlerContext context, int limitMillis) {
        if (done) {
            context.close();
            return;
        }
        fail(context, "did not finish the handshake within " + limitMillis + " ms");
    }

    private void fail(ChannelHandlerContext context, String what) {
        done = true;
        if (isDialing()) {
            owner.failed(what);
        } else {
            owner.refused(HandshakeMessage.UNKNOWN_SENDER, Refused.elsewhere(who() + " " + what), false);
        }
        context.close();
    }

    /** What goes wrong in here Netty would only log. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
        IoThread.run(() -> thrown(context, thrown));
    }

    private void thrown(ChannelHandlerContext context, Throwable thrown) {
        Throwable cause = thrown.getCause() instanceof SSLException ? thrown.getCause() : thrown;
        boolean ofTheNetwork = thrown instanceof IOException || thrown instanceof DecoderException;
        if (!ofTheNetwork) {
            done = true;
            context.close();
            IoThread.reportDefect(thrown);
        } else if (done) {
            context.close();
        } else if (cause instanceof NotSslRecordException) {
            refuseSilently(context, NO_TLS);
        } else if (cause instanceof SSLException) {
            refuseSilently(
                    context,
                    "failed the TLS handshake (" + HandshakeMessage.printable(String.valueOf(cause.getMessage()))
                            + "): check ssl.quorum.keyStore, ssl.quorum.trustStore and ssl.quorum.hostnameVerification"
                            + " on both servers");
        } else {
            fail(context, "broke off the handshake (" + cause.getMessage() + ")");
        }
    }

    /** Refuses without telling the other side, because there is no common language. */
    private void refuseSilently(ChannelHandlerContext context, String what) {
        done = true;
        boolean proved = hasProved();
        context.close();
        owner.refused(dialedPeer, Refused.elsewhere(who() + " " + what), proved);
    }

    private void say(ChannelHandlerContext context, HandshakeMessage message) {
        ByteBuf out = context.alloc().buffer();
        HandshakeMessage.encode(message, out);
        context.writeAndFlush(out);
    }

    private boolean isDialing() {
        return dialedPeer != HandshakeMessage.UNKNOWN_SENDER;
    }

    private int claimedPeer() {
        return !isDialing() && peerHello != null ? peerHello.sender() : dialedPeer;
    }

    private String who() {
        int peer = claimedPeer();
        return peer == HandshakeMessage.UNKNOWN_SENDER
                ? "a connection from " + remote
                : "replica " + peer + " (" + remote + ")";
    }
}
