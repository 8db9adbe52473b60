package io.chainkeeper.simulation.link;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Queue;

/** A socket that listens. */
final class VirtualServerChannel extends AbstractServerChannel implements VirtualProcess.Served {
    private static final int BACKLOG = 128;

    private final VirtualProcess process;
    private final ChannelConfig config;
    private final Queue<Endpoint> backlog = new ArrayDeque<>();
    private InetSocketAddress bound;
    private boolean open = true;

    /** @param process that listens */
    VirtualServerChannel(VirtualProcess process) {
        this.process = process;
        this.config = new VirtualChannelConfig(this, process.memory(), () -> {});
    }

    @Override
    protected VirtualChannelId newId() {
        return new VirtualChannelId(0);
    }

    /** Whether one more connection finds room until it is accepted. */
    boolean takes() {
        return open && backlog.size() < BACKLOG;
    }

    /** @param endpoint of a connection that somebody has opened */
    void offer(Endpoint endpoint) {
        backlog.add(endpoint);
        process.ready(this);
    }

    /** Accepts what there is; called by the I/O thread. */
    @Override
    public void serve() {
        if (!open || !config.isAutoRead()) {
            return;
        }
        boolean accepted = false;
        for (Endpoint next = backlog.poll(); next != null; next = backlog.poll()) {
            pipeline().fireChannelRead(new VirtualChannel(process, this, next));
            accepted = true;
        }
        if (accepted) {
            pipeline().fireChannelReadComplete();
        }
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof VirtualEventLoop;
    }

    @Override
    protected SocketAddress localAddress0() {
        return bound;
    }

    @Override
    protected void doBind(SocketAddress address) throws Exception {
        bound = process.network().listen(process, (InetSocketAddress) address, this);
    }

    @Override
    protected void doClose() {
        open = false;
        if (bound != null) {
            process.network().unlisten(process, bound, this);
        }
        backlog.forEach(Endpoint::close);
        backlog.clear();
    }

    /** The process is gone. */
    void abandonBacklog() {
        open = false;
        backlog.clear();
    }

    @Override
    protected void doBeginRead() {
        if (!backlog.isEmpty()) {
            process.ready(this);
        }
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open && bound != null;
    }
}
