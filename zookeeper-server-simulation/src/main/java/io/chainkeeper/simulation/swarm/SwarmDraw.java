package io.chainkeeper.simulation.swarm;

import io.chainkeeper.config.FeatureRaising;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.simulation.host.HostSettings;
import io.chainkeeper.simulation.host.World;
import io.chainkeeper.simulation.link.LinkHabits;
import io.chainkeeper.simulation.link.LinkOptions;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Draws the options of one run. A seed goes on meaning the run that it meant: what is new is drawn behind everything
 * else, or only where the application is new too.
 */
public final class SwarmDraw {
    /** What {@link #drawAnything} chooses from. */
    private static final Set<Fault> ANYTHING = EnumSet.range(Fault.CRASH, Fault.RECONFIGURE);

    private static final List<Fault> BESIDE_LEAVE_BEHIND =
            List.of(Fault.CRASH, Fault.BREAK, Fault.PAUSE, Fault.SLOW_DISK, Fault.SLOW_LINK);
    private static final List<Fault> BESIDE_REGROUP =
            List.of(Fault.CRASH_AT_CHANGE, Fault.BREAK, Fault.PAUSE, Fault.SLOW_DISK, Fault.SLOW_LINK);

    private static final FeatureRaising BY_OPERATOR = new FeatureRaising(false, 0);
    private static final List<Fault> OUTDATED = List.of(Fault.OVERWRITE, Fault.OVERHANG, Fault.FEW_LISTED, Fault.HOLE);
    private static final List<Fault> OF_DISKS = List.of(Fault.FAIL_FORCE, Fault.FULL_DISK, Fault.ROT);

    private final SplittableRandom random;
    private final OrderingProtocolFactory factory;
    private final SimulatedApplication application;
    private final Map<Fault, Long> faults = new TreeMap<>();
    private Ensemble ensemble;
    private int replicas;
    private List<Integer> late = List.of();
    private Map<String, String> settings;
    private long faultUnitMicros;
    private Upgrades upgrades = Upgrades.NONE;

    private SwarmDraw(SplittableRandom random, OrderingProtocolFactory factory, SimulatedApplication application) {
        this.random = random;
        this.factory = factory;
        this.application = application;
    }

    /**
     * Draws the options of a run.
     *
     * @param random what is drawn
     * @param factory the protocol, for its settings
     * @param application above it
     * @return the options
     */
    public static SwarmOptions draw(
            SplittableRandom random, OrderingProtocolFactory factory, SimulatedApplication application) {
        SwarmDraw draw = new SwarmDraw(random, factory, application);
        switch (application) {
            case REGISTERS, ZNODES, RECONFIG -> draw.drawAnything();
            case BEHIND -> draw.drawBehind();
            case FOUNDING -> draw.drawFounding();
            case DEPOSED -> draw.drawDeposed();
            case MINORITY -> draw.drawMinority();
            case AMBUSH -> draw.drawAmbush();
            case MEMBERS -> draw.drawMembers();
            case UPGRADE -> draw.drawUpgrade();
            case TAKEOVER -> draw.drawTakeover();
            case OUTDATED -> draw.drawOutdated();
        }
        draw.drawSharedDisks();
        SwarmOptions options = draw.options();
        draw.drawSplit();
        draw.drawFaultsOfDisks();
        SwarmOptions drawn = options.over(draw.links());
        draw.drawWrongDirectory();
        draw.drawRises();
        draw.drawMemory();
        SwarmOptions upgraded = drawn.with(draw.upgrades);
        SharedDiskDraw shared = new SharedDiskDraw(random, factory);
        SwarmOptions all = factory.sharedDisks() == null ? upgraded : upgraded.with(shared.draw(draw.settings));
        return new LastDraw(random, factory, application).draw(all);
    }

    // ---------------------------------------------------------------- ensemble and faults

    private void drawAnything() {
        int configured = pick(1, 2, 3, 3, 3, 3, 4, 5, 5, 7);
        int participants = configured - (random.nextInt(4) == 0 ? random.nextInt((configured + 1) / 2) : 0);
        ensemble = ensemble(participants, configured);
        replicas = configured + pick(0, 1, 2);
        faultUnitMicros = pick(200_000, 500_000, 1_500_000);
        for (Fault fault : ANYTHING) {
            if (random.nextInt(5) < 2) {
                long rarity = fault == Fault.CRASH_ALL || fault == Fault.DOWN_LONG ? 5 : 1;
                faults.put(fault, rarity * faultUnitMicros * (1 + random.nextInt(3)));
            }
        }
        if (!application.isReconfigured()) {
            faults.remove(Fault.RECONFIGURE);
        }
        int lateParticipants = random.nextInt(3) == 0 ? random.nextInt((participants + 1) / 2) : 0;
        late = ensemble.participants().subList(participants - lateParticipants, participants);
        drawSettings();
    }

