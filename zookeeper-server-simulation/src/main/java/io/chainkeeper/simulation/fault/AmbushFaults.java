package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/**
 * Faults at the moments that matter. A trap waits for a kind of message, for the rare kinds as often as for the common
 * ones, and strikes when such a message leaves. Who reaches whom changes as a whole, time and again, so that leaders
 * follow each other with other quorums. And disks hang while checkpoints are written, before their replicas crash.
 */
final class AmbushFaults {
    /** What a trap does to the message, its sender or its receiver. */
    private enum Strike {
        HOLD,
        HOLD_ANSWER,
        ONLY_THIS_RECEIVER,
        SENDER_ALONE,
        RECEIVER_ALONE,
        SENDER_CRASHES,
        RECEIVER_CRASHES,
        SENDER_HANGS,
        RECEIVER_HANGS,
        REGROUP
    }

    private static final class Trap {
        private final String kind;
        private final SplittableRandom random;
        private int left;

        private Trap(String kind, int left, SplittableRandom random) {
            this.kind = kind;
            this.left = left;
            this.random = random;
        }
    }

    /** What protocols call the message of a replica that promises. */
    static final Set<String> PROMISES = Set.of("PrepareOk", "Promise");

    /** What is not a message: a replica delivers a membership. */
    private static final String MEMBERSHIP = "membership";

    private static final int MAX_TRAPS = 4;
    private static final int MAX_COUNT = 3;
    private static final long SOON_MICROS = 30_000;
    private static final long SHORT_HANG_MICROS = 20_000;
    private static final int HANG_MAGNITUDES = 6;
    private static final int CHECKPOINTS_MEANWHILE = 4;

    private final Cluster cluster;
    private final FaultInjector faults;
    private final BiConsumer<Long, Runnable> later;
    private final int hangingDisk;
    private final TreeSet<String> kinds = new TreeSet<>();

    /** What is drawn when the next promise leaves; null if nothing happens then. */
    private SplittableRandom ofPromise;

    private final List<Trap> traps = new ArrayList<>();

    /**
     * @param cluster that suffers
     * @param faults crashes and restarts replicas
     * @param later does something after so many microseconds, unless faults have stopped by then
     * @param hangingDisk how many times longer a force of a disk takes that hangs
     */
    AmbushFaults(Cluster cluster, FaultInjector faults, BiConsumer<Long, Runnable> later, int hangingDisk) {
        this.cluster = cluster;
        this.faults = faults;
        this.later = later;
        this.hangingDisk = hangingDisk;
    }

    // ---------------------------------------------------------------- traps

    /** Lays a trap for one of the kinds of messages that were sent so far. */
    void layTrap(SplittableRandom random) {
        if (kinds.isEmpty() || traps.size() == MAX_TRAPS) {
            return;
        }
        boolean isMembership = kinds.contains(MEMBERSHIP) && random.nextInt(3) == 0;
        String kind = isMembership ? MEMBERSHIP : List.copyOf(kinds).get(random.nextInt(kinds.size()));
        traps.add(new Trap(kind, 1 + random.nextInt(MAX_COUNT), random));
    }

    /** A replica delivers something; a membership counts as a message to anybody. */
    void delivers(int replica, ByteSlice value) {
        if (BatchCodec.isMembership(value)) {
            int other = 1 + replica % cluster.members().size();
            happens(MEMBERSHIP, replica, other);
        }
    }

    /** A message is about to leave. */
    void sent(int from, int to, Message message) {
        String kind = message.getClass().getSimpleName();
        if (ofPromise != null && PROMISES.contains(kind)) {
            promised(from, to, ofPromise);
            ofPromise = null;
        }
        happens(kind, from, to);
    }

    private void happens(String kind, int from, int to) {
        kinds.add(kind);
        Iterator<Trap> each = traps.iterator();
        while (each.hasNext()) {
            Trap trap = each.next();
            if (trap.kind.equals(kind) && --trap.left == 0) {
                each.remove();
                faults.tookEffect(Fault.AMBUSH);
                strike(from, to, trap.random);
            }
        }
    }

    /** Links change at once; what else happens comes a little later, for the sender is in the middle of an input. */
    private void strike(int from, int to, SplittableRandom random) {
        Strike strike = Strike.values()[random.nextInt(Strike.values().length)];
        long lasts = FaultInjector.duration(random);
        long soon = 1 + random.nextLong(1 + random.nextLong(SOON_MICROS));
        switch (strike) {
            case HOLD -> cut(from, to, lasts);
            case HOLD_ANSWER -> cut(to, from, lasts);
            case ONLY_THIS_RECEIVER -> isolate(from, to, lasts);
            case SENDER_ALONE -> later.accept(soon, () -> isolate(from, from, lasts));
            case RECEIVER_ALONE -> later.accept(soon, () -> isolate(to, to, lasts));
            case SENDER_CRASHES -> later.accept(soon, () -> faults.crash(from, lasts));
            case RECEIVER_CRASHES -> later.accept(soon, () -> faults.crash(to, lasts));
            case SENDER_HANGS -> later.accept(1L, () -> hang(from, random));
            case RECEIVER_HANGS -> later.accept(1L, () -> hang(to, random));
            case REGROUP -> later.accept(soon, () -> regroup(random));
        }
    }

