package io.chainkeeper.simulation.swarm;

import io.chainkeeper.config.FeatureRaising;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import java.util.List;

/**
 * The releases of a run in which servers are upgraded and go back.
 *
 * @param newAtFirst ids of the servers that begin with this release; all others begin with the one before
 * @param raising when the feature level rises
 * @param completed whether the operator has upgraded all servers in the end, also where nothing demands it
 */
public record Upgrades(List<Integer> newAtFirst, FeatureRaising raising, boolean completed) {
    /** The levels that the release before knows. */
    public static final FeatureRange FORMER = new FeatureRange(FeatureRange.FIRST_LEVEL, FeatureRange.FIRST_LEVEL);

    /** The levels that this release knows. */
    public static final FeatureRange PRESENT = Release.levels();

    /** A run in which all servers are of this release, and stay so. */
    public static final Upgrades NONE = new Upgrades(List.of(), FeatureRaising.DEFAULT, false);
}
