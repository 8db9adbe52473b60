package io.chainkeeper.simulation.swarm;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** What is drawn behind everything else, for some runs only, so that most seeds go on meaning what they meant. */
final class LastDraw {
    private static final long LEAST_SHARED_DISK_BYTES = 512 << 10;

    /** As Disk Paxos bounds it. */
    private static final long MOST_WRITTEN_AT_ONCE_BYTES = 8 << 20;

    /** A sixtieth of what a run waits for everything to be as demanded. */
    private static final long MOST_TURNS_MICROS = 500_000;

    private static final Set<Fault> BESIDE_A_SURVIVOR = EnumSet.range(Fault.CRASH, Fault.DOWN_LONG);
    private static final Set<Fault> BESIDE_OTHER_DISKS = Set.of(Fault.LATE_WRITES, Fault.SLOW_LINK, Fault.RECONFIGURE);

    private static final Set<Fault> NOT_BESIDE_SLOW_DISKS =
            Set.of(Fault.DOWN_FOR_GOOD, Fault.HANGS_FOR_GOOD, Fault.SHARED_DISK_GONE, Fault.LEAVE);

    private static final Set<Fault> STORIES = EnumSet.of(
            Fault.GONE_UNSEEN,
            Fault.LEAVE_BEHIND,
            Fault.READ_LATE,
            Fault.REGROUP,
            Fault.GO_ON_ALONE,
            Fault.OTHER_DISKS);

    /** Takeovers with slow disks take their time. */
    private static final int TIMES_LONGER = 5;

    /** The protocol in which a joiner may stand before it is a member. */
    private static final String CHAIN = "chain";

    /** A joiner that stands, and others that meet it, take so long. */
    private static final long JOINER_MICROS = 8_000_000;

    private static final Set<Fault> BESIDE_JOINERS = Set.of(Fault.SLOW_DISK, Fault.SLOW_LINK, Fault.BREAK);

    private final SplittableRandom random;
    private final OrderingProtocolFactory factory;
    private final SimulatedApplication application;

    /**
     * @param random what is drawn
     * @param factory the protocol
     * @param application above it
     */
    LastDraw(SplittableRandom random, OrderingProtocolFactory factory, SimulatedApplication application) {
        this.random = random;
        this.factory = factory;
        this.application = application;
    }

    /** Draws the rest of a run's options. */
    SwarmOptions draw(SwarmOptions drawn) {
        drawOtherCluster(drawn);
        leaveOutRot(drawn.faultIntervalMicros());
        SwarmOptions bounded = withHeldMessages(drawn);
        drawHangs(bounded.faultIntervalMicros());
        drawWrongDirectory(bounded.faultIntervalMicros());
        drawExchanges(bounded.faultIntervalMicros());
        drawMemory(bounded.settings());
        drawLeaves(bounded.faultIntervalMicros());
        SwarmOptions all = withReads(withSharedDiskBytes(withOutstandingBytes(bounded)));
        drawSurvivor(all.faultIntervalMicros());
        SwarmOptions last = drawGone(all);
        drawOtherDisks(last.faultIntervalMicros());
        leaveOutSlowTurns(last);
        SwarmOptions whole = withRoomForRings(withRoomWhereLeadersAreGone(withUnrecorded(last)));
        SplittableRandom ofSlowDisks = random.split();
        SwarmOptions slow = withSlowForGood(ofSlowDisks, whole);
        drawBrownouts(ofSlowDisks, slow.faultIntervalMicros());
        return withJoiner(random.split(), slow);
    }

    /** Of a minority disks stay slow. Nobody else is gone; nor does anybody stop: that must not take long. */
    private SwarmOptions withSlowForGood(SplittableRandom ofSlowDisks, SwarmOptions drawn) {
        Map<Fault, Long> faults = drawn.faultIntervalMicros();
        boolean mayBe = application == SimulatedApplication.MINORITY && !faults.containsKey(Fault.GONE_UNSEEN);
        if (!mayBe || ofSlowDisks.nextInt(4) != 0) {
            return drawn;
        }
        faults.keySet().removeAll(NOT_BESIDE_SLOW_DISKS);
        faults.put(Fault.SLOW_FOR_GOOD, ofSlowDisks.nextBoolean() ? 500_000L : 2_000_000L);
        return drawn.lasting(TIMES_LONGER * drawn.safetyMicros());
    }