    /**
     * The one fault needs time, clients that go on on both sides, logs that are cut soon, or never, and little else
     * that goes wrong: else the majority comes to nothing while the minority is away.
     */
    private void drawBehind() {
        int choice = pick(3, 5, 5, 5, 7);
        int participants = choice == 3 ? 3 : pick(5, 5, 7);
        replicas = Math.max(participants, 5);
        ensemble = ensemble(participants, replicas);
        drawSettings();
        if (random.nextBoolean()) {
            faults.put(Fault.READ_LATE, 300_000L);
            ProtocolSettings.readLogsInLongParts(settings);
        } else {
            faults.put(Fault.LEAVE_BEHIND, 300_000L);
        }
        drawOneOf(BESIDE_LEAVE_BEHIND, 2_000_000L);
    }

    /**
     * All begins with empty directories. Records that take their time to the disk, and introductions that take theirs
     * to others, make the moments long in which a disk may be lost.
     */
    private void drawFounding() {
        int participants = pick(2, 3, 3, 3, 3, 4, 5, 5, 5);
        replicas = participants + pick(0, 0, 0, 1);
        ensemble = ensemble(participants, replicas);
        late = IntStream.rangeClosed(1, replicas).boxed().toList();
        drawSettings();
        faults.put(Fault.REGROUP, (long) pick(50_000, 200_000, 400_000, 800_000));
        drawOneOf(BESIDE_REGROUP, 500_000L);
    }

    /** The story takes seconds, and little else must go wrong meanwhile; disks take time so that one can hang. */
    private void drawDeposed() {
        int participants = pick(3, 5, 5, 5, 5, 7);
        replicas = participants + pick(0, 1, 1);
        ensemble = ensemble(participants, replicas);
        drawSettings();
        faults.put(Fault.DEPOSE, 200_000L);
        if (random.nextInt(4) == 0) {
            drawOneOf(BESIDE_LEAVE_BEHIND, 2_000_000L);
        }
    }

    /** Nobody is replaced or removed: so whoever is left can always decide. */
    private void drawMinority() {
        int participants = pick(3, 3, 4, 5, 5, 7);
        replicas = participants + pick(0, 0, 1, 2);
        ensemble = ensemble(participants, replicas);
        drawSettings();
        settings.keySet().removeIf(key -> key.endsWith(SwarmOptions.MIN_QUORUM_SIZE));
        faultUnitMicros = pick(200_000, 500_000, 1_500_000);
        GoneDraw.draw(random, faultUnitMicros, factory.sharedDisks() == null ? ensemble : null, faults);
    }

    /** Time is short between one leader and the next, so that much of what is rare happens in one run. */
    private void drawAmbush() {
        int participants = pick(3, 3, 3, 4, 5, 5, 5);
        replicas = participants + pick(0, 0, 0, 1);
        ensemble = ensemble(participants, replicas);
        drawSettings();
        drawAmbushes();
        if (random.nextInt(3) == 0) {
            // Servers come one by one to found the cluster, while disks hang and links break.
            late = ensemble.participants();
            faults.remove(Fault.SHUFFLE);
            faults.put(Fault.HANG, 200_000L);
            faults.put(Fault.BREAK, 50_000L);
        } else {
            drawOneOf(BESIDE_LEAVE_BEHIND, 500_000L);
        }
    }

    /** Small ensembles, in which every member is needed. */
    private void drawMembers() {
        int participants = pick(1, 1, 2, 2, 3, 3, 3, 5, 5);
        int configured = participants + pick(0, 0, 1);
        replicas = configured + pick(1, 2, 2);
        ensemble = ensemble(participants, configured);
        drawSettings();
        if (participants == 5) {
            // The candidate must find in the memory of others what it misses meanwhile.
            settings.keySet().removeIf(key -> !key.endsWith("Millis"));
            faults.put(Fault.REPLACE, 200_000L);
            return;
        }
        faults.put(Fault.RECONFIGURE, (long) pick(200_000, 600_000));
        if (random.nextBoolean()) {
            faults.put(Fault.NEW_LIST, (long) pick(200_000, 600_000));
        }
        if (random.nextBoolean()) {
            faults.put(Fault.LOSE_DISK, (long) pick(300_000, 1_000_000));
        }
        drawAmbushes();
        drawOneOf(BESIDE_LEAVE_BEHIND, 500_000L);
    }

