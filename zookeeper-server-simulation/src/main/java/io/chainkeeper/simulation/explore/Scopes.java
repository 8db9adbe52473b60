package io.chainkeeper.simulation.explore;

import io.chainkeeper.simulation.explore.Scope.Detail;
import io.chainkeeper.simulation.explore.Scope.Start;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The scopes that have a name. Every build explores them; each is small enough to be exhausted. */
final class Scopes {
    private static final int FIRST_CANDIDATE_TICKS = 3;
    private static final int SILENT_LEADER_TICKS = 6;

    private static final int ONE_TICK = 1;

    private static final List<Integer> ALL = List.of(1, 1, 1);
    private static final List<Integer> WITHOUT_FIRST = List.of(0, 1, 1);
    private static final List<Integer> WITHOUT_LAST = List.of(1, 1, 0);

    private Scopes() {}

    /** Those of a protocol, by name: of ISS what is specific for it, of all others what chain does. */
    static Map<String, Scope> named(String protocol) {
        return switch (protocol) {
            case "iss" -> iss();
            case "disk" -> SharedDiskScopes.named();
            default -> chain();
        };
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
        // A third replica, with an empty disk, is admitted: it says twice how far it is, and the coordinator's clock
        // goes on between the two. The coordinator ends the epoch with the new membership, but not within the tick in
        // which the epoch began.
        scopes.put("add-member", Scope.led().withTicks(1, 0, 1, 1).withChange(WITHOUT_LAST, ALL));
        addIssWithoutCrashes(scopes);
        addIssMembersAndStates(scopes);
        addIssRemovalsUnderCrashes(scopes);
        addIssPartitionsOfFive(scopes);
        addIssFiner(scopes);
        return scopes;
    }

    private static void addIssWithoutCrashes(Map<String, Scope> scopes) {
        // A write at the coordinator, a read at another leader.
        scopes.put("no-fault", Scope.led().withWrites(0, 0, 1).withReads(1, 0, 0));
        // All have just started, and two miss others.
        scopes.put("cold-start", Scope.cold().withTicks(FIRST_CANDIDATE_TICKS, 1, 1, 0));
        // Two writes, and replicas take what has come together.
        scopes.put("batches", Scope.led().withWrites(1, 0, 1).withDetails(Detail.BATCHES));
        // 2 and 3, which are in step, hear nothing of 1 and take its segment over; it is up, with a write on its way.
        scopes.put(
                "leader-silent",
                Scope.led()
                        .withWrites(1, 0, 0)
                        .withTicks(SILENT_LEADER_TICKS, 0, 1, 0)
                        .withInStep(0, 1, 1));
        // 1 and 2 hear nothing of the coordinator and end the epoch; it is up, with a write on its way.
        scopes.put(
                "coordinator-silent",
                Scope.shortEpoch()
                        .withWrites(0, 0, 1)
                        .withTicks(SILENT_LEADER_TICKS, 1, 0, 0)
                        .withInStep(1, 1, 0));
        // 1 comes back with a write of its own, in a position that the others have finished; its client reads.
        scopes.put(
                "deposed-leader",
                Scope.begin(Start.DEPOSED, 3).withReads(1, 0, 0).withInStep(0, 1, 1));
        // 1 may be deposed while its client reads, and the others write.
        scopes.put(
                "deposed-leader-reads",
                Scope.led()
                        .withWrites(0, 1, 0)
                        .withReads(1, 0, 0)
                        .withTicks(SILENT_LEADER_TICKS, 0, 1, 0)
                        .withInStep(0, 1, 1));
        // Any link loses what is on its way and comes back.
        scopes.put("link-break", Scope.led().withWrites(0, 0, 1).withBreaks(1));
    }