    /** A quarter of the runs with three: nothing else goes wrong, and a leader with a slow disk has room to propose. */
    private SwarmOptions withJoiner(SplittableRandom ofJoiners, SwarmOptions drawn) {
        boolean areThree = drawn.ensemble().participants().size() == 3;
        boolean mayBe = application == SimulatedApplication.MEMBERS && factory.name().equals(CHAIN);
        if (!mayBe || !areThree || ofJoiners.nextInt(4) != 0) {
            return drawn;
        }
        drawn.faultIntervalMicros().clear();
        drawn.faultIntervalMicros().put(Fault.JOINER_STANDS, 20_000L);
        drawn.settings().keySet().removeIf(key -> !key.endsWith("heartbeatMillis"));
        ProtocolSettings.widen(factory, drawn.settings());
        ReplicaLimits room = ReplicaLimits.DEFAULT.withTickMillis(drawn.limits().tickMillis());
        return drawn.with(room).withoutLeastQuorum().lasting(JOINER_MICROS);
    }

    /** Not where a story is told in which disks hang, or must not. */
    private void drawBrownouts(SplittableRandom ofSlowDisks, Map<Fault, Long> faults) {
        boolean isStory = application.isTold() || STORIES.stream().anyMatch(faults::containsKey);
        if (!isStory && ofSlowDisks.nextInt(6) == 0) {
            faults.put(Fault.BROWNOUT, ofSlowDisks.nextBoolean() ? 1_000_000L : 3_000_000L);
        }
    }

    /**
     * Where disks are shared, and in runs about founding, which are short, the log of a server's own has hardly ever a
     * second segment, so nothing old that could rot.
     */
    private void leaveOutRot(Map<Fault, Long> faults) {
        if (factory.sharedDisks() != null || application == SimulatedApplication.FOUNDING) {
            faults.remove(Fault.ROT);
        }
    }

    /** A server is started with the directory of another one of the same cluster. */
    private void drawWrongDirectory(Map<Fault, Long> faults) {
        if (application == SimulatedApplication.ZNODES && random.nextInt(4) == 0) {
            faults.put(Fault.WRONG_DIRECTORY, 500_000L * (1 + random.nextInt(3)));
        }
    }

    /** Logs are read for those that are behind. */
    private void drawMemory(Map<String, String> settings) {
        if (application == SimulatedApplication.BEHIND || random.nextInt(4) == 0) {
            ProtocolSettings.drawMemory(random, factory, settings);
        }
    }

    /** An operator stops servers. Not where a story is told in which little else must go wrong. */
    private void drawLeaves(Map<Fault, Long> faults) {
        boolean isStory = switch (application) {
            case BEHIND, DEPOSED, TAKEOVER, OUTDATED -> true;
            case MINORITY -> faults.containsKey(Fault.GONE_UNSEEN);
            case REGISTERS, ZNODES, RECONFIG, UPGRADE, FOUNDING, AMBUSH, MEMBERS -> false;
        };
        if (!isStory && random.nextInt(3) == 0) {
            faults.put(Fault.LEAVE, application.isAmbush() ? 200_000L : 500_000L * (1 + random.nextInt(3)));
        }
    }

    /** All disks but one are lost. Nobody else is replaced or removed: who comes back must be able to. */
    private void drawSurvivor(Map<Fault, Long> faults) {
        boolean mayBe = application == SimulatedApplication.ZNODES && factory.sharedDisks() == null;
        if (mayBe && random.nextInt(6) == 0) {
            faults.keySet().retainAll(BESIDE_A_SURVIVOR);
            faults.put(Fault.GO_ON_ALONE, random.nextBoolean() ? 200_000L : 800_000L);
        }
    }

