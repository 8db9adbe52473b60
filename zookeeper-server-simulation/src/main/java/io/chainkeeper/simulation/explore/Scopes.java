package io.chainkeeper.simulation.explore;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The scopes that have a name. Every build explores them; each is small enough to be exhausted. */
final class Scopes {
    private static final int FIRST_CANDIDATE_TICKS = 3;
    private static final int SILENT_LEADER_TICKS = 6;

    private static final List<Integer> ALL = List.of(1, 1, 1);

    private Scopes() {}

    /** Those of a protocol, by name: of ISS what is specific for it, of all others what chain does. */
    static Map<String, Scope> named(String protocol) {
        return protocol.equals("iss") ? iss() : chain();
    }

    private static Map<String, Scope> iss() {
        Map<String, Scope> scopes = new TreeMap<>();
        // 1 leaves its position empty for the command of 2, which crashes and comes back to an epoch in which it may
        // have proposed.
        scopes.put("leader-restart", Scope.led().withWrites(0, 1, 0).withCrashes(1, 1, 0, 1, 0));
        // A leader dies with a write on its way, and the others finish its segment.
        scopes.put(
                "takeover",
                Scope.led()
                        .withWrites(1, 0, 0)
                        .withTicks(FIRST_CANDIDATE_TICKS, 0, 1, 1)
                        .withCrashes(1, 0, 1, 0, 0));
        // Two leaders, whose writes use up epochs; either crashes at any time and comes back.
        scopes.put(
                "epoch-end",
                Scope.shortEpochOfTwo().withWrites(0, 1).withReads(1, 0).withCrashes(1, 1, 1, 1));
        // The coordinator dies, and nil in its last position ends the epoch.
        scopes.put(
                "coordinator-crash",
                Scope.shortEpoch().withTicks(FIRST_CANDIDATE_TICKS, 1, 1, 0).withCrashes(1, 0, 0, 0, 1));
        // A third replica, with an empty disk, is admitted: the coordinator ends the epoch with the new membership, but
        // not within the tick in which the epoch began.
        scopes.put("add-member", Scope.led().withTicks(1, 0, 1, 0).withChange(List.of(1, 1, 0), ALL));
        return scopes;
    }

    private static Map<String, Scope> chain() {
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
        // The tail is configured away; each replica learns so at any time.
        scopes.put("remove-member", Scope.led().withChange(ALL, List.of(1, 1, 0)));
        // While it is configured away, one of the three dies: itself, the one that stays, or the leader, whom the one
        // that stays follows, with a quorum of whichever membership is in force.
        scopes.put(
                "remove-member-leaver-crash",
                Scope.led().withChange(ALL, List.of(1, 1, 0)).withCrashes(1, 0, 0, 0, 1));
        scopes.put(
                "remove-member-middle-crash",
                Scope.led().withChange(ALL, List.of(1, 1, 0)).withCrashes(1, 0, 0, 1, 0));
        scopes.put(
                "remove-member-leader-crash",
                Scope.led()
                        .withTicks(FIRST_CANDIDATE_TICKS, 0, 1, 0)
                        .withChange(ALL, List.of(1, 1, 0))
                        .withCrashes(1, 0, 1, 0, 0));
        // The leader is configured away and hands over.
        scopes.put("remove-leader", Scope.led().withChange(ALL, List.of(0, 1, 1)));
        // A third replica, with an empty disk, is admitted.
        scopes.put("add-member", Scope.led().withTicks(1, 0, 0, 1).withChange(List.of(1, 1, 0), ALL));
        // A member starts again from a checkpoint, with a log that is cut.
        scopes.put(
                "checkpoint-restart",
                Scope.led().withWrites(1, 0, 0).withCheckpoints(0, 1, 0).withCrashes(1, 1, 0, 1, 0));
        // A member comes back and lacks what is only in the checkpoints of the others.
        scopes.put("state-transfer", Scope.truncated().withWrites(0, 0, 1));
        return scopes;
    }
}
