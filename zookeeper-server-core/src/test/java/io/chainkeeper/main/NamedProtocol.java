package io.chainkeeper.main;

import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.SettingKeys;

/** A protocol that has a name and one setting, {@code NAME.window}, from 1 to 9, and is never created. */
record NamedProtocol(String name) implements OrderingProtocolFactory {
    @Override
    public SettingKeys settings() {
        return new SettingKeys.Builder().number(name + ".window", 4, 1, 9).build();
    }

    @Override
    public MessageCodec codec() {
        throw new AssertionError("the configuration needs no codec");
    }

    @Override
    public OrderingProtocol create(ProtocolContext context, Effects effects) {
        throw new AssertionError("the configuration creates no protocol");
    }
}
