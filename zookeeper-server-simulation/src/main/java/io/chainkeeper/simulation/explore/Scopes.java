package io.chainkeeper.simulation.explore;

import java.util.Map;
import java.util.TreeMap;

/** The scopes that have a name. Every build explores them; each is small enough to be exhausted. */
final class Scopes {
    private static final int FIRST_CANDIDATE_TICKS = 3;
    private static final int SILENT_LEADER_TICKS = 6;

    private Scopes() {}

    /** By name. */
    static Map<String, Scope> named() {
        Map<String, Scope> scopes = new TreeMap<>();
        // Writes at the head and at the end of the chain, a read between them.
        scopes.put("no-fault", Scope.led().withWrites(1, 0, 1).withReads(0, 1, 0));
        // Two candidates at once.
        scopes.put("cold-start", Scope.cold().withTicks(FIRST_CANDIDATE_TICKS, 1, 1, 0));
        // Nobody hears a leader that is up.
        scopes.put("leader-silent", Scope.led().withTicks(SILENT_LEADER_TICKS, 0, 1, 1));
        // The leader dies with a write on its way, and another takes over while a client of the third reads.
        scopes.put(
                "leader-crash",
                Scope.led()
                        .withWrites(1, 0, 0)
                        .withReads(0, 0, 1)
                        .withTicks(FIRST_CANDIDATE_TICKS, 0, 1, 0)
                        .withCrashes(1, 0, 1, 0, 0));
        // A member loses what was not durable and comes back.
        scopes.put("middle-crash", Scope.led().withWrites(0, 0, 1).withCrashes(1, 1, 0, 1, 0));
        scopes.put("tail-crash", Scope.led().withWrites(1, 0, 0).withCrashes(1, 1, 0, 0, 1));
        // Any link loses what is on its way and comes back.
        scopes.put(
                "link-break", Scope.led().withWrites(1, 0, 0).withReads(0, 0, 1).withBreaks(1));
        return scopes;
    }
}
