package io.chainkeeper.chain;

import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import java.util.Map;
import java.util.Set;

/** {@code ordering.protocol=chain}. */
public final class ChainPaxosFactory implements OrderingProtocolFactory {
    private static final MessageCodec CODEC = new ChainCodec();

    @Override
    public String name() {
        return "chain";
    }

    @Override
    public Set<String> settingKeys() {
        return ChainSettings.names();
    }

    @Override
    public String checkSettings(Map<String, String> settings, int memberCount) {
        return ChainSettings.check(settings, memberCount);
    }

    @Override
    public MessageCodec codec() {
        return CODEC;
    }

    @Override
    public int streamCount(int memberCount) {
        return 1;
    }

    @Override
    public OrderingProtocol create(ProtocolContext context, Effects effects) {
        return new ChainPaxos(
                context,
                ChainSettings.of(
                        context.settings(), context.ensemble().participants().size(), context.tickMillis()),
                effects);
    }
}
