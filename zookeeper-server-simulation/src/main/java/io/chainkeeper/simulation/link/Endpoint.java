package io.chainkeeper.simulation.link;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetSocketAddress;

/** One end of a connection, as the kernel of its host knows it. */
final class Endpoint {
    private final Host host;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final long boot;
    private VirtualStream in;
    private VirtualStream out;
    private VirtualChannel channel;
    private boolean closed;
    private boolean resetAnswered;

    /**
     * @param host where it is
     * @param local its address
     * @param remote address of the other end
     */
    Endpoint(Host host, InetSocketAddress local, InetSocketAddress remote) {
        this.host = host;
        this.local = local;
        this.remote = remote;
        this.boot = host.boot();
    }

    void connect(VirtualStream incoming, VirtualStream outgoing) {
        in = incoming;
        out = outgoing;
    }

    /** @param owner told of what happens from now on */
    void ownedBy(VirtualChannel owner) {
        channel = owner;
    }

    InetSocketAddress local() {
        return local;
    }

    InetSocketAddress remote() {
        return remote;
    }

    Host host() {
        return host;
    }

    VirtualStream in() {
        return in;
    }

    VirtualStream out() {
        return out;
    }

    boolean isHostUp() {
        return host.isUp();
    }

    /** Whether the host knows of no such connection: it was closed there, or the host has started anew. */
    boolean isGone() {
        return closed || !host.isUp() || boot != host.boot();
    }

    /** Whether nothing will happen here any more. */
    boolean isOver() {
        return isGone() || in.isReset();
    }

    int write(ByteBuf bytes) throws IOException {
        if (in.isReset()) {
            throw new IOException("Connection reset by peer");
        }
        return out.write(bytes);
    }

    void hasRoom() {
        if (channel != null && !isGone()) {
            channel.hasRoom();
        }
    }

    void hasNews() {
        if (channel != null) {
            channel.hasNews();
        }
    }

    /** Something arrived for a connection that there is not. */
    void answerReset() {
        if (!resetAnswered) {
            resetAnswered = true;
            out.reset();
        }
    }

    /** The process closes its socket, or ends. */
    void close() {
        if (closed) {
            return;
        }
        boolean tellsOther = !isGone() && !in.isReset();
        closed = true;
        channel = null;
        if (tellsOther) {
            if (in.hasBytes()) {
                resetAnswered = true;
                out.reset();
            } else {
                out.end();
            }
        }
    }

    /** The host is without power: nobody is told. */
    void vanish() {
        channel = null;
    }
}
