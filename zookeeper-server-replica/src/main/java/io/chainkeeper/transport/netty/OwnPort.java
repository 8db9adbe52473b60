package io.chainkeeper.transport.netty;

import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.io.IoThread;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a replica listens for others, which follows its own address: the new port is opened before the old one is
 * closed, and links that are up stay. What cannot be opened is tried again and again. All but {@link #moveTo} runs on
 * the I/O thread.
 */
final class OwnPort {
    /** Between two attempts. */
    static final int RETRY_MILLIS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(OwnPort.class);

    private final TransportSettings settings;
    private final IoThread io;
    private final Supplier<ServerBootstrap> bootstrap;
    private final Consumer<Channel> listensAt;
    private PeerAddress current;
    private PeerAddress wanted;
    private Channel channel;
    private boolean moving;
    private String problem;

    /**
     * @param settings who this replica is
     * @param io opens ports
     * @param bootstrap makes what accepts connections
     * @param current where it listens
     * @param channel that port
     * @param listensAt told of each other port
     */
    OwnPort(
            TransportSettings settings,
            IoThread io,
            Supplier<ServerBootstrap> bootstrap,
            PeerAddress current,
            Channel channel,
            Consumer<Channel> listensAt) {
        this.settings = settings;
        this.io = io;
        this.bootstrap = bootstrap;
        this.current = current;
        this.wanted = current;
        this.channel = channel;
        this.listensAt = listensAt;
    }

    /**
     * Listens somewhere else, as soon as that works. Any thread.
     *
     * @param address this replica's own
     */
    void moveTo(PeerAddress address) {
        io.execute(() -> {
            wanted = address;
            move();
        });
    }

    private void move() {
        if (moving || isSame()) {
            return;
        }
        moving = true;
        PeerAddress next = wanted;
        io.blocking().execute(() -> {
            try {
                InetSocketAddress address = NettyPeerTransport.bindAddress(settings, next);
                io.execute(() -> bind(next, address));
            } catch (IOException | RuntimeException e) { // as a resolver throws them
                io.execute(() -> failed(next, e.getMessage()));
            }
        });
    }

    /** Who listens on all addresses does not care which of them it is known by. */
    private boolean isSame() {
        return wanted.equals(current) || settings.listenOnAllAddresses() && wanted.port() == current.port();
    }

    private void bind(PeerAddress next, InetSocketAddress address) {
        bootstrap
                .get()
                .bind(address)
                .addListener(bound -> io.execute(() -> {
                    if (bound.isSuccess()) {
                        opened(next, ((ChannelFuture) bound).channel());
                    } else {
                        failed(next, bound.cause().getMessage());
                    }
                }));
    }

    private void opened(PeerAddress next, Channel opened) {
        io.channels().add(opened);
        LOG.info(
                "Replica {} listens for its peers on {} instead of {}",
                settings.replicaId(),
                opened.localAddress(),
                channel.localAddress());
        channel.close();
        channel = opened;
        current = next;
        problem = null;
        moving = false;
        listensAt.accept(opened);
        move();
    }

    private void failed(PeerAddress next, String reason) {
        String now = "Replica " + settings.replicaId() + " still listens for its peers on " + channel.localAddress()
                + ": its new address " + next + " cannot be used (" + reason + "); it is tried every " + RETRY_MILLIS
                + " ms";
        if (!now.equals(problem)) {
            LOG.error("{}", now);
            problem = now;
        }
        io.schedule(
                () -> {
                    moving = false;
                    move();
                },
                RETRY_MILLIS);
    }
}
