package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.HangingDisks.Unanswered;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A reading of the log that is overtaken. A laggard lacks more than is in memory. A leader is cut off with a value of
 * its own, and the laggard reaches nobody else: so that leader begins to read its log for it, from a disk that gives no
 * answer. Others decide something else there, and go on. The former leader, back among them, takes that, and has it no
 * longer in memory when the disk answers. The laggard follows the same leader by then, and must not be told the value.
 */
final class OvertakenReadFaults {
    private static final long HOLD_MICROS = 1_500_000;
    private static final long MEETING_MICROS = 200_000;

    private final Cluster cluster;
    private final Stories stories;
    private SplittableRandom random;
    private boolean busy;
    private int reader;
    private int laggard;
    private long lacking;
    private long readings;

    OvertakenReadFaults(Cluster cluster, Stories stories) {
        this.cluster = cluster;
        this.stories = stories;
    }

    /** Begins, unless nobody leads, the others could not decide, or the last story has not ended. */
    void begin(SplittableRandom ofFault) {
        List<Integer> participants = new ArrayList<>(cluster.ensemble().participants());
        List<Integer> leaders = participants.stream().filter(stories::leads).toList();
        List<Integer> observers = cluster.ensemble().observers();
        if (busy || leaders.isEmpty() || observers.isEmpty() && participants.size() < 5) {
            return;
        }
        random = ofFault;
        reader = leaders.get(0);
        // The chain goes round from the leader, whoever that is, so the next one is fed by the former one.
        laggard = observers.isEmpty()
                ? participants.get((participants.indexOf(reader) + 1) % participants.size())
                : observers.get(random.nextInt(observers.size()));
        if (cluster.host(laggard) == null) {
            return;
        }
        busy = true;
        isolate(laggard);
        stories.await(HOLD_MICROS, this::isBehind, this::cutOffReader, this::end);
    }

    /** What is on its way is lost, too: it would come when the link is back. */
    private void isolate(int replica) {
        stories.isolate(replica);
        cluster.members().stream()
                .filter(other -> other != replica)
                .forEach(other -> cluster.network().breakLink(replica, other));
    }

    /** Whether the log is to be read for the laggard, at a moment at which the leader has nothing under way. */
    private boolean isBehind() {
        long last = cluster.checker().lastPosition();
        return stories.leads(reader)
                && firstInMemory() > gauge(laggard, "max_accepted") + 1
                && gauge(reader, "max_accepted") == last
                && gauge(reader, "max_decided") == last;
    }

    private long firstInMemory() {
        return gauge(reader, "max_accepted") - gauge(reader, "values_in_memory") + 1;
    }

    private long gauge(int replica, String name) {
        ReplicaHost host = cluster.host(replica);
        return host == null ? Long.MAX_VALUE / 2 : host.gauges().getOrDefault(name, 0L);
    }

    private void cutOffReader() {
        lacking = gauge(reader, "max_decided") + 1;
        isolate(reader);
        cluster.hangingDisks().hangOwn(reader, Unanswered.READS, 4 * HOLD_MICROS);
        stories.await(HOLD_MICROS, () -> cluster.replica(reader).log().at(lacking) != null, this::askReader, this::end);
    }

    private void askReader() {
        readings = cluster.replica(reader).log().readings();
        heal(reader, laggard);
        stories.await(HOLD_MICROS, this::isReading, this::letBackIn, this::end);
    }

    private boolean isReading() {
        return cluster.replica(reader).log().readings() > readings
                && gauge(laggard, "max_accepted") == gauge(laggard, "max_decided")
                && cluster.checker().lastPosition() > lacking;
    }

    private void letBackIn() {
        cluster.members().stream().filter(id -> id != reader && id != laggard).forEach(id -> heal(reader, id));
        stories.await(HOLD_MICROS, this::isOvertaken, this::answer, this::end);
    }

    private void heal(int one, int other) {
        cluster.network().heal(one, other);
        cluster.network().heal(other, one);
    }

    private boolean isOvertaken() {
        return firstInMemory() > lacking
                && gauge(reader, "max_decided") > lacking
                && gauge(laggard, "ballot_round") == gauge(reader, "ballot_round");
    }

    private void answer() {
        stories.later(1 + random.nextLong(MEETING_MICROS), () -> {
            stories.reached(Fault.READ_OVERTAKEN);
            cluster.hangingDisks().answerOwn(reader);
            stories.later(MEETING_MICROS + random.nextLong(MEETING_MICROS), this::end);
        });
    }

    private void end() {
        busy = false;
        cluster.hangingDisks().answerOwn(reader);
        stories.reunite();
    }
}