    private static void addIssMembersAndStates(Map<String, Scope> scopes) {
        // A leader is configured away, and the coordinator itself; each replica learns so at any time.
        scopes.put(
                "remove-member",
                Scope.led()
                        .withTicks(ONE_TICK, 0, 1, 0)
                        .withChange(ALL, WITHOUT_FIRST)
                        .withInStep(0, 1, 1));
        scopes.put(
                "remove-coordinator",
                Scope.led()
                        .withTicks(ONE_TICK, 0, 0, 1)
                        .withChange(ALL, WITHOUT_LAST)
                        .withInStep(1, 1, 0));
        // A member starts again from a checkpoint, with a log that is cut; then from the one before it.
        scopes.put(
                "checkpoint-restart",
                Scope.led().withWrites(1, 0, 0).withCheckpoints(0, 1, 0).withCrashes(1, 1, 0, 1, 0));
        scopes.put(
                "checkpoint-damaged",
                Scope.led()
                        .withWrites(1, 0, 0)
                        .withCheckpoints(0, 1, 0)
                        .withCrashes(1, 1, 0, 1, 0)
                        .withDetails(Detail.OLDER_CHECKPOINTS));
        // A member fetches a state, and crashes at any time before and after it has installed it.
        scopes.put(
                "state-transfer",
                Scope.truncated()
                        .withWrites(0, 0, 1)
                        .withCrashes(1, 3, 0, 0, 1)
                        .withDetails(Detail.SLOW_TRANSFERS, Detail.SURVIVORS));
        // One that has installed a state, and crashes at any time, feeds another one from its log.
        scopes.put(
                "behind",
                behind().withTicks(FIRST_CANDIDATE_TICKS, 0, 1, 0, 0, 0)
                        .withCrashes(1, 2, 1, 0, 0, 0, 0)
                        .withDetails(Detail.SLOW_TRANSFERS));
    }

    /** Who is configured away dies, or the coordinator does, or somebody writes; the others finish the segments. */
    private static void addIssRemovalsUnderCrashes(Map<String, Scope> scopes) {
        Scope leaverAlone = Scope.led().withChange(ALL, WITHOUT_FIRST).withInStep(0, 1, 1);
        scopes.put("remove-member-write", leaverAlone.withWrites(0, 0, 1).withTicks(ONE_TICK, 0, 1, 0));
        scopes.put(
                "remove-member-leaver-crash",
                leaverAlone.withTicks(FIRST_CANDIDATE_TICKS, 0, 1, 0).withCrashes(1, 0, 1, 0, 0));
        scopes.put(
                "remove-member-coordinator-crash",
                Scope.led()
                        .withTicks(FIRST_CANDIDATE_TICKS, 0, 1, 1)
                        .withChange(ALL, WITHOUT_FIRST)
                        .withCrashes(1, 0, 0, 0, 1)
                        .withInStep(1, 1, 0));
        scopes.put(
                "remove-coordinator-leaver-crash",
                Scope.led()
                        .withTicks(FIRST_CANDIDATE_TICKS, 0, 0, 1)
                        .withChange(ALL, WITHOUT_LAST)
                        .withCrashes(1, 0, 0, 0, 1)
                        .withInStep(1, 1, 0));
    }

    private static void addIssPartitionsOfFive(Map<String, Scope> scopes) {
        // A leader that was cut off meets one that installs the state of the others, and crashes at any time.
        scopes.put(
                "deposed-leader-meets-state",
                Scope.begin(Start.BEHIND_AND_DEPOSED, 5)
                        .withTicks(FIRST_CANDIDATE_TICKS, 0, 1, 0, 0, 0)
                        .withCrashes(1, 2, 0, 1, 0, 0, 0)
                        .withInStep(0, 0, 1, 1, 1)
                        .withDetails(Detail.SLOW_TRANSFERS, Detail.SURVIVORS));
        // The one between two pairs takes a leader's value, or finishes its segment with the other pair.
        scopes.put("two-one-two", twoOneTwo());
    }

    /** As those of the same name of chain. */
    private static void addIssFiner(Map<String, Scope> scopes) {
        Scope restart = Scope.led().withWrites(0, 1, 0).withCrashes(1, 1, 0, 1, 0);
        scopes.put("batches-crash", restart.withDetails(Detail.BATCHES));
        scopes.put("survivors", restart.withDetails(Detail.SURVIVORS));
    }