    /** Servers are upgraded in the order in which they come up; now and then one goes back. */
    private void drawUpgrade() {
        drawAnything();
        faults.put(Fault.UPGRADE, (long) pick(150_000, 400_000, 1_000_000));
        if (random.nextInt(4) != 0) {
            faults.put(Fault.GO_BACK, (long) pick(300_000, 1_000_000, 2_000_000));
        }
        if (random.nextBoolean()) {
            faults.put(Fault.ASK_FOR_LEVEL, (long) pick(200_000, 800_000));
        }
        boolean someAreNew = random.nextInt(3) == 0;
        List<Integer> newAtFirst = IntStream.rangeClosed(1, replicas)
                .filter(id -> someAreNew && random.nextBoolean())
                .boxed()
                .toList();
        upgrades = new Upgrades(
                newAtFirst, new FeatureRaising(random.nextInt(3) != 0, pick(0, 0, 1, 2)), random.nextBoolean());
    }

    /** Little else goes wrong, and epochs are short. */
    private void drawTakeover() {
        int participants = pick(3, 5, 5, 5, 5, 7);
        replicas = participants + pick(0, 0, 0, 1);
        ensemble = ensemble(participants, replicas);
        drawSettings();
        if (participants == 3 || random.nextBoolean()) {
            faults.put(Fault.FORGET_EPOCH, (long) pick(100_000, 300_000));
        } else {
            faults.put(Fault.TAKE_OVER, 100_000L);
        }
        if (random.nextInt(4) == 0) {
            drawOneOf(BESIDE_LEAVE_BEHIND, 1_000_000L);
        }
    }

    /** The stories take time, and little else must go wrong meanwhile. */
    private void drawOutdated() {
        int participants = pick(5, 5, 7);
        replicas = participants + (participants == 5 ? 1 : pick(0, 1));
        ensemble = ensemble(participants, replicas);
        drawSettings();
        Fault story = OUTDATED.get(random.nextInt(OUTDATED.size()));
        faults.put(story, 200_000L);
        if (story == Fault.OVERHANG || story == Fault.FEW_LISTED) {
            // A leader that is cut off must have time and room to propose.
            settings.keySet().removeIf(key -> !key.endsWith("heartbeatMillis"));
            ProtocolSettings.widen(factory, settings);
        }
    }

    private void drawSharedDisks() {
        if (factory.sharedDisks() == null) {
            return;
        }
        SharedDiskDraw shared = new SharedDiskDraw(random, factory);
        ensemble = shared.ensemble(application == SimulatedApplication.MINORITY ? 2 : 1);
        replicas = ensemble.participants().size() + ensemble.observers().size() + pick(0, 0, 1);
        late = late.stream().filter(ensemble.participants()::contains).toList();
        shared.faults(faults, faultUnitMicros, application);
    }

    private void drawAmbushes() {
        if (random.nextInt(3) != 0) {
            faults.put(Fault.AMBUSH, (long) pick(30_000, 100_000, 300_000));
        }
        if (random.nextBoolean()) {
            faults.put(Fault.USURP, (long) pick(20_000, 100_000));
        } else {
            faults.put(Fault.SHUFFLE, (long) pick(100_000, 300_000, 800_000));
        }
        if (random.nextInt(3) == 0) {
            faults.put(Fault.HANG, (long) pick(200_000, 600_000));
        }
    }

    private static Ensemble ensemble(int participants, int configured) {
        return new Ensemble(
                IntStream.rangeClosed(1, participants).boxed().toList(),
                IntStream.rangeClosed(participants + 1, configured).boxed().toList());
    }

    private void drawSettings() {
        settings =
                ProtocolSettings.draw(random, factory, ensemble.participants().size(), application.isAmbush() ? 2 : 8);
    }

    private void drawOneOf(List<Fault> few, long meanMicros) {
        if (random.nextBoolean()) {
            faults.put(few.get(random.nextInt(few.size())), meanMicros);
        }
    }

    // ---------------------------------------------------------------- everything else, in the order of the options

