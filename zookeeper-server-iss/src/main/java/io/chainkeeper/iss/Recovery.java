package io.chainkeeper.iss;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.acceptor.AcceptedHead;

/**
 * Rebuilds a replica's state from its log.
 *
 * <p>Known as decided is everything before the newest epoch in the log, up to the highest prefix in the head of any
 * record, and up to the checkpoint. A checkpoint can be ahead of the log only by positions that initial leaders left
 * empty. A checkpoint that lies beyond the newest epoch in the log was installed; then this replica learns until others
 * have told it in which epoch the order is.
 *
 * <p>An earlier start from a checkpoint ahead of the log has left a hole there. If that checkpoint is gone, and this
 * start is from an older one, the positions of the hole have to come from others: as long as the newest epoch has
 * begun, this replica takes part in that epoch as a replica that has not received them; else it first learns up to
 * there.
 */
final class Recovery {
    private final IssState state;

    /** Everything up to here is known to be decided. */
    private long decided;

    Recovery(IssState state) {
        this.state = state;
    }

    /** Returns the epoch to go on in; null if it is not known. */
    Epoch recover(RecoveredState recovered) {
        LogRecord record = recovered.metadata(IssState.EPOCH);
        state.identity.start(recovered, record == null);
        long applied = recovered.appliedPosition();
        state.prefix = applied;
        state.delivered = applied;
        state.agreement.hashes().begin(applied, recovered.appliedPrefixHash());
        EpochConfig config = record == null ? null : decode(record);
        if (config != null && state.context.start() == Start.SOLE_SURVIVOR) {
            config = state.recordSurvived(config);
        }
        decided = config == null ? applied : Math.max(applied, config.first() - 1);
        recovered.forEachHead(
                1, r -> decided = Math.max(decided, AcceptedHead.of(r).decided()));
        recovered.forEachPosition(applied + 1, r -> {
            if (r.position() == state.prefix + 1 && r.position() <= decided) {
                state.recovered(r.body());
            }
        });
        checkHole();
        if (config == null || state.prefix > config.last() || applied >= config.last()) {
            return null;
        }
        Epoch epoch = resume(recovered, config);
        if (state.prefix < config.first() - 1) {
            state.awaited = epoch;
            return null;
        }
        return epoch;
    }

    private void checkHole() {
        Ensemble ensemble = state.ensemble;
        boolean othersKnow = state.context.start() != Start.SOLE_SURVIVOR
                && ensemble.participants().size() + ensemble.observers().size() > 1;
        InvariantViolated.check(
                state.prefix == decided || othersKnow,
                "the acceptor log knows position %d as decided but holds values only up to %d, the application's state"
                        + " reaches only to %d, and there is no other replica that could tell the rest. Restore this"
                        + " replica's data directories from a backup that belongs together",
                decided,
                state.prefix,
                state.delivered);
    }

    private static EpochConfig decode(LogRecord record) {
        try {
            return EpochConfig.decode(record.head());
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("the acceptor log's epoch does not decode: " + e.getMessage());
        }
    }

    private Epoch resume(RecoveredState recovered, EpochConfig config) {
        boolean maySpeak = !state.rules.isOn(SafetyRule.RESTARTED_LEADER_IS_SILENT);
        Epoch epoch = new Epoch(config, state.self, state.votesIn(config), maySpeak, state.prefix, state.now);
        recovered.forEachPosition(config.first(), record -> {
            if (config.contains(record.position())) {
                refill(epoch, record);
            }
        });
        if (state.delivered >= config.first() - 1) {
            epoch.held(); // nothing before it is left to be delivered
        }
        LogRecord promises = recovered.metadata(IssState.PROMISES);
        if (promises != null) {
            epoch.recoverPromises(promises.head());
        }
        return epoch;
    }

    private void refill(Epoch epoch, LogRecord record) {
        long position = record.position();
        Slot slot = epoch.slot(position);
        if (record.kind() == IssState.ACCEPTED) {
            Segment segment = epoch.segment(epoch.config().segmentOf(position));
            slot.accept(AcceptedHead.of(record).ballot(), record.body(), 0);
            segment.raise(slot.ballot());
        }
        if (record.kind() == IssState.DECIDED || position <= decided) {
            slot.decide(record.body(), false, false);
            slot.recorded(0);
            if (!IssState.isNil(record.body())) {
                epoch.held(); // a quorum has accepted it
            }
        }
        epoch.used(position, record.body(), slot.isDecided());
        if (position < epoch.config().last() && position <= state.prefix) {
            slot.release();
        }
    }
}
