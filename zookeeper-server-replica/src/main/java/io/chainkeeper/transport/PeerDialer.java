package io.chainkeeper.transport;

import io.chainkeeper.transport.HandshakeMessage.Hello;
import io.chainkeeper.transport.HandshakeMessage.Purpose;
import io.chainkeeper.transport.HandshakeMessage.Refused;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps trying to reach one peer for as long as there is no connection to it: look the name up, try each address,
 * pause, again. Serves one address; a peer that moves gets another dialer. Belongs to the I/O thread.
 */
final class PeerDialer implements HandshakeHandler.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(NettyPeerTransport.class);

    private static final int REPORT_PAUSE_MILLIS = 1_000;

    private final IoContext io;
    private final int peer;
    private final PeerAddress address;
    private final PeerLink link;
    private final ReportGate gate;
    private final Runnable lookUp = this::lookUp;
    private Channel attempt;
    private Iterator<InetAddress> untried = List.<InetAddress>of().iterator();
    private String trouble;
    private int pauseMillis;
    private long upSinceNanos;
    private boolean stopped;

    /**
     * @param io shared parts
     * @param link to a peer whose id is smaller than this replica's
     * @param address where the peer is
     */
    PeerDialer(IoContext io, PeerLink link, PeerAddress address) {
        this.io = io;
        this.peer = link.peer();
        this.address = address;
        this.link = link;
        this.pauseMillis = io.settings().limits().reconnectMinMillis();
        this.gate = new ReportGate(REPORT_PAUSE_MILLIS);
    }

    /** Connects no more and gives up what has begun. */
    void stop() {
        stopped = true;
        io.blocking().remove(lookUp);
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
        io.blocking().execute(lookUp);
    }

    private void lookUp() {
        List<InetAddress> found;
        try {
            found = io.settings().resolver().resolve(address.host());
        } catch (UnknownHostException | RuntimeException e) {
            io.execute(() -> {
                trouble = "its name cannot be resolved at the moment (" + e.getMessage() + ")";
                pause();
            });
            return;
        }
        io.execute(() -> {
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
        HandshakeHandler handshake =
                new HandshakeHandler(io, peer, Purpose.LINK, address.toString(), address.host(), this);
        ChannelFuture connecting = Connector.connect(io, untried.next(), address, handshake);
        attempt = connecting.channel();
        connecting.addListener(connected -> {
            if (!connected.isSuccess()) {
                trouble = connected.cause().getMessage();
                connectNext();
            }
        });
    }

    @Override
    public Refused objection(Hello hello, boolean proves) {
        return io.policy().refusalOfDialed(hello, peer, Purpose.LINK, address);
    }

    @Override
    public HandshakeHandler.Successor established(Hello hello, Channel channel) {
        if (stopped) {
            return null;
        }
        untried = List.<InetAddress>of().iterator();
        upSinceNanos = System.nanoTime();
        gate.clear(peer);
        link.tried();
        return new PeerConnection(io, link, channel, address.toString(), hello);
    }

    @Override
    public void refused(int named, Refused refusal, boolean proved) {
        if (!stopped) {
            // Somebody else may have the peer's address.
            boolean itself = proved || !io.settings().demandsProofOfDialed();
            io.refusals().refused(named, refusal, itself, outcome -> outcome.accept(itself));
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
        int max = io.settings().limits().reconnectMaxMillis();
        boolean lasted = System.nanoTime() - upSinceNanos >= TimeUnit.MILLISECONDS.toNanos(max);
        trouble = null;
        if (lasted) {
            pauseMillis = io.settings().limits().reconnectMinMillis();
        }
        pause();
    }

    private void pause() {
        if (stopped) {
            return;
        }
        link.tried();
        String report = trouble == null ? null : gate.admit(peer, trouble, System.nanoTime());
        if (report != null) {
            LOG.warn("Replica {} at {} cannot be reached, trying on: {}", peer, address, report);
        }
        int delay = pauseMillis / 2 + ThreadLocalRandom.current().nextInt(pauseMillis / 2 + 1);
        io.loop().schedule(() -> IoContext.run(this::dial), delay, TimeUnit.MILLISECONDS);
        pauseMillis = (int) Math.min(2L * pauseMillis, io.settings().limits().reconnectMaxMillis());
    }
}
