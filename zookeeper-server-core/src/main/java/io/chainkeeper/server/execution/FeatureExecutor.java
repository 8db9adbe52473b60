package io.chainkeeper.server.execution;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.UnknownCommandException;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import io.chainkeeper.server.state.FeatureRule;
import io.chainkeeper.server.state.FeatureState;
import io.chainkeeper.server.state.ReleaseMismatch;
import io.chainkeeper.server.state.ReplicatedState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes what concerns the feature level, and stops this replica where its release does not know what is ordered.
 * What is executed depends on the level, never on the release: that is what keeps replicas of two releases equal. Used
 * by the apply thread only.
 */
final class FeatureExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(CommandExecutor.class);

    private final FeatureRange levels;
    private final ReplicatedState state;
    private final ExecutionEvents events;

    /**
     * @param levels that this replica knows
     * @param state the replicated state
     * @param events whom to tell
     */
    FeatureExecutor(FeatureRange levels, ReplicatedState state, ExecutionEvents events) {
        this.levels = levels;
        this.state = state;
        this.events = events;
    }

    /** A command cannot be read: in the first level all replicas skip it. */
    void unreadable(long position, ProposedCommand proposed, MalformedMessageException why) {
        int level = state.features().level().number();
        if (why instanceof UnknownCommandException && level != FeatureRange.FIRST_LEVEL) {
            throw new ReleaseMismatch(
                    "replica " + proposed.proposer() + " has ordered something at position " + position
                            + " that this release, " + Release.name() + ", does not know (" + why.getMessage()
                            + "): start the release that runs there");
        }
        // The same bytes are refused by every replica, so skipping them keeps all of them equal and running.
        LOG.error("Ignoring a command that replica {} proposed: {}", proposed.proposer(), why.getMessage());
    }

    /** A replica has started. */
    void started(int replica, Command.ReplicaStarted started) {
        if (started.levels() != null) {
            state.features().said(replica, new FeatureState.Runs(started.release(), started.levels()));
        }
    }

    /** The cluster has been formed. */
    void formed() {
        inForce(state.features().level());
    }

    /** Somebody wants a higher level. */
    void raise(Command.RaiseFeatureLevel wanted) {
        FeatureLevel before = state.features().level();
        if (!state.features().raise(wanted.level(), wanted.members())) {
            LOG.info(
                    "Feature level {} is not put in force: it is {} already, or a server among {} does not know it",
                    wanted.level().number(),
                    before.number(),
                    wanted.members());
            return;
        }
        LOG.info(
                "Feature level {} is in force, which release {} brought; it was {}",
                wanted.level().number(),
                wanted.level().release(),
                before.number());
        inForce(wanted.level());
    }

    private void inForce(FeatureLevel level) {
        // Noted first: the next start of a release that does not know the level then says so before anything else.
        if (state.features().follows(FeatureRule.LEVEL_IS_NOTED_BEFORE_EXECUTION)) {
            events.featureLevelInForce(level);
        }
        String refusal = level.refusal(levels, Release.name());
        if (refusal != null && state.features().follows(FeatureRule.UNKNOWN_LEVEL_STOPS)) {
            throw new ReleaseMismatch(refusal);
        }
    }
}
