package io.chainkeeper.transport;

import io.chainkeeper.config.OrderingConfig.PeerAddress;
import io.chainkeeper.transport.HandshakeMessage.Hello;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps trying to reach one peer for as long as there is no connection to it: look the name up, try each address,
 * pause, again. Belongs to the I/O thread.
 */
final class PeerDialer implements HandshakeHandler.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(NettyPeerTransport.class);

    private final IoContext io;
    private final int peer;
    private final PeerAddress address;
    private final PeerLink link;
    private final ReportGate gate;
    private Iterator<InetAddress> untried = List.<InetAddress>of().iterator();
    private String trouble;
    private int pauseMillis;
    private long upSinceNanos;
    private boolean stopped;

    /**
     * @param io shared parts
     * @param peer replica id, smaller than this replica's
     */
    PeerDialer(IoContext io, int peer) {
        this.io = io;
        this.peer = peer;
        this.address = io.settings().members().get(peer);
        this.link = new PeerLink(io, peer, this::onDown);
        this.pauseMillis = io.settings().limits().reconnectMinMillis();
        this.gate = new ReportGate(io.settings().limits().reconnectMaxMillis());
    }

    /** @return the link that it serves */
    PeerLink link() {
        return link;
    }

    /** Connects no more. */
    void stop() {
        stopped = true;
    }

    /** Begins an attempt: the name is looked up anew, without holding up the I/O thread. */
    void dial() {
        if (stopped) {
            return;
        }
        trouble = null;
        io.blocking().execute(this::lookUp);
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
        InetSocketAddress target = new InetSocketAddress(untried.next(), address.port());
        Bootstrap bootstrap = new Bootstrap()
                .group(io.loop())
                .channel(NioSocketChannel.class)
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        io.settings().limits().connectTimeoutMillis())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        prepare(channel);
                    }
                });
        NettyPeerTransport.setSocketOptions(bootstrap::option);
        bootstrap.connect(target).addListener(connected -> {
            if (!connected.isSuccess()) {
                trouble = connected.cause().getMessage();
                connectNext();
            }
        });
    }

    private void prepare(Channel channel) {
        PeerTls tls = io.settings().tls();
        if (tls != null) {
            channel.pipeline()
                    .addLast("tls", new SslHandler(tls.client(address.host(), address.port()), io.blocking()));
        }
        channel.pipeline().addLast("handshake", new HandshakeHandler(io, peer, address.toString(), this));
    }

    @Override
    public String objection(Hello hello) {
        return null;
    }

    @Override
    public PeerLink established(Hello hello) {
        untried = List.<InetAddress>of().iterator();
        upSinceNanos = System.nanoTime();
        gate.clear(peer);
        return link;
    }

    @Override
    public void failed(String reason) {
        if (reason != null) {
            trouble = reason;
        }
        connectNext();
    }

    private void onDown() {
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
        String report = trouble == null ? null : gate.admit(peer, trouble, System.nanoTime());
        if (report != null) {
            LOG.warn("Replica {} at {} cannot be reached, trying on: {}", peer, address, report);
        }
        int delay = pauseMillis / 2 + ThreadLocalRandom.current().nextInt(pauseMillis / 2 + 1);
        io.loop().schedule(() -> IoContext.run(this::dial), delay, TimeUnit.MILLISECONDS);
        pauseMillis = (int) Math.min(2L * pauseMillis, io.settings().limits().reconnectMaxMillis());
    }
}