    /** Where {@link #by} stands, the ranges are those of anything, behind and founding. */
    private SwarmOptions options() {
        return new SwarmOptions(
                replicas,
                ensemble,
                late,
                SwarmOptions.minQuorumSize(settings),
                settings,
                1_000_000L * (application.isAmbush() ? shortMillions() : by(2, 4, 3) + random.nextInt(by(6, 4, 4))),
                isQuiet() ? 1 : by(1, replicas, replicas) + random.nextInt(by(8, 4, 4)),
                1 + random.nextInt(by(4, 4, 3)),
                faults.containsKey(Fault.OVERHANG) ? 8 : pick(1, 2, 8),
                pick(
                        isQuiet()
                                ? of(200_000)
                                : by(of(1_000, 20_000, 200_000), of(20_000, 50_000), of(5_000, 20_000, 50_000))),
                faults.containsKey(Fault.OVERHANG) ? 10_000 : by(500, 2_000, 500),
                pick(by(of(10, 50, 80), of(0, 10, 50), of(0, 10, 50))),
                pick(by(of(0, 30, 70), of(0, 30), of(0, 30))),
                pick(0, 2, 20),
                pick(by(of(200, 2_000, 20_000, 60_000), of(200, 2_000), of(200, 2_000, 20_000))),
                pick(syncMicros()),
                pick(by(of(10, 500, 5_000), of(10, 500), of(10, 500, 5_000))),
                pick(by(of(10, 1_000, 50_000), of(10, 1_000), of(10, 1_000))),
                pick(by(of(1_000, 50_000, 300_000), of(1_000, 50_000), of(1_000, 50_000))),
                pick(by(of(20_000, 1_000_000, 5_000_000), of(20_000, 1_000_000), of(20_000, 1_000_000))),
                pick(by(of(0, 10, 50), of(0, 10), of(0, 10, 50))),
                keepsLogs() ? 0 : pick(by(of(0, 10, 50), of(10), of(0, 10, 50))),
                keepsLogs() ? 3 : pick(by(of(1, 3), of(1), of(1, 3))),
                HostSettings.LinkChoice.values()[random.nextInt(3)],
                faults,
                logSettings(),
                clocksAreSetBack(),
                limits(),
                null,
                upgrades,
                SharedDiskOptions.NONE,
                ServerOptions.DEFAULT);
    }

    private boolean isQuiet() {
        return faults.containsKey(Fault.GONE_UNSEEN);
    }

    private boolean keepsLogs() {
        return faults.containsKey(Fault.FEW_LISTED)
                || faults.containsKey(Fault.HOLE)
                || faults.containsKey(Fault.READ_LATE);
    }

    private int shortMillions() {
        boolean isLong = faults.containsKey(Fault.REPLACE) || faults.containsKey(Fault.OVERWRITE);
        return (faults.containsKey(Fault.OVERHANG) || faults.containsKey(Fault.OTHER_DISKS) ? 12 : isLong ? 4 : 2)
                + random.nextInt(2);
    }

    private int[] syncMicros() {
        int[] few =
                application.isAmbush() ? of(500, 2_000, 20_000) : application.isTold() ? of(500, 2_000) : of(0, 500);
        return by(of(0, 500, 10_000, 60_000), few, of(0, 500, 10_000, 60_000));
    }

    private AcceptorLogSettings logSettings() {
        return switch (application) {
            case REGISTERS, ZNODES, RECONFIG, UPGRADE -> {
                if (random.nextInt(5) < 2) {
                    faults.put(Fault.PARTITION, 3 * faultUnitMicros * (1 + random.nextInt(3)));
                }
                yield LogBounds.of(pick(512, 512, 2_048, 16_384), pick(0, 0, 0, 30), random.nextBoolean());
            }
            case MINORITY -> LogBounds.of(pick(512, 512, 2_048, 16_384), pick(0, 0, 0, 30), random.nextBoolean());
            case BEHIND, DEPOSED, AMBUSH, MEMBERS, TAKEOVER, OUTDATED -> LogBounds.of(pick(512, 2_048), 0, false);
            case FOUNDING -> LogBounds.of(pick(512, 2_048, 16_384), 0, random.nextBoolean());
        };
    }

    private boolean clocksAreSetBack() {
        return switch (application) {
            case REGISTERS, ZNODES, RECONFIG, UPGRADE -> {
                boolean mayBeSetBack = faults.containsKey(Fault.LOSE_DISK) && factory.sharedDisks() == null;
                boolean areSetBack = mayBeSetBack && random.nextBoolean();
                if (areSetBack && random.nextBoolean()) {
                    faults.put(Fault.CLOCK_JUMP, 500_000L);
                }
                yield areSetBack;
            }
            case BEHIND, DEPOSED, MINORITY, AMBUSH, MEMBERS, TAKEOVER, OUTDATED -> false;
            case FOUNDING -> random.nextBoolean();
        };
    }