    private static Scope twoOneTwo() {
        return Scope.begin(Start.SPLIT, 5)
                .withWrites(1, 0, 0, 0, 0)
                .withTicks(SILENT_LEADER_TICKS, 0, 0, 1, 1, 0)
                .withInStep(1, 1, 0, 2, 2);
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
        scopes.put("remove-member", Scope.led().withChange(ALL, WITHOUT_LAST));
        // While it is configured away, one of the three dies: itself, the one that stays, or the leader, whom the one
        // that stays follows, with a quorum of whichever membership is in force.
        scopes.put(
                "remove-member-leaver-crash",
                Scope.led().withChange(ALL, WITHOUT_LAST).withCrashes(1, 0, 0, 0, 1));
        scopes.put(
                "remove-member-middle-crash",
                Scope.led().withChange(ALL, WITHOUT_LAST).withCrashes(1, 0, 0, 1, 0));
        scopes.put(
                "remove-member-leader-crash",
                Scope.led()
                        .withTicks(FIRST_CANDIDATE_TICKS, 0, 1, 0)
                        .withChange(ALL, WITHOUT_LAST)
                        .withCrashes(1, 0, 1, 0, 0));
        // The leader is configured away and hands over.
        scopes.put("remove-leader", Scope.led().withChange(ALL, WITHOUT_FIRST));
        // A third replica, with an empty disk, is admitted: it says twice how far it is, and the leader's clock goes on
        // between the two.
        scopes.put("add-member", Scope.led().withTicks(1, 1, 0, 2).withChange(WITHOUT_LAST, ALL));
        // A member starts again from a checkpoint, with a log that is cut.
        scopes.put(
                "checkpoint-restart",
                Scope.led().withWrites(1, 0, 0).withCheckpoints(0, 1, 0).withCrashes(1, 1, 0, 1, 0));
        // A member comes back and lacks what is only in the checkpoints of the others.
        scopes.put("state-transfer", Scope.truncated().withWrites(0, 0, 1));
        addDeposed(scopes);
        addFiner(scopes);
        return scopes;
    }

    /** A leader that lives on although others have taken over; partitions. */
    private static void addDeposed(Map<String, Scope> scopes) {
        // It comes back with a value that only it has, where the others have decided another one.
        scopes.put("deposed-leader", Scope.begin(Start.DEPOSED, 3));
        // It may be deposed while its client reads, and the others write.
        scopes.put(
                "deposed-leader-reads",
                Scope.led()
                        .withWrites(0, 1, 0)
                        .withReads(1, 0, 0)
                        .withTicks(SILENT_LEADER_TICKS, 0, 1, 0)
                        .withInStep(0, 1, 1));
        // It meets one that has executed what the others decided, and that comes back from its checkpoint, perhaps
        // without its log.
        scopes.put(
                "deposed-leader-meets-checkpoint",
                Scope.begin(Start.DEPOSED_AT_LAST, 5)
                        .withCheckpoints(0, 0, 0, 0, 1)
                        .withCrashes(1, 1, 0, 0, 0, 0, 1)
                        .withInStep(0, 1, 1, 1, 0));
        // It meets one that installs the state of the others, and crashes at any time.
        scopes.put(
                "deposed-leader-meets-state",
                Scope.begin(Start.BEHIND_AND_DEPOSED, 5)
                        .withCrashes(1, 2, 0, 1, 0, 0, 0)
                        .withInStep(0, 0, 1, 1, 1)
                        .withDetails(Detail.SLOW_TRANSFERS, Detail.SURVIVORS));
        // One that has installed a state, and crashes at any time, feeds another one from its log.
        scopes.put("behind", behind().withCrashes(1, 2, 1, 0, 0, 0, 0).withDetails(Detail.SLOW_TRANSFERS));
        // The one between two pairs takes the leader's value, or follows the other pair, or first the one and then
        // the other.
        scopes.put("two-one-two", twoOneTwo());
    }

    private static Scope behind() {
        return Scope.begin(Start.BEHIND, 5).withInStep(0, 0, 1, 1, 1);
    }

    /** What other scopes do not tell apart. */
    private static void addFiner(Map<String, Scope> scopes) {
        // Two writes, and a crash: replicas take what has come together.
        scopes.put("batches", Scope.led().withWrites(1, 0, 1).withDetails(Detail.BATCHES));
        scopes.put(
                "batches-crash",
                Scope.led().withWrites(0, 0, 1).withCrashes(1, 1, 0, 1, 0).withDetails(Detail.BATCHES));
        // A crash leaves some records that nobody knew to be durable.
        scopes.put(
                "survivors",
                Scope.led().withWrites(0, 0, 1).withCrashes(1, 1, 0, 1, 0).withDetails(Detail.SURVIVORS));
        // A checkpoint becomes durable late, and may be found damaged when the log is behind it.
        scopes.put(
                "checkpoint-damaged",
                Scope.led()
                        .withWrites(1, 0, 0)
                        .withCheckpoints(0, 1, 0)
                        .withCrashes(1, 1, 0, 1, 0)
                        .withDetails(Detail.OLDER_CHECKPOINTS));
        // A member fetches a state, and crashes at any time before and after it has installed it.
        scopes.put(
                "state-transfer-crash",
                Scope.truncated().withCrashes(1, 3, 0, 0, 1).withDetails(Detail.SLOW_TRANSFERS, Detail.SURVIVORS));
    }
}
