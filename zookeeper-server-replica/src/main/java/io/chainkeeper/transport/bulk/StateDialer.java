package io.chainkeeper.transport.bulk;

import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.TransportLimits;
import io.chainkeeper.transport.handshake.Connector;
import io.chainkeeper.transport.handshake.HandshakeContext;
import io.chainkeeper.transport.handshake.HandshakeHandler;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.netty.channel.Channel;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

/** One attempt to open a connection for bulk requests at one address; the calling thread waits for its end. */
public final class StateDialer implements HandshakeHandler.Owner {
    /** Past the limits of connecting and handshake, which end the attempt unless the I/O thread itself has ended. */
    private static final int SPARE_MILLIS = 1_000;

    private final HandshakeContext context;
    private final StateConnections connections;
    private final int peer;
    private final PeerAddress address;
    private final CompletableFuture<StateClientConnection> outcome = new CompletableFuture<>();

    private StateDialer(HandshakeContext context, StateConnections connections, int peer, PeerAddress address) {
        this.context = context;
        this.connections = connections;
        this.peer = peer;
        this.address = address;
    }

    /**
     * Looks the name up and tries each of its addresses in turn. Any thread but the I/O thread.
     *
     * @param context what handshakes share
     * @param connections gets the connection
     * @param peer replica id
     * @param address where it is
     * @return the open channel
     * @throws IOException if it cannot be reached or one side refuses; names peer and reason
     */
    public static StateChannel open(
            HandshakeContext context, StateConnections connections, int peer, PeerAddress address) throws IOException {
        String trouble = "its name has no address";
        for (InetAddress target : lookUp(context, peer, address)) {
            try {
                return new StateDialer(context, connections, peer, address)
                        .connect(target)
                        .channel();
            } catch (ExecutionException e) {
                trouble = e.getCause().getMessage();
            } catch (TimeoutException | RejectedExecutionException e) {
                trouble = "this replica's transport is closed";
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while connecting to replica " + peer + " at " + address);
            }
        }
        throw unreachable(peer, address, trouble, null);
    }

    private static List<InetAddress> lookUp(HandshakeContext context, int peer, PeerAddress address)
            throws IOException {
        try {
            return context.settings().resolver().resolve(address.host());
        } catch (UnknownHostException | RuntimeException e) {
            throw unreachable(peer, address, "its name cannot be resolved at the moment (" + e.getMessage() + ")", e);
        }
    }

    private static IOException unreachable(int peer, PeerAddress address, String trouble, Exception cause) {
        return new IOException(
                "no bulk connection to replica " + peer + " at " + address + " can be opened: " + trouble, cause);
    }

    private StateClientConnection connect(InetAddress target)
            throws ExecutionException, TimeoutException, InterruptedException {
        if (Thread.interrupted()) {
            // The future would not say so if the connection stood before it was asked.
            throw new InterruptedException();
        }
        if (context.io().loop().isShuttingDown()) {
            throw new RejectedExecutionException();
        }
        HandshakeHandler handshake =
                new HandshakeHandler(context, peer, Purpose.STATE, address.toString(), address.host(), this);
        Connector.connect(context, target, address, handshake).addListener(connected -> {
            if (!connected.isSuccess()) {
                failed(connected.cause().getMessage());
            }
        });
        TransportLimits limits = context.settings().limits();
        long limit = (long) limits.connectTimeoutMillis() + limits.handshakeTimeoutMillis() + SPARE_MILLIS;
        try {
            return context.io().runtime().await(outcome, limit);
        } finally {
            outcome.cancel(false);
        }
    }

    @Override
    public Refused objection(Hello hello, boolean proves) {
        return context.policy().refusalOfDialed(hello, peer, Purpose.STATE, address);
    }

    @Override
    public HandshakeHandler.NextHandler established(Hello hello, Channel channel) {
        if (outcome.isDone()) {
            return null;
        }
        StateClientConnection requester = connections.request(peer, channel, address.toString());
        if (requester == null) {
            failed("this replica has as many open as it may, or it stops");
        } else if (!outcome.complete(requester)) {
            requester.end("nobody waits for it any more", false);
        }
        return requester;
    }

    @Override
    public void refused(int named, Refused refusal, boolean proved) {
        failed(refusal.report());
    }

    @Override
    public void failed(String reason) {
        outcome.completeExceptionally(new IOException(reason));
    }
}
