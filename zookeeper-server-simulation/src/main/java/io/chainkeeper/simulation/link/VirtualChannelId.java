package io.chainkeeper.simulation.link;

import io.netty.channel.ChannelId;

/**
 * Netty's own ids are random, and sets of channels hash them.
 *
 * @param number of the channel in its network
 */
record VirtualChannelId(long number) implements ChannelId {
    @Override
    public String asShortText() {
        return Long.toString(number);
    }

    @Override
    public String asLongText() {
        return asShortText();
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    @Override
    public int compareTo(ChannelId other) {
        return Long.compare(number, ((VirtualChannelId) other).number);
    }
}