    /** In every second run the product's links carry the messages. */
    private LinkOptions links() {
        if (random.nextBoolean()) {
            return null;
        }
        LinkHabits habits = LinkHabits.draw(
                random,
                pick(by(of(200, 2_000, 20_000, 60_000), of(200, 2_000), of(200, 2_000, 20_000))),
                pick(by(of(1_000, 50_000, 300_000), of(1_000, 50_000), of(1_000, 50_000))),
                pick(10, 500, 5_000));
        return LinkOptions.draw(random, habits);
    }

    /** Where a group may be cut off from the rest, any pairs may. */
    private void drawSplit() {
        if (faults.containsKey(Fault.PARTITION) && random.nextBoolean()) {
            faults.put(Fault.SPLIT, faults.get(Fault.PARTITION) * (1 + random.nextInt(2)));
        }
    }

    /** Where a few are down for good, or a story is told, disks have no other faults. */
    private void drawFaultsOfDisks() {
        if (application == SimulatedApplication.MINORITY || application.isTold()) {
            return;
        }
        for (Fault fault : OF_DISKS) {
            if (random.nextInt(6) == 0) {
                faults.put(fault, 1_000_000L * (1 + random.nextInt(3)));
            }
        }
    }

    /** Drawn behind everything else. */
    private void drawWrongDirectory() {
        boolean hasServers =
                application == SimulatedApplication.RECONFIG || application == SimulatedApplication.UPGRADE;
        if (hasServers && random.nextInt(4) == 0) {
            faults.put(Fault.WRONG_DIRECTORY, 500_000L * (1 + random.nextInt(3)));
        }
    }

    /** Drawn behind everything else, where stories are told of who is behind. */
    private void drawMemory() {
        boolean isAboutLaggards = application == SimulatedApplication.BEHIND || application.isAmbush();
        if (isAboutLaggards && random.nextBoolean()) {
            ProtocolSettings.drawMemory(random, factory, settings);
        }
    }

    /** Drawn behind everything else. */
    private void drawRises() {
        if (application == SimulatedApplication.UPGRADE && random.nextBoolean()) {
            Fault fault = random.nextBoolean() ? Fault.GO_BACK_BEFORE_RISE : Fault.GO_BACK_AT_RISE;
            faults.put(fault, (long) pick(300_000, 1_000_000));
            faults.remove(Fault.GO_BACK); // whoever goes back at another time keeps the level from rising
            upgrades = new Upgrades(upgrades.newAtFirst(), BY_OPERATOR, upgrades.completed());
        }
    }

    /**
     * Those of the product, or so small that one message or command reaches them, or a few do. Who waits for room lets
     * the disk work, which must be able to hang where a leader is deposed.
     */
    private ReplicaLimits limits() {
        boolean small = application != SimulatedApplication.DEPOSED && random.nextBoolean();
        return new ReplicaLimits(
                ReplicaLimits.DEFAULT.maxOutstandingBytes(),
                small ? bytes() : ReplicaLimits.DEFAULT.maxInboundBytes(),
                small ? bytes() : ReplicaLimits.DEFAULT.maxBacklogBytes(),
                small ? bytes() : ReplicaLimits.DEFAULT.maxUnsyncedBytes(),
                ReplicaLimits.DEFAULT.maxHeldMessages(),
                ReplicaLimits.DEFAULT.maxSharedDiskBytes(),
                pick(1, 2, 8, 64, ReplicaLimits.DEFAULT.maxInputsPerBatch()),
                World.TICK_MILLIS);
    }

    private int bytes() {
        return 1 << random.nextInt(16);
    }

    private <T> T by(T anything, T behind, T founding) {
        return switch (application) {
            case REGISTERS, ZNODES, RECONFIG, UPGRADE, MINORITY -> anything;
            case BEHIND, DEPOSED, AMBUSH, MEMBERS, TAKEOVER, OUTDATED -> behind;
            case FOUNDING -> founding;
        };
    }

    private static int[] of(int... choices) {
        return choices;
    }

    /** Where there is no choice nothing is drawn. */
    private int pick(int... choices) {
        return choices.length == 1 ? choices[0] : choices[random.nextInt(choices.length)];
    }
}
