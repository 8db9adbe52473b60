package io.chainkeeper.simulation.link;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import java.util.Set;

/** Takes the options that a real socket has, which mean nothing here. */
final class VirtualChannelConfig extends DefaultChannelConfig {
    private static final Set<ChannelOption<?>> OF_SOCKETS =
            Set.of(ChannelOption.TCP_NODELAY, ChannelOption.SO_KEEPALIVE, ChannelOption.SO_BACKLOG);

    private final Runnable whenReadingStops;

    /**
     * @param channel that is configured
     * @param memory for buffers
     * @param whenReadingStops run when nothing shall be read any more
     */
    VirtualChannelConfig(Channel channel, ByteBufAllocator memory, Runnable whenReadingStops) {
        super(channel);
        this.whenReadingStops = whenReadingStops;
        setAllocator(memory);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        return OF_SOCKETS.contains(option) || super.setOption(option, value);
    }

    @Override
    protected void autoReadCleared() {
        whenReadingStops.run();
    }
}
