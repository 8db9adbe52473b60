package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.DiskFormat;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.InputCycle;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.RuleSwitches;
import io.chainkeeper.ordering.SettingKeys;
import io.chainkeeper.ordering.SharedDiskFormat;
import java.util.Arrays;
import java.util.List;

/** {@code ordering.protocol=disk}. */
public final class DiskPaxosFactory implements OrderingProtocolFactory {
    private static final MessageCodec CODEC = new DiskCodec();
    private static final List<SafetyRule> RULES = List.of(SafetyRule.values());

    private final SafetyRules rules;

    /** With all rules. */
    public DiskPaxosFactory() {
        this(RuleSwitches.ALL_ON);
    }

    private DiskPaxosFactory(RuleSwitches switches) {
        rules = new SafetyRules(switches);
    }

    @Override
    public String name() {
        return "disk";
    }

    @Override
    public SettingKeys settings() {
        return DiskSettings.KEYS;
    }

    @Override
    public MessageCodec codec() {
        return CODEC;
    }

    @Override
    public SharedDiskFormat sharedDisks() {
        return new DiskFormat(DiskSettings.KEYS);
    }

    @Override
    public OrderingProtocol create(ProtocolContext context, Effects effects) {
        DiskSettings settings = new DiskSettings(context.settings(), context.tickMillis());
        return new InputCycle(new DiskPaxos(context, settings, rules, effects));
    }

    @Override
    public List<String> rules() {
        return Arrays.stream(SafetyRule.values()).map(Enum::name).toList();
    }

    @Override
    public OrderingProtocolFactory without(String rule) {
        return new DiskPaxosFactory(rules.switches().and(RULES, rule));
    }
}