    /** A disk of another cluster is found in the place of one of this cluster. */
    private void drawExchanges(Map<Fault, Long> faults) {
        if (factory.sharedDisks() != null && !application.isTold() && random.nextInt(6) == 0) {
            faults.put(Fault.SHARED_DISK_EXCHANGED, random.nextBoolean() ? 200_000L : 1_000_000L);
        }
    }

    /** Whoever waits for its disk to record what it is has room to go on meanwhile. */
    private SwarmOptions withUnrecorded(SwarmOptions drawn) {
        boolean isAlone = drawn.ensemble().participants().size() == 1;
        boolean joins = application == SimulatedApplication.MEMBERS && isAlone;
        boolean founds = application == SimulatedApplication.FOUNDING;
        if (!joins && !founds || random.nextBoolean()) {
            return drawn;
        }
        Map<Fault, Long> faults = drawn.faultIntervalMicros();
        if (joins) {
            faults.keySet().retainAll(BESIDE_JOINERS); // so that the one server is alone time and again
            faults.put(Fault.JOIN_UNRECORDED, 200_000L);
        } else {
            faults.put(Fault.FOUND_UNRECORDED, 20_000L);
        }
        return drawn.with(ReplicaLimits.DEFAULT.withTickMillis(drawn.limits().tickMillis()));
    }

    /** In half of these runs little else goes wrong: the story takes time. */
    private void drawOtherDisks(Map<Fault, Long> faults) {
        boolean areAll = !faults.containsKey(Fault.DOWN_FOR_GOOD) && !faults.containsKey(Fault.HANGS_FOR_GOOD);
        boolean mayBe = factory.sharedDisks() != null && areAll && !application.isTold();
        if (mayBe && random.nextInt(8) == 0) {
            if (random.nextBoolean()) {
                faults.keySet().retainAll(BESIDE_OTHER_DISKS);
            }
            faults.put(Fault.OTHER_DISKS, random.nextBoolean() ? 200_000L : 1_000_000L);
        }
    }

    /** Where stories are told, disks hang when the story says so. */
    private void drawHangs(Map<Fault, Long> faults) {
        boolean isStory = application.isTold() || faults.containsKey(Fault.GONE_UNSEEN);
        if (isStory || application == SimulatedApplication.BEHIND || random.nextInt(6) != 0) {
            return;
        }
        if (application == SimulatedApplication.MINORITY) {
            faults.remove(Fault.DOWN_FOR_GOOD);
            faults.put(Fault.HANGS_FOR_GOOD, random.nextBoolean() ? 500_000L : 2_000_000L);
            return;
        }
        if (random.nextBoolean() || factory.sharedDisks() == null) {
            faults.put(Fault.DISK_HANGS, random.nextBoolean() ? 500_000L : 2_000_000L);
        } else {
            faults.put(Fault.SHARED_DISKS_HANG, random.nextBoolean() ? 500_000L : 2_000_000L);
        }
    }

    /** Servers that never come back, and shared disks. */
    private SwarmOptions drawGone(SwarmOptions drawn) {
        Map<Fault, Long> faults = drawn.faultIntervalMicros();
        boolean isMajorityEnough = false;
        boolean isStory = faults.containsKey(Fault.GO_ON_ALONE);
        if (!isStory && application.mayMissServers() && random.nextInt(3) == 0) {
            isMajorityEnough = random.nextInt(4) != 0;
            boolean onlyDisk = random.nextInt(3) == 0;
            Fault fault = onlyDisk ? Fault.HANGS_FOR_GOOD : Fault.DOWN_FOR_GOOD;
            faults.put(fault, random.nextBoolean() ? 500_000L : 2_000_000L);
            if (application.isReconfigured()) {
                // An administrator removes who is gone; other changes may mean that nobody may be gone.
                faults.put(Fault.RECONFIGURE, random.nextBoolean() ? 1_000_000L : 20_000_000L);
            }
        }
        boolean isOneGone = faults.containsKey(Fault.DOWN_FOR_GOOD) || faults.containsKey(Fault.HANGS_FOR_GOOD);
        if (factory.sharedDisks() != null && isOneGone) {
            SharedDiskDraw.widenRings(drawn.settings());
            if (random.nextBoolean()) {
                faults.put(Fault.SHARED_DISK_GONE, random.nextBoolean() ? 500_000L : 2_000_000L);
            }
        }
        return isMajorityEnough ? drawn.withoutLeastQuorum() : drawn;
    }

