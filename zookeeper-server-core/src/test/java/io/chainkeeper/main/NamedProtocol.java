package io.chainkeeper.main;

import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import java.util.Map;
import java.util.Set;

/** A protocol that has a name and one setting, {@code NAME.window}, from 1 to 9, and is never created. */
record NamedProtocol(String name) implements OrderingProtocolFactory {
    @Override
    public Set<String> settingKeys() {
        return Set.of(name + ".window");
    }

    @Override
    public String checkSettings(Map<String, String> settings, int memberCount) {
        String window = settings.get(name + ".window");
        return window == null || window.matches("[1-9]") ? null : name + ".window=" + window + ": write 1 to 9";
    }

    @Override
    public MessageCodec codec() {
        throw new AssertionError("the configuration needs no codec");
    }

    @Override
    public int streamCount(int memberCount) {
        return 1;
    }

    @Override
    public OrderingProtocol create(ProtocolContext context, Effects effects) {
        throw new AssertionError("the configuration creates no protocol");
    }
}
