package io.chainkeeper.simulation;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What one run is like. Each run draws which faults there are and how often, because a run with all faults at once
 * hides what a run with only some of them finds.
 *
 * @param replicas how many there may ever be, those included that are configured only later
 * @param ensemble configured at first
 * @param late configured, but started only later: within the phase with faults, or as {@link FoundingFaults} draws it
 * @param minQuorumSize as the settings have it
 * @param settings the protocol's
 * @param safetyMicros length of the phase with faults
 * @param sessions number of clients
 * @param keys number of registers
 * @param maxOutstanding of one session
 * @param maxThinkMicros between two operations of a session
 * @param maxOperations of all sessions together
 * @param readPercent of operations
 * @param conditionalPercent of writes
 * @param sessionMovePercent chance, per operation, that the session turns to another replica
 * @param maxNetworkMicros see {@link Delays}
 * @param maxSyncMicros see {@link Delays}
 * @param maxHandOverMicros see {@link Delays}
 * @param maxExecutionMicros see {@link Delays}
 * @param maxNoticeMicros see {@link Delays}
 * @param maxCutDetectionMicros see {@link Delays}
 * @param maxBatch see {@link Delays}
 * @param clockSkewPercent by how much a replica's ticks may be shorter or longer
 * @param checkpointEveryPositions 0 for never
 * @param maxCheckpoints kept by each replica
 * @param linkChoice see {@link HostSettings.LinkChoice}
 * @param faultIntervalMicros mean time between faults of each kind; kinds that are absent do not happen
 * @param logHabits of the acceptor logs
 * @param clocksAreSetBack whether the clock of a replica that loses its disk may be set back, behind all its starts
 */
