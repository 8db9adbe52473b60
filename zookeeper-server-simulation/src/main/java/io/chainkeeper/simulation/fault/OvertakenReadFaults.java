package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.HangingDisks.Unanswered;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A reading of the log that is overtaken. A laggard lacks more than is in memory, and less than it is sent at once. A
 * leader is cut off with a value of its own, and the laggard reaches nobody else: so that leader begins to read its log
 * for it, from a disk that gives no answer. Others decide something else there, and go on. The former leader, back
 * among them, takes that, and has it no longer in memory when the disk answers. The laggard, which it feeds in the new
 * ballot by then, must not be told its own value.
 */
final class OvertakenReadFaults {
    /** With a window of one, so many values stay in memory, or one less. */
    private static final long IN_MEMORY = 9;

    /** So many values may be on their way to the laggard, which lacks one more than was decided. */
    private static final long MOST_LACKED = 31;

    private static final int WITHOUT_OBSERVERS = 5;
    private static final long HOLD_MICROS = 1_500_000;
    private static final long MEETING_MICROS = 100_000;

    private final Cluster cluster;
    private final Stories stories;
    private SplittableRandom random;
    private boolean busy;
    private int reader;
    private int laggard;
    private long own;
    private long readings;

    /**
     * @param cluster that suffers
     * @param stories how it is told
     */
    OvertakenReadFaults(Cluster cluster, Stories stories) {
        this.cluster = cluster;
        this.stories = stories;
    }

    /** Begins, unless nobody leads, others could not decide, the laggard is behind, or the last story has not ended. */
    void begin(SplittableRandom ofFault) {
        List<Integer> participants = new ArrayList<>(cluster.ensemble().participants());
        List<Integer> leaders = participants.stream().filter(stories::leads).toList();
        List<Integer> observers = cluster.ensemble().observers();
        boolean areEnough = !observers.isEmpty() || participants.size() >= WITHOUT_OBSERVERS;
        if (busy || leaders.isEmpty() || !areEnough) {
            return;
        }
        random = ofFault;
        reader = leaders.get(0);
        // The chain goes round from its head, whoever that is: so the next one is behind the former leader there.
        laggard = observers.isEmpty()
                ? participants.get((participants.indexOf(reader) + 1) % participants.size())
                : observers.get(random.nextInt(observers.size()));
        if (cluster.host(laggard) == null || lacked() > IN_MEMORY) {
            return;
        }
        busy = true;
        cutOff(laggard);
        stories.await(HOLD_MICROS, this::isBehind, this::cutOffReader, this::end);
    }

    /** What is on its way is lost as well: it would come as soon as the link heals. */
    private void cutOff(int replica) {
        stories.isolate(replica);
        cluster.members().stream()
                .filter(other -> other != replica)
                .forEach(other -> cluster.network().breakLink(replica, other));
    }

    /** Best when the leader has nothing under way, which others could have taken already. */
    private boolean isBehind() {
        long last = cluster.checker().lastPosition();
        boolean isIdle = position(reader) == last && lastInLog(reader) == last;
        return stories.leads(reader) && lacked() > IN_MEMORY && (isIdle || lacked() >= MOST_LACKED);
    }

    private long lacked() {
        return cluster.checker().lastPosition() - lastInLog(laggard);
    }

    private long position(int replica) {
        ReplicaHost host = cluster.host(replica);
        return host == null ? 0 : host.position();
    }

    private long lastInLog(int replica) {
        long position = position(replica);
        return position + cluster.replica(replica).log().bodiesAbove(position).size();
    }

    private void cutOffReader() {
        own = cluster.checker().lastPosition() + 1;
        readings = cluster.replica(reader).log().readings();
        cutOff(reader);
        cluster.hangingDisks().hangOwn(reader, Unanswered.READS, 4 * HOLD_MICROS);
        stories.await(HOLD_MICROS, () -> cluster.replica(reader).log().at(own) != null, this::meet, this::end);
    }

    private void meet() {
        heal(laggard);
        stories.await(HOLD_MICROS, this::isReading, this::letBackIn, this::end);
    }

    private void heal(int other) {
        cluster.network().heal(reader, other);
        cluster.network().heal(other, reader);
    }

    private boolean isReading() {
        return cluster.replica(reader).log().readings() > readings
                && cluster.checker().lastPosition() >= own;
    }

    private void letBackIn() {
        cluster.members().stream().filter(id -> id != reader && id != laggard).forEach(this::heal);
        stories.await(HOLD_MICROS, this::isOvertaken, this::answer, this::end);
    }

    private boolean isOvertaken() {
        return position(reader) > own + IN_MEMORY && epoch(laggard) == epoch(reader);
    }

    private long epoch(int replica) {
        ReplicaHost host = cluster.host(replica);
        return host == null ? 0 : host.status().epoch();
    }

    /** The laggard must have asked for what it lacks by then. */
    private void answer() {
        stories.later(1 + random.nextLong(MEETING_MICROS), () -> {
            stories.reached(Fault.READ_OVERTAKEN);
            cluster.hangingDisks().answerOwn(reader);
            stories.later(MEETING_MICROS, this::end);
        });
    }

    private void end() {
        busy = false;
        cluster.hangingDisks().answerOwn(reader);
        stories.reunite();
    }
}
