package io.chainkeeper.transport.link;

import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.handshake.Connector;
import io.chainkeeper.transport.handshake.HandshakeHandler;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.io.IoThread;
import io.chainkeeper.transport.io.ReportLimiter;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps trying to reach one peer while there is no connection to the peer: looks the name up, tries each address,
 * pauses, and begins again. Serves one configured address; a peer that moves gets another dialer. Belongs to the I/O
 * thread.
 */
final class PeerDialer implements HandshakeHandler.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(PeerTransport.class);

    private static final int REPORT_PAUSE_MILLIS = 1_000;

    private final LinkContext context;
    private final int peer;
    private final PeerAddress address;
    private final PeerLink link;
    private final ReportLimiter reports;
    private final Runnable lookUp = this::lookUp;
    private Channel attempt;
    private Iterator<InetAddress> untried = List.<InetAddress>of().iterator();
    private String trouble;
    private int pauseMillis;
    private long upSinceNanos;
    private boolean stopped;

    /**
     * @param context what links share
     * @param link to a peer whose id is smaller than this replica's
     * @param address where the peer is
     */
    PeerDialer(LinkContext context, PeerLink link, PeerAddress address) {
        this.context = context;
        this.peer = link.peer();
        this.address = address;
        this.link = link;
        this.pauseMillis = context.settings().limits().reconnectMinMillis();
        this.reports = new ReportLimiter(REPORT_PAUSE_MILLIS);
    }

    /** Connects no more and gives up what has begun. */
    void stop() {
        stopped = true;
        context.io().blocking().remove(lookUp);
        if (attempt != null) {
            attempt.close();
        }
    }

    /** Begins an attempt: the name is looked up anew, without holding up the I/O thread. */
    void dial() {
        if (stopped) {
            return;
        }
        trouble = null;
        context.io().blocking().execute(lookUp);
    }

    private void lookUp() {
        List<InetAddress> found;
        try {
            found = context.settings().resolver().resolve(address.host());
        } catch (UnknownHostException | RuntimeException e) {
            context.io().execute(() -> {
                trouble = "its name cannot be resolved at the moment (" + e.getMessage() + ")";
                pause();
            });
            return;
        }
        context.io().execute(() -> {
            untried = found.iterator();
            connectNext();
        });
    }

    private void connectNext() {
        if (stopped) {
            return;
        }
        if (!untried.hasNext()) {
            pause();
            return;
        }
        HandshakeHandler handshake = new HandshakeHandler(
                context.handshakes(), peer, Purpose.LINK, address.toString(), address.host(), this);
        ChannelFuture connecting = Connector.connect(context.handshakes(), untried.next(), address, handshake);
        attempt = connecting.channel();
        connecting.addListener(connected -> {
            if (!connected.isSuccess()) {
                IoThread.run(() -> failed(connected.cause().getMessage()));
            }
        });
    }

    @Override
    public Refused objection(Hello hello, boolean proves) {
        return context.handshakes().policy().refusalOfDialed(hello, peer, Purpose.LINK, address);
    }

    @Override
    public HandshakeHandler.NextHandler established(Hello hello, Channel channel) {
        if (stopped) {
            return null;
        }
        untried = List.<InetAddress>of().iterator();
        upSinceNanos = context.io().runtime().nanoTime();
        reports.clear(peer);
        link.tried();
        return new PeerConnection(context, link, channel, address.toString(), hello);
    }

    @Override
    public void refused(int named, Refused refusal, boolean proved) {
        if (!stopped) {
            // Another process may have the peer's address.
            boolean itself = proved || !context.settings().demandsProofOfDialed();
            context.refusals().refused(named, refusal, itself, outcome -> outcome.accept(itself));
        }
        connectNext();
    }

    @Override
    public void failed(String reason) {
        trouble = reason;
        connectNext();
    }

    /** The link has lost its connection: another is made after a pause. */
    void onDown() {
        int max = context.settings().limits().reconnectMaxMillis();
        boolean lasted = context.io().runtime().nanoTime() - upSinceNanos >= TimeUnit.MILLISECONDS.toNanos(max);
        trouble = null;
        if (lasted) {
            pauseMillis = context.settings().limits().reconnectMinMillis();
        }
        pause();
    }

    private void pause() {
        if (stopped) {
            return;
        }
        link.tried();
        String report = trouble == null
                ? null
                : reports.admit(peer, trouble, context.io().runtime().nanoTime());
        if (report != null) {
            LOG.warn("Replica {} at {} cannot be reached, trying on: {}", peer, address, report);
        }
        int delay = pauseMillis / 2 + context.io().runtime().nextInt(pauseMillis / 2 + 1);
        context.io().schedule(this::dial, delay);
        pauseMillis =
                (int) Math.min(2L * pauseMillis, context.settings().limits().reconnectMaxMillis());
    }
}
