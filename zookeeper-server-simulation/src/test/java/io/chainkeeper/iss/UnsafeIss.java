package io.chainkeeper.iss;

import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.SettingKeys;

/** ISS without one of the rules that its safety rests on, to show that exploring finds what then goes wrong. */
public final class UnsafeIss implements OrderingProtocolFactory {
    /** Which rule is missing. */
    public enum Rule {
        /** A leader that has restarted is silent in its epoch. */
        RESTARTED_LEADER_IS_SILENT,
        /** Whoever takes a segment over needs promises of a quorum. */
        QUORUM_OF_PROMISES,
        /** A read needs answers of a quorum. */
        QUORUM_OF_ANSWERS,
        /** A proposer whose value is decided to be another gives its ballot up. */
        CONTRADICTED_BALLOT_IS_GIVEN_UP,
        /** A ballot that a refusal has told of is promised only with a record. */
        WHAT_REFUSALS_TELL_IS_RECORDED
    }

    private final OrderingProtocolFactory safe = new IssFactory();
    private final SafetyRules rules;

    /** @param missing the rule that nobody follows */
    public UnsafeIss(Rule missing) {
        this.rules = new SafetyRules() {
            @Override
            boolean mayRestartedLeaderSpeak() {
                return missing == Rule.RESTARTED_LEADER_IS_SILENT;
            }

            @Override
            boolean suffices(int promises, int quorum) {
                return missing == Rule.QUORUM_OF_PROMISES || super.suffices(promises, quorum);
            }

            @Override
            boolean givesUpContradictedBallot() {
                return missing != Rule.CONTRADICTED_BALLOT_IS_GIVEN_UP;
            }

            @Override
            boolean recordsWhatRefusalsTell() {
                return missing != Rule.WHAT_REFUSALS_TELL_IS_RECORDED;
            }

            @Override
            boolean isReadAnswered(int answers, int quorum) {
                return missing == Rule.QUORUM_OF_ANSWERS || super.isReadAnswered(answers, quorum);
            }
        };
    }

    @Override
    public String name() {
        return safe.name();
    }

    @Override
    public SettingKeys settings() {
        return safe.settings();
    }

    @Override
    public MessageCodec codec() {
        return safe.codec();
    }

    @Override
    public int streamCount(int memberCount) {
        return safe.streamCount(memberCount);
    }

    @Override
    public OrderingProtocol create(ProtocolContext context, Effects effects) {
        return IssFactory.create(context, rules, effects);
    }
}
