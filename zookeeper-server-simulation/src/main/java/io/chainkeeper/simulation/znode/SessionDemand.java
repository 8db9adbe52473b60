package io.chainkeeper.simulation.znode;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.Workload;
import io.chainkeeper.simulation.order.SessionEvidence;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntFunction;

/** Sessions whose clients are gone end within their timeout, two ticks and a write, everywhere, and no others. */
final class SessionDemand {
    private static final long TWO_TICKS_MICROS = 2_000L * ServerConfiguration.TICK_TIME_MILLIS;

    private final EventQueue events;
    private final Cluster cluster;
    private final SessionEvidence evidence;
    private final long longestTimeoutMicros;
    private final SwarmOptions options;
    private final IntFunction<ZnodeReplica> replicas;

    /** When a look was taken last, and for how long leaders had no room by then to order anything. */
    private long lookedMicros;

    private long fullMicros;

    /**
     * @param events virtual time
     * @param cluster where everything is healthy
     * @param evidence knows when sessions were heard of
     * @param longestTimeoutMicros of sessions where no write waits for servers that are gone
     * @param options say how long a write may wait, and a member be silent
     * @param replicas the application of each that runs
     */
    SessionDemand(
            EventQueue events,
            Cluster cluster,
            SessionEvidence evidence,
            long longestTimeoutMicros,
            SwarmOptions options,
            IntFunction<ZnodeReplica> replicas) {
        this.events = events;
        this.cluster = cluster;
        this.evidence = evidence;
        this.longestTimeoutMicros =
                Math.max(longestTimeoutMicros, 1_000L * ServerConfiguration.leastTimeoutMillis(options));
        this.options = options;
        this.replicas = replicas;
    }

    /**
     * A client goes without a word, and does not come back.
     *
     * @param leaving the client
     * @param staying all others
     * @param awaiter waits for the end of its session
     */
    void demand(ZnodeClient leaving, List<ZnodeClient> staying, Workload.Awaiter awaiter) {
        long sessionId = leaving.session().id();
        long fromMicros = events.nowMicros();
        lookedMicros = fromMicros;
        leaving.vanish(true);
        awaiter.await("the session of a vanished client to end everywhere", () -> goneEverywhere(sessionId));
        long tookMicros = events.nowMicros() - fromMicros;
        lookForRoom();
        InvariantViolated.check(
                tookMicros <= leaving.timeoutMillis() * 1000L + TWO_TICKS_MICROS + orderedMicros() + fullMicros,
                "a session with a timeout of %d ms ended %d ms after its client was heard of last",
                leaving.timeoutMillis(),
                tookMicros / 1000);
        awaiter.await(
                "all abandoned sessions to end",
                () -> cluster.configured().stream().allMatch(id -> hasSessionsOf(staying, id, fromMicros)));
    }

    /** How long the end of a session may wait to be ordered. */
    private long orderedMicros() {
        boolean anyHangs = cluster.gone().stream().anyMatch(id -> cluster.host(id) != null);
        long roomMicros = options.hasLittleRoom() ? TWO_TICKS_MICROS : 0; // it waits behind what others propose
        long idleMicros = options.idleLeaderMicros();
        // It gives up, others have to miss it then, and wait for up to half as long, by chance, before they stand.
        boolean isMissedAfterwards = cluster.sharedDisks().count() > 0;
        long hangMicros = anyHangs ? idleMicros + (isMissedAfterwards ? idleMicros * 3 / 4 : 0) : 0;
        return options.ringMicros() + options.goneLeadersMicros() + hangMicros + roomMicros;
    }

    /** Where a small ring is full until others have checkpoints, the end of a session waits for that, too. */
    private void lookForRoom() {
        boolean isFull =
                cluster.configured().stream().map(cluster::host).anyMatch(host -> host != null && host.isRingFull());
        fullMicros += isFull ? events.nowMicros() - lookedMicros : 0;
        lookedMicros = events.nowMicros();
    }

    private boolean goneEverywhere(long sessionId) {
        lookForRoom();
        return cluster.configured().stream()
                .allMatch(id -> replicas.apply(id).replicatedState().sessions().get(sessionId) == null);
    }

    private boolean hasSessionsOf(List<ZnodeClient> clients, int id, long fromMicros) {
        lookForRoom();
        TreeSet<Long> known = new TreeSet<>();
        replicas.apply(id).replicatedState().sessions().forEach((sessionId, state) -> known.add(sessionId));
        TreeSet<Long> live = new TreeSet<>();
        clients.forEach(client -> live.add(client.session().id()));
        InvariantViolated.check(
                known.containsAll(live), "replica %d knows sessions %s, clients have %s", id, known, live);
        known.removeIf(sessionId -> !live.contains(sessionId) && mayStay(sessionId));
        for (long abandoned : known) {
            long silentMicros = events.nowMicros() - Math.max(fromMicros, evidence.heardMicros(abandoned));
            InvariantViolated.check(
                    live.contains(abandoned) || silentMicros <= leftMicros(abandoned),
                    "session 0x%x is still there at replica %d, heard of %d ms ago",
                    abandoned,
                    id,
                    silentMicros / 1000);
        }
        return known.equals(live);
    }

    /** A server whose disk hangs for good and that serves on is heard, but may not even know the session. */
    private boolean mayStay(long sessionId) {
        int owner = evidence.ownerOf(sessionId);
        boolean hangs = cluster.gone().contains(owner) && cluster.host(owner) != null;
        return hangs && replicas.apply(owner).isServing();
    }

    /**
     * Before anybody counts the silence of a client, its server's must have been noticed, if that is gone for good. One
     * whose disk hangs may be heard all the same, and end the session by itself.
     */
    private long leftMicros(long sessionId) {
        int owner = evidence.ownerOf(sessionId);
        long silenceMicros = options.memberSilenceMicros();
        long mostMicros = longestTimeoutMicros;
        if (cluster.gone().contains(owner)) {
            boolean isDown = cluster.host(owner) == null;
            mostMicros = isDown ? silenceMicros : Math.max(silenceMicros, longestTimeoutMicros);
        }
        return mostMicros + TWO_TICKS_MICROS + orderedMicros() + fullMicros;
    }
}
