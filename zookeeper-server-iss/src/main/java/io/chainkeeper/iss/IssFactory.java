package io.chainkeeper.iss;

import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.InputCycle;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.LogTraces;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.RuleSwitches;
import io.chainkeeper.ordering.SettingKeys;
import io.chainkeeper.ordering.acceptor.AcceptedHead;
import io.chainkeeper.ordering.acceptor.IdentityRule;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import java.util.List;
import java.util.Set;

/** {@code ordering.protocol=iss}. */
public final class IssFactory implements OrderingProtocolFactory {
    private static final MessageCodec CODEC = new IssCodec();
    private static final List<Enum<?>> RULES = RuleSwitches.all(SafetyRule.values(), IdentityRule.values());

    private final SafetyRules rules;

    /** With all rules. */
    public IssFactory() {
        this(RuleSwitches.ALL_ON);
    }

    private IssFactory(RuleSwitches switches) {
        rules = new SafetyRules(switches);
    }

    @Override
    public String name() {
        return "iss";
    }

    @Override
    public SettingKeys settings() {
        return IssSettings.KEYS;
    }

    @Override
    public MessageCodec codec() {
        return CODEC;
    }

    @Override
    public OrderingProtocol create(ProtocolContext context, Effects effects) {
        return create(context, rules, effects);
    }

    @Override
    public List<String> rules() {
        return RULES.stream().map(Enum::name).toList();
    }

    @Override
    public OrderingProtocolFactory without(String rule) {
        return new IssFactory(rules.switches().and(RULES, rule));
    }

    /** Creates an instance with some of the rules taken out, for tests that show what each is good for. */
    static OrderingProtocol create(ProtocolContext context, SafetyRules rules, Effects effects) {
        int participants = context.ensemble().participants().size();
        IssSettings settings = new IssSettings(context.settings(), participants, context.tickMillis());
        return new InputCycle(new Iss(context, settings, rules, effects));
    }

    /**
     * An epoch's configuration is there before anything is accepted in it; a chain has its promised ballot, which is
     * shorter, under that number. A replica that has only learned has records of a kind that no chain has.
     */
    @Override
    public boolean mayHaveWritten(LogTraces traces) {
        Set<Integer> kinds = traces.positionalKinds();
        LogRecord epoch = traces.metadata(IssState.EPOCH);
        boolean written = epoch == null
                ? Set.of(IssState.DECIDED).equals(kinds)
                : epoch.head().length() >= EpochConfig.LEAST_BYTES;
        return written && Set.of(IssState.ACCEPTED, IssState.DECIDED).containsAll(kinds);
    }

    @Override
    public String describe(LogRecord record) throws MalformedMessageException {
        String identity = ReplicaIdentity.describe(record);
        if (identity != null) {
            return identity;
        }
        if (record.position() != LogRecord.METADATA && record.kind() == IssState.ACCEPTED) {
            AcceptedHead head = AcceptedHead.of(record);
            return "accepted in ballot " + head.ballot() + ", known as decided up to " + head.decided();
        }
        if (record.position() != LogRecord.METADATA && record.kind() == IssState.DECIDED) {
            return "decided, as everything up to " + AcceptedHead.of(record).decided();
        }
        if (record.position() == LogRecord.METADATA && record.kind() == IssState.EPOCH) {
            return EpochConfig.decode(record.head()).describe();
        }
        if (record.position() == LogRecord.METADATA && record.kind() == IssState.PROMISES) {
            return Epoch.describePromises(record.head());
        }
        throw new MalformedMessageException("kind " + record.kind() + " is none of ISS");
    }
}