    /** The product's links ask for the cluster. */
    private void drawOtherCluster(SwarmOptions drawn) {
        boolean mayBe = application.hasStrangers() && factory.sharedDisks() == null;
        if (mayBe && drawn.links() != null && random.nextInt(4) == 0) {
            drawn.faultIntervalMicros().put(Fault.OTHER_CLUSTER, random.nextBoolean() ? 300_000L : 1_000_000L);
        }
    }

    /** Whole servers have threads that may wait for room to propose; from one command on. */
    private SwarmOptions withOutstandingBytes(SwarmOptions drawn) {
        if (!application.hasServers() || random.nextInt(5) != 0) {
            return drawn;
        }
        long commands = 1L << random.nextInt(4);
        return drawn.with(drawn.limits().withMaxOutstandingBytes(commands * ReplicaLimits.COMMAND_COST_BYTES));
    }

    /**
     * Where leaders that are gone go on having turns, all that servers are asked for at the end must fit into the time
     * that a run waits: dozens of commands, one behind the other.
     */
    private void leaveOutSlowTurns(SwarmOptions drawn) {
        if (application.hasServers() && drawn.goneLeadersMicros() > MOST_TURNS_MICROS) {
            drawn.faultIntervalMicros().remove(Fault.HANGS_FOR_GOOD);
            drawn.faultIntervalMicros().remove(Fault.DOWN_FOR_GOOD);
        }
    }

    /**
     * Where it is the turn of leaders that are gone time and again, commands that go one by one wait for it one after
     * the other, and no session lasts as long.
     */
    private static SwarmOptions withRoomWhereLeadersAreGone(SwarmOptions drawn) {
        if (!drawn.hasLittleRoom() || drawn.goneLeadersMicros() == 0) {
            return drawn;
        }
        return drawn.with(drawn.limits().withMaxOutstandingBytes(ReplicaLimits.DEFAULT.maxOutstandingBytes()));
    }

    private SwarmOptions withSharedDiskBytes(SwarmOptions drawn) {
        if (factory.sharedDisks() == null || random.nextInt(4) != 0) {
            return drawn;
        }
        return drawn.with(drawn.limits().withMaxSharedDiskBytes(LEAST_SHARED_DISK_BYTES << random.nextInt(2)));
    }

    /**
     * A server may ask a disk to write so much of a ring at once, and what it reads waits behind that. Where less may
     * wait than it asks for, every attempt fails in the same way, as none does with the product's own bound.
     */
    private SwarmOptions withRoomForRings(SwarmOptions drawn) {
        if (factory.sharedDisks() == null) {
            return drawn;
        }
        long writtenAtOnce = Math.min(SharedDiskDraw.regionBytes(drawn.settings()), MOST_WRITTEN_AT_ONCE_BYTES);
        long bytes = Math.max(drawn.limits().maxSharedDiskBytes(), 2 * writtenAtOnce);
        return drawn.with(drawn.limits().withMaxSharedDiskBytes(bytes));
    }

    private SwarmOptions withReads(SwarmOptions drawn) {
        return application == SimulatedApplication.ZNODES && random.nextInt(5) == 0
                ? drawn.with(new ServerOptions(ReadConsistency.SEQUENTIAL))
                : drawn;
    }

    /** Where stories are told, disks must be able to hang, and who waits for them lets them work. */
    private SwarmOptions withHeldMessages(SwarmOptions drawn) {
        if (application.isTold() || random.nextInt(8) != 0) {
            return drawn;
        }
        ReplicaLimits few = drawn.limits().withMaxHeldMessages(1 << 2 * random.nextInt(3));
        return drawn.with(few);
    }
}