    /** The next one that gets a promise has only a moment for what it does with it. */
    void awaitPromise(SplittableRandom random) {
        ofPromise = random;
    }

    /** Soon the candidate reaches nobody, and all others reach each other. */
    private void promised(int from, int to, SplittableRandom random) {
        long soon = 1 + random.nextLong(1 + random.nextLong(SOON_MICROS));
        boolean crashes = random.nextInt(3) == 0;
        long downMicros = 1 + random.nextLong(SOON_MICROS);
        later.accept(soon, () -> {
            faults.tookEffect(Fault.USURP);
            List<Integer> group = new ArrayList<>(othersWith(random, true));
            group.add(to);
            for (int one : cluster.members()) {
                for (int other : cluster.members()) {
                    if (one != other) {
                        set(one, other, group.contains(one) != group.contains(other));
                    }
                }
            }
            if (crashes) {
                faults.crash(from, downMicros);
            }
        });
    }

    private void cut(int from, int to, long micros) {
        cluster.network().cut(from, to);
        later.accept(micros, () -> cluster.network().heal(from, to));
    }

    private void isolate(int replica, int butFrom, long micros) {
        for (int other : cluster.members()) {
            if (other != replica && other != butFrom) {
                cut(replica, other, micros);
                cut(other, replica, micros);
            }
        }
    }

    // ---------------------------------------------------------------- who reaches whom

    /**
     * All former cuts are forgotten. Mostly a majority is left together, and more often than not without a leader.
     *
     * @return whether anybody is cut off now
     */
    boolean regroup(SplittableRandom random) {
        List<Integer> rest = new ArrayList<>(cluster.ensemble().participants());
        List<Integer> group = new ArrayList<>();
        int shape = random.nextInt(8);
        if (shape > 1) {
            int size = random.nextInt(4) == 0 ? random.nextInt(rest.size()) : minority();
            while (group.size() < size) {
                List<Integer> leaders = rest.stream().filter(this::leads).toList();
                List<Integer> from = leaders.isEmpty() || random.nextInt(3) == 0 ? rest : leaders;
                Integer next = from.get(random.nextInt(from.size()));
                group.add(next);
                rest.remove(next);
            }
        }
        group.addAll(othersWith(random, shape > 1));
        int bridge = shape == 2 ? any(group, random) : shape == 3 ? any(rest, random) : 0;
        boolean scattered = shape == 4;
        boolean oneWay = shape == 5 && random.nextBoolean();
        for (int one : cluster.members()) {
            for (int other : cluster.members()) {
                if (one < other) {
                    boolean together = group.contains(one) == group.contains(other);
                    boolean apart = !together || scattered && group.contains(one);
                    boolean cut = apart && one != bridge && other != bridge;
                    set(one, other, cut);
                    set(other, one, cut && !oneWay);
                }
            }
        }
        return cluster.network().cuts() > 0;
    }

    /** Those that are no participants may be on either side. */
    private List<Integer> othersWith(SplittableRandom random, boolean any) {
        List<Integer> participants = cluster.ensemble().participants();
        return cluster.members().stream()
                .filter(id -> !participants.contains(id) && any && random.nextBoolean())
                .toList();
    }

    private int minority() {
        return (cluster.ensemble().participants().size() - 1) / 2;
    }

    private static int any(List<Integer> some, SplittableRandom random) {
        return some.isEmpty() ? 0 : some.get(random.nextInt(some.size()));
    }

    private boolean leads(int id) {
        ReplicaHost host = cluster.host(id);
        return host != null && host.status().role() == Role.LEADER;
    }

    private void set(int from, int to, boolean cut) {
        if (cut) {
            cluster.network().cut(from, to);
        } else {
            cluster.network().heal(from, to);
        }
    }

    // ---------------------------------------------------------------- disks that hang

    /** The disks of one replica, of some or of all hang; whether one of them runs. */
    boolean hang(SplittableRandom random) {
        int chance = random.nextInt(4);
        int only = 1 + random.nextInt(cluster.members().size());
        boolean hits = false;
        for (int id : cluster.members()) {
            if (chance == 0 || chance == 1 && random.nextBoolean() || id == only) {
                hang(id, random.split());
                hits |= cluster.host(id) != null;
            }
        }
        return hits;
    }

    private void hang(int id, SplittableRandom random) {
        long lasts = 1 + random.nextLong(SHORT_HANG_MICROS << random.nextInt(HANG_MAGNITUDES));
        boolean crashes = random.nextInt(4) != 0;
        long downMicros = FaultInjector.duration(random);
        cluster.slowDisk(id, hangingDisk);
        for (int i = 0; i < CHECKPOINTS_MEANWHILE; i++) {
            later.accept(lasts * i / CHECKPOINTS_MEANWHILE, () -> faults.takeCheckpoint(id));
        }
        later.accept(lasts, () -> {
            cluster.slowDisk(id, 1);
            if (crashes) {
                faults.crash(id, downMicros);
            }
        });
    }
}
