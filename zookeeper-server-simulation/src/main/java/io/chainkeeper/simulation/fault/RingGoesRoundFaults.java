package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.HangingDisks.Unanswered;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * A ring on shared disks that goes round while somebody reads it. A leader whose checkpoints do not reach its own disk
 * fills its ring, while those of all others are new. One of them is cut off, lacks a little, and has read where that
 * ring begins; then the disks give it no answer. The leader's checkpoints arrive, it frees what all have, and writes
 * over it. Then the disks answer.
 */
final class RingGoesRoundFaults {
    private static final int BLOCK_BYTES = 4096;

    /** So much is freed at once that what may be in use of a ring then comes round to where it began. */
    private static final int FILLED_PERCENT = 53;

    private static final String READ = "asks to read from disk";
    private static final String BARRIER = "read barrier";
    private static final String REACHED = "barrier reached";
    private static final long FILL_MICROS = 3_000_000;
    private static final long CHECKPOINT_MICROS = 600_000;

    /** Two heartbeats, as they are drawn here. */
    private static final long TOLD_MICROS = 60_000;

    /** A header of the reader is written, and one of the leader's reads behind it is answered. */
    private static final int ACCESSES = 4;

    private static final long READ_MICROS = 1_000_000;
    private static final long ROUND_MICROS = 3_000_000;
    private static final long MEETING_MICROS = 200_000;
    private static final long STORY_MICROS = 20_000_000;

    private final Cluster cluster;
    private final Stories stories;
    private final SwarmOptions options;
    private final Set<Integer> hanging = new TreeSet<>();
    private SplittableRandom random;
    private boolean busy;
    private int leader;
    private int reader;

    /** Of the leader's ring; each position takes one at least. */
    private long blocks;

    /** Whether the reader is to get no answer where it reads a ring. */
    private boolean holdsReads;

    /** The last position that was in all checkpoints when the reader read where the ring begins. */
    private long freed;

    /** Numbers of the last read that waits at the reader, and of the last one that does not. */
    private long asked;

    private long answered;

    /**
     * @param cluster that suffers
     * @param stories how it is told
     * @param options how long accesses take
     */
    RingGoesRoundFaults(Cluster cluster, Stories stories, SwarmOptions options) {
        this.cluster = cluster;
        this.stories = stories;
        this.options = options;
    }

    /** Begins, unless nobody leads, there is nobody else, or the last story has not ended. */
    void begin(SplittableRandom ofFault) {
        List<Integer> participants = cluster.ensemble().participants();
        List<Integer> leaders = participants.stream().filter(stories::leads).toList();
        List<Integer> others = participants.stream()
                .filter(id -> cluster.host(id) != null && !stories.leads(id))
                .toList();
        if (busy || leaders.isEmpty() || others.isEmpty()) {
            return;
        }
        busy = true;
        random = ofFault;
        leader = leaders.get(0);
        reader = others.get(random.nextInt(others.size()));
        blocks = cluster.host(leader).gauges().get("ring_max_bytes") / BLOCK_BYTES;
        asked = 0;
        answered = 0;
        cluster.hangingDisks().hangOwn(leader, Unanswered.WRITES, STORY_MICROS);
        stories.await(FILL_MICROS, this::isFilled, this::holdWrites, this::end);
    }

    /** Up to here everything is in all checkpoints. */
    private long freed() {
        return cluster.ensemble().participants().stream()
                .mapToLong(id -> cluster.replica(id).oldestCheckpoint())
                .min()
                .orElse(0);
    }

    private boolean isFilled() {
        long used = cluster.checker().lastPosition() - freed();
        return stories.leads(leader) && 100 * used >= FILLED_PERCENT * blocks;
    }

    /** Nothing is written until the checkpoints of others, and what they say of them, come as far as the ring does. */
    private void holdWrites() {
        takeCheckpoint(leader);
        for (int disk = 0; disk < cluster.sharedDisks().count(); disk++) {
            cluster.hangingDisks().hangShared(leader, disk, STORY_MICROS);
        }
        stories.isolate(reader);
        long position = cluster.host(reader) == null
                ? Long.MAX_VALUE
                : cluster.host(reader).position();
        cluster.ensemble().participants().stream().filter(id -> id != leader).forEach(this::takeCheckpoint);
        long toldMicros = TOLD_MICROS + ACCESSES * options.sharedDisks().maxMicros();
        stories.await(
                CHECKPOINT_MICROS,
                () -> cluster.replica(reader).oldestCheckpoint() >= position,
                () -> stories.later(toldMicros, this::goOn),
                this::end);
    }

    private void takeCheckpoint(int id) {
        ReplicaHost host = cluster.host(id);
        if (host != null) {
            host.takeCheckpoint();
        }
    }

    /** The leader decides a little more, of which the reader, cut off, learns from the disks. */
    private void goOn() {
        holdsReads = true;
        answerLeader();
        stories.await(READ_MICROS, () -> hanging.size() == cluster.sharedDisks().count(), this::goRound, this::end);
    }

    private void answerLeader() {
        for (int disk = 0; disk < cluster.sharedDisks().count(); disk++) {
            cluster.hangingDisks().answerShared(leader, disk);
        }
    }

    /**
     * Something has happened at a replica.
     *
     * @param replica where
     * @param what as in a trace
     * @param number which shared disk, if one is asked
     * @param detail from which byte on, then
     */
    void happened(int replica, String what, long number, Object detail) {
        if (!busy || replica != reader) {
            return;
        }
        switch (what) {
            case BARRIER -> asked = number;
            case REACHED -> answered = Math.max(answered, number);
            case READ -> {
                // Headers are in front of the rings. Who only reads how far the rings reach misses nothing.
                boolean isRing = holdsReads && (Long) detail > 0 && (asked <= answered || !hanging.isEmpty());
                if (isRing && cluster.hangingDisks().hangShared(reader, (int) number, STORY_MICROS)) {
                    hanging.add((int) number);
                }
            }
            default -> {}
        }
    }

    private void goRound() {
        freed = freed();
        cluster.hangingDisks().answerOwn(leader);
        stories.await(ROUND_MICROS, this::hasGoneRound, this::readOn, this::end);
    }

    private boolean hasGoneRound() {
        return cluster.checker().lastPosition() > freed + 1 + blocks;
    }

    private void readOn() {
        stories.reached(Fault.RING_GOES_ROUND);
        answer();
        stories.later(random.nextLong(MEETING_MICROS), this::end);
    }

    private void answer() {
        holdsReads = false;
        hanging.forEach(disk -> cluster.hangingDisks().answerShared(reader, disk));
        hanging.clear();
    }

    private void end() {
        busy = false;
        answer();
        cluster.hangingDisks().answerOwn(leader);
        answerLeader();
        stories.reunite();
    }
}