record SwarmOptions(
        int replicas,
        Ensemble ensemble,
        List<Integer> late,
        int minQuorumSize,
        Map<String, String> settings,
        long safetyMicros,
        int sessions,
        int keys,
        int maxOutstanding,
        long maxThinkMicros,
        int maxOperations,
        int readPercent,
        int conditionalPercent,
        int sessionMovePercent,
        long maxNetworkMicros,
        long maxSyncMicros,
        long maxHandOverMicros,
        long maxExecutionMicros,
        long maxNoticeMicros,
        long maxCutDetectionMicros,
        int maxBatch,
        int clockSkewPercent,
        int checkpointEveryPositions,
        int maxCheckpoints,
        HostSettings.LinkChoice linkChoice,
        Map<Fault, Long> faultIntervalMicros,
        LogHabits logHabits,
        boolean clocksAreSetBack) {
    /** What can go wrong. */
    enum Fault {
        /** A replica crashes and comes back later. */
        CRASH,
        /** A replica crashes shortly after anybody's view of the leader has changed, and is soon back. */
        CRASH_AT_CHANGE,
        /** All replicas crash at once. */
        CRASH_ALL,
        /** A replica stands still while the others go on. */
        PAUSE,
        /** A pair cannot reach each other, in one or both directions. */
        CUT,
        /** A replica is cut off from all others, in one or both directions. */
        ISOLATE,
        /** A connection breaks and is made anew. */
        BREAK,
        /** A replica's disk becomes slow. */
        SLOW_DISK,
        /** One direction of a pair becomes slow. */
        SLOW_LINK,
        /** A replica is down for so long that the logs of others no longer reach back to where it was. */
        DOWN_LONG,
        /** A replica crashes and comes back with an empty disk. */
        LOSE_DISK,
        /** An operator changes the configured ensemble. */
        RECONFIGURE,
        /** A group is cut off from the others, in one or both directions; each link heals in its own time. */
        PARTITION,
        /**
         * A minority is cut off until the others' logs no longer reach back to where it was; then one of it is let back
         * in, and for a while the rest of the minority reaches nobody else.
         */
        LEAVE_BEHIND,
        /**
         * Who reaches whom changes, and at that moment some replicas crash and some of these lose their disks: from the
         * first start on, and replicas start one by one. See {@link FoundingFaults}.
         */
        REGROUP
    }

    /** Drawn behind everything else or never, so that a seed goes on meaning what it meant before there were these. */
    private static final Set<Fault> DRAWN_APART = Set.of(Fault.PARTITION, Fault.LEAVE_BEHIND, Fault.REGROUP);

    private static final String MIN_QUORUM_SIZE = "QuorumSize";

    /** Draws the options of a run. */
    static SwarmOptions draw(
            SplittableRandom random,
            OrderingProtocolFactory factory,
            SimulatedApplication application,
            int tickMillis) {
        return switch (application) {
            case REGISTERS, ZNODES, RECONFIG -> drawAnything(random, factory, application, tickMillis);
            case BEHIND -> drawBehind(random, factory, tickMillis);
            case FOUNDING -> drawFounding(random, factory, tickMillis);
        };
    }

    private static SwarmOptions drawAnything(
            SplittableRandom random,
            OrderingProtocolFactory factory,
            SimulatedApplication application,
            int tickMillis) {
        Ensemble ensemble = drawEnsemble(random);
        int participants = ensemble.participants().size();
        int configured = participants + ensemble.observers().size();
        int replicas = configured + pick(random, 0, 1, 2);
        Map<Fault, Long> faults = new TreeMap<>();
        long unit = pick(random, 200_000, 500_000, 1_500_000);
        for (Fault fault : Fault.values()) {
            if (!DRAWN_APART.contains(fault) && random.nextInt(5) < 2) {
                long rarity = fault == Fault.CRASH_ALL || fault == Fault.DOWN_LONG ? 5 : 1;
                faults.put(fault, rarity * unit * (1 + random.nextInt(3)));
            }
        }
        if (!application.isReconfigured()) {
            faults.remove(Fault.RECONFIGURE);
        }
        int late = random.nextInt(3) == 0 ? random.nextInt((participants + 1) / 2) : 0;
        Map<String, String> settings = ProtocolSettings.draw(random, factory, participants, tickMillis);
        return new SwarmOptions(
                replicas,
                ensemble,
                ensemble.participants().subList(participants - late, participants),
                minQuorumSize(settings),
                settings,
                1_000_000L * (2 + random.nextInt(6)),
                1 + random.nextInt(8),
                1 + random.nextInt(4),
                pick(random, 1, 2, 8),
                pick(random, 1_000, 20_000, 200_000),
                500,
                pick(random, 10, 50, 80),
                pick(random, 0, 30, 70),
                pick(random, 0, 2, 20),
                pick(random, 200, 2_000, 20_000, 60_000),
                pick(random, 0, 500, 10_000, 60_000),
                pick(random, 10, 500, 5_000),
                pick(random, 10, 1_000, 50_000),
                pick(random, 1_000, 50_000, 300_000),
                pick(random, 20_000, 1_000_000, 5_000_000),
                pick(random, 1, 8, 64),
                pick(random, 0, 10, 50),
                pick(random, 0, 10, 50),
                pick(random, 1, 3),
                HostSettings.LinkChoice.values()[random.nextInt(3)],
                faults,
                drawLast(random, faults, unit),
                faults.containsKey(Fault.LOSE_DISK) && random.nextBoolean());
    }

    private static LogHabits drawLast(SplittableRandom random, Map<Fault, Long> faults, long unit) {
        if (random.nextInt(5) < 2) {
            faults.put(Fault.PARTITION, 3 * unit * (1 + random.nextInt(3)));
        }
        return new LogHabits(pick(random, 1, 1, 8, 64), pick(random, 0, 0, 0, 30), random.nextBoolean());
    }

    /**
     * The one fault needs time, clients that go on on both sides, logs that are cut soon, and little else that goes
     * wrong: else the majority comes to nothing while the minority is away.
     */
    private static SwarmOptions drawBehind(SplittableRandom random, OrderingProtocolFactory factory, int tickMillis) {
        Ensemble ensemble = pick(random, 3, 5, 5, 5, 7) == 3
                ? new Ensemble(List.of(1, 2, 3), List.of(4, 5))
                : Ensemble.of(
                        IntStream.rangeClosed(1, pick(random, 5, 5, 7)).boxed().toList());
        int replicas = ensemble.participants().size() + ensemble.observers().size();
        Map<String, String> settings =
                ProtocolSettings.draw(random, factory, ensemble.participants().size(), tickMillis);
        Map<Fault, Long> faults = new TreeMap<>(Map.of(Fault.LEAVE_BEHIND, 300_000L));
        List<Fault> few = List.of(Fault.CRASH, Fault.BREAK, Fault.PAUSE, Fault.SLOW_DISK, Fault.SLOW_LINK);
        if (random.nextBoolean()) {
            faults.put(few.get(random.nextInt(few.size())), 2_000_000L);
        }
        return new SwarmOptions(
                replicas,
                ensemble,
                List.of(),
                minQuorumSize(settings),
                settings,
                1_000_000L * (4 + random.nextInt(4)),
                replicas + random.nextInt(4),
                1 + random.nextInt(4),
                pick(random, 1, 2, 8),
                pick(random, 20_000, 50_000),
                2_000,
                pick(random, 0, 10, 50),
                pick(random, 0, 30),
                pick(random, 0, 2, 20),
                pick(random, 200, 2_000),
                pick(random, 0, 500),
                pick(random, 10, 500),
                pick(random, 10, 1_000),
                pick(random, 1_000, 50_000),
                pick(random, 20_000, 1_000_000),
                pick(random, 1, 8, 64),
                pick(random, 0, 10),
                10,
                1,
                HostSettings.LinkChoice.values()[random.nextInt(3)],
                faults,
                new LogHabits(pick(random, 1, 8), 0, false),
                false);
    }

    /**
     * All begins with empty directories. Records that take their time to the disk, and introductions that take theirs
     * to others, make the moments long in which a disk may be lost.
     */
    private static SwarmOptions drawFounding(SplittableRandom random, OrderingProtocolFactory factory, int tickMillis) {
        int participants = pick(random, 2, 3, 3, 3, 3, 4, 5, 5, 5);
        int replicas = participants + pick(random, 0, 0, 0, 1);
        Ensemble ensemble = new Ensemble(
                IntStream.rangeClosed(1, participants).boxed().toList(),
                IntStream.rangeClosed(participants + 1, replicas).boxed().toList());
        Map<String, String> settings = ProtocolSettings.draw(random, factory, participants, tickMillis);
        Map<Fault, Long> faults =
                new TreeMap<>(Map.of(Fault.REGROUP, (long) pick(random, 50_000, 200_000, 400_000, 800_000)));
        List<Fault> few = List.of(Fault.CRASH_AT_CHANGE, Fault.BREAK, Fault.PAUSE, Fault.SLOW_DISK, Fault.SLOW_LINK);
        if (random.nextBoolean()) {
            faults.put(few.get(random.nextInt(few.size())), 500_000L);
        }
        return new SwarmOptions(
                replicas,
                ensemble,
                IntStream.rangeClosed(1, replicas).boxed().toList(),
                minQuorumSize(settings),
                settings,
                1_000_000L * (3 + random.nextInt(4)),
                replicas + random.nextInt(4),
                1 + random.nextInt(3),
                pick(random, 1, 2, 8),
                pick(random, 5_000, 20_000, 50_000),
                500,
                pick(random, 0, 10, 50),
                pick(random, 0, 30),
                pick(random, 0, 2, 20),
                pick(random, 200, 2_000, 20_000),
                pick(random, 0, 500, 10_000, 60_000),
                pick(random, 10, 500, 5_000),
                pick(random, 10, 1_000),
                pick(random, 1_000, 50_000),
                pick(random, 20_000, 1_000_000),
                pick(random, 1, 8, 64),
                pick(random, 0, 10, 50),
                pick(random, 0, 10, 50),
                pick(random, 1, 3),
                HostSettings.LinkChoice.values()[random.nextInt(3)],
                faults,
                new LogHabits(pick(random, 1, 8, 64), 0, random.nextBoolean()),
                random.nextBoolean());
    }

    private static int minQuorumSize(Map<String, String> settings) {
        return settings.entrySet().stream()
                .filter(setting -> setting.getKey().endsWith(MIN_QUORUM_SIZE))
                .mapToInt(setting -> Integer.parseInt(setting.getValue()))
                .findAny()
                .orElse(1);
    }

    /** Whether the settings let a protocol remove members by itself. */
    boolean mayRemoveSilent() {
        return settings.keySet().stream().anyMatch(key -> key.endsWith(MIN_QUORUM_SIZE));
    }

    private static Ensemble drawEnsemble(SplittableRandom random) {
        int configured = pick(random, 1, 2, 3, 3, 3, 3, 4, 5, 5, 7);
        int participants = configured - (random.nextInt(4) == 0 ? random.nextInt((configured + 1) / 2) : 0);
        return new Ensemble(
                IntStream.rangeClosed(1, participants).boxed().toList(),
                IntStream.rangeClosed(participants + 1, configured).boxed().toList());
    }

    private static int pick(SplittableRandom random, int... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
