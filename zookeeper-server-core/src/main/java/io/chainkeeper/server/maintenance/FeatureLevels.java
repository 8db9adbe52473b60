package io.chainkeeper.server.maintenance;

import io.chainkeeper.command.Command;
import io.chainkeeper.config.FeatureRaising;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.server.proposal.PatientProposer;
import io.chainkeeper.server.reconfig.EffectiveEnsemble;
import io.chainkeeper.server.state.FeatureState.Runs;
import io.chainkeeper.server.state.ReplicatedState;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proposes a higher feature level: the leader by itself, when all servers have supported one for long enough, and any
 * server when the operator asks. {@link #tick} is for the background, the other methods for any thread.
 */
public final class FeatureLevels {
    private static final Logger LOG = LoggerFactory.getLogger(FeatureLevels.class);
    private static final long NOT_COMMON = -1;

    private final FeatureRange own;
    private final FeatureRaising raising;
    private final ReplicatedState state;
    private final EffectiveEnsemble ensemble;
    private final PatientProposer proposer;
    private final LongSupplier clockMillis;
    private long commonSinceMillis = NOT_COMMON;
    private int commonLevel;

    /**
     * @param own the levels that this replica knows
     * @param raising when the leader raises the level by itself
     * @param state the replicated state
     * @param ensemble the ensemble in force
     * @param proposer the way into the order
     * @param clockMillis a monotonic clock
     */
    public FeatureLevels(
            FeatureRange own,
            FeatureRaising raising,
            ReplicatedState state,
            EffectiveEnsemble ensemble,
            PatientProposer proposer,
            LongSupplier clockMillis) {
        this.own = own;
        this.raising = raising;
        this.state = state;
        this.ensemble = ensemble;
        this.proposer = proposer;
        this.clockMillis = clockMillis;
    }

    /** @param leads whether this replica leads a cluster that serves */
    void tick(boolean leads) {
        int common = leads && raising.byItself() ? highestCommon() : FeatureRange.NO_LEVEL;
        if (common <= state.features().level().number()) {
            commonSinceMillis = NOT_COMMON;
            return;
        }
        long now = clockMillis.getAsLong();
        if (commonSinceMillis == NOT_COMMON || common != commonLevel) {
            commonSinceMillis = now;
            commonLevel = common;
            LOG.info("All servers know feature level {}: it is put in force in {} s", common, raising.delaySeconds());
        }
        if (now - commonSinceMillis >= raising.delayMillis()) {
            // Asked again after as long, should this proposal come to nothing.
            commonSinceMillis = now;
            propose(common);
        }
    }

    private void propose(int level) {
        proposer.propose(
                0,
                new Command.RaiseFeatureLevel(
                        proposer.wallClockMillis(),
                        FeatureLevel.of(level),
                        servers().stream().toList()));
    }

    /** @return ids of the servers of the ensemble in force */
    public SortedSet<Integer> servers() {
        return new TreeSet<>(ensemble.effective().servers().keySet());
    }

    /** @return the highest level that all servers know, {@link FeatureRange#NO_LEVEL} if one has not said it */
    public int highestCommon() {
        return Math.min(own.newest(), state.features().highestCommon(servers()));
    }

    /** @return numbers for monitoring; any thread */
    public Map<String, LongSupplier> gauges() {
        return Map.of(
                "feature_level",
                () -> state.features().level().number(),
                "feature_level_possible",
                this::highestCommon);
    }

    /**
     * Asks for a higher level, on behalf of the operator. Returns when that is proposed, before it is executed.
     *
     * @param level the level
     * @return null, or why it cannot be put in force, one line; then nothing is proposed
     */
    public String raise(int level) {
        int present = state.features().level().number();
        if (present == FeatureRange.NO_LEVEL) {
            return "the cluster has not been formed yet";
        }
        if (level == present) {
            return null;
        }
        if (level < present) {
            return "feature level " + present + " is in force, and it never falls";
        }
        if (level > own.newest()) {
            return "this release knows " + own + " only; start the release that brings level " + level
                    + " on all servers first";
        }
        Map<Integer, Runs> runs = state.features().runs();
        for (int server : servers()) {
            Runs of = runs.get(server);
            if (of == null) {
                return "server " + server + " has not said which levels it knows; start release "
                        + FeatureLevel.of(level).release() + " or later there";
            }
            if (!of.levels().holds(level)) {
                return "server " + server + " runs release " + of.release() + ", which knows " + of.levels()
                        + " only; start release " + FeatureLevel.of(level).release() + " or later there";
            }
        }
        propose(level);
        return null;
    }
}
