package io.chainkeeper.chain;

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
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.acceptor.IdentityRule;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import java.util.List;
import java.util.Set;

/** {@code ordering.protocol=chain}. */
public final class ChainPaxosFactory implements OrderingProtocolFactory {
    private static final MessageCodec CODEC = new ChainCodec();
    private static final List<Enum<?>> RULES = RuleSwitches.all(SafetyRule.values(), IdentityRule.values());

    private final SafetyRules rules;

    /** With all rules. */
    public ChainPaxosFactory() {
        this(RuleSwitches.ALL_ON);
    }

    private ChainPaxosFactory(RuleSwitches switches) {
        rules = new SafetyRules(switches);
    }

    @Override
    public String name() {
        return "chain";
    }

    @Override
    public SettingKeys settings() {
        return ChainSettings.KEYS;
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
        return new ChainPaxosFactory(rules.switches().and(RULES, rule));
    }

    /** Creates an instance with some of the rules taken out, for tests that show what each is good for. */
    static OrderingProtocol create(ProtocolContext context, SafetyRules rules, Effects effects) {
        int participants = context.ensemble().participants().size();
        ChainSettings settings = new ChainSettings(context.settings(), participants, context.tickMillis());
        return new InputCycle(new ChainPaxos(context, settings, rules, effects));
    }

    /**
     * A replica tells others in the ballot that it follows how far all is decided, so it must have promised that
     * ballot.
     */
    @Override
    public int promiseKind() {
        return ReplicaState.PROMISE;
    }

    /**
     * A replica promises a ballot before it accepts; ISS has an epoch's configuration, which is longer, under that
     * number.
     */
    @Override
    public boolean mayHaveWritten(LogTraces traces) {
        LogRecord promise = traces.metadata(ReplicaState.PROMISE);
        boolean promised = promise != null && promise.head().length() == Ballot.BYTES;
        return promised && Set.of(ReplicaState.ACCEPTED).containsAll(traces.positionalKinds());
    }

    @Override
    public String describe(LogRecord record) throws MalformedMessageException {
        String identity = ReplicaIdentity.describe(record);
        if (identity != null) {
            return identity;
        }
        if (record.position() != LogRecord.METADATA && record.kind() == ReplicaState.ACCEPTED) {
            AcceptedHead head = AcceptedHead.of(record);
            return "accepted in ballot " + head.ballot() + ", known as decided up to " + head.decided();
        }
        if (record.position() == LogRecord.METADATA && record.kind() == ReplicaState.PROMISE) {
            return "promised ballot " + Ballot.get(record.head().asByteBuffer());
        }
        if (record.position() == LogRecord.METADATA && record.kind() == ReplicaState.MEMBERSHIP_DECIDED) {
            return "a membership is decided at position "
                    + record.head().asByteBuffer().getLong();
        }
        throw new MalformedMessageException("kind " + record.kind() + " is none of ChainPaxos");
    }
}
