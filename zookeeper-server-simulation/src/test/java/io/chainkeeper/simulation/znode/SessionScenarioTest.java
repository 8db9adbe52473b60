package io.chainkeeper.simulation.znode;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.server.session.SessionState;
import io.chainkeeper.server.session.SessionTable;
import io.chainkeeper.simulation.Protocols;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.host.HostSettings;
import io.chainkeeper.simulation.host.World;
import io.chainkeeper.simulation.swarm.Decisions;
import io.chainkeeper.simulation.swarm.LogBounds;
import io.chainkeeper.simulation.swarm.Selection;
import io.chainkeeper.simulation.swarm.ServerOptions;
import io.chainkeeper.simulation.swarm.SharedDiskOptions;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.swarm.Upgrades;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.junit.After;
import org.junit.Test;

/** Named faults at chosen moments, seen by clients with sessions. */
public class SessionScenarioTest {
    private static final int REPLICAS = 5;
    private static final int CLIENTS = 12;
    private static final int TIMEOUT_MILLIS = 3_000;
    private static final int SUSPICION_MILLIS = 350;
    private static final long PATIENCE_MICROS = 20_000_000;

    /** Shorter than what anybody is suspected for. */
    private static final long STALL_MICROS = 200_000;

    private final EventQueue events = new EventQueue();
    private final Trace trace = new Trace(events, null);
    private final SplittableRandom random = new SplittableRandom(1);
    private final SwarmOptions options = options();
    private final ZnodeWorkload workload =
            new ZnodeWorkload(events, random.split(), options, new Decisions(Selection.ALL, trace), trace);
    private final Cluster cluster = new Cluster(
            events,
            random.split(),
            options,
            trace,
            Protocols.named("chain"),
            workload,
            EnumSet.allOf(HostRule.class),
            new SplittableRandom(2));
    private final List<ZnodeClient> clients = new ArrayList<>();

    @After
    public void disks_areRemoved() {
        cluster.close();
    }

    private static SwarmOptions options() {
        return new SwarmOptions(
                REPLICAS,
                Ensemble.of(List.of(1, 2, 3, 4, 5)),
                List.of(),
                1,
                Map.of(
                        "chain.suspicionTimeoutMillis",
                        Integer.toString(SUSPICION_MILLIS),
                        "chain.heartbeatMillis",
                        "50"),
                PATIENCE_MICROS,
                0,
                1,
                1,
                1_000,
                0,
                50,
                0,
                0,
                500,
                500,
                50,
                50,
                1_000,
                20_000,
                0,
                0,
                1,
                HostSettings.LinkChoice.KNOWN_WHEN_ASKED,
                Map.of(),
                LogBounds.EAGER,
                false,
                ReplicaLimits.DEFAULT.withTickMillis(World.TICK_MILLIS),
                null,
                Upgrades.NONE,
                SharedDiskOptions.NONE,
                ServerOptions.DEFAULT);
    }

    private void await(String what, BooleanSupplier condition) {
        long deadlineMicros = events.nowMicros() + PATIENCE_MICROS;
        while (!condition.getAsBoolean()) {
            assertTrue(what, events.nowMicros() < deadlineMicros && events.step());
        }
    }

    private void pass(long durationMicros) {
        long endMicros = events.nowMicros() + durationMicros;
        await("time to pass", () -> events.nowMicros() >= endMicros);
    }

    private boolean leads(int id) {
        return cluster.host(id).status().role() == Role.LEADER;
    }

    private SessionTable sessions(int seenBy) {
        ZnodeReplica replica = (ZnodeReplica) cluster.host(seenBy).application();
        return replica.replicatedState().sessions();
    }

    /** The session as a replica knows it, or null. */
    private SessionState sessionOf(ZnodeClient client, int seenBy) {
        return sessions(seenBy).get(client.session().id());
    }

    private int ownerOf(ZnodeClient client, int seenBy) {
        return sessionOf(client, seenBy).owner();
    }

    private boolean allKnowAllSessions() {
        return clients.stream()
                .allMatch(client -> cluster.members().stream().noneMatch(id -> sessionOf(client, id) == null));
    }

    private int start() {
        cluster.calm();
        await("a leader", () -> cluster.members().stream().anyMatch(this::leads));
        workload.start(cluster);
        for (int number = 1; number <= CLIENTS; number++) {
            ZnodeClient client = new ZnodeClient(number, 0, TIMEOUT_MILLIS, events, random.split(), cluster, workload);
            clients.add(client);
            client.start();
        }
        await("all clients to be connected", () -> clients.stream().allMatch(ZnodeClient::isConnected));
        await("all sessions to be known everywhere", this::allKnowAllSessions);
        return cluster.members().stream().filter(this::leads).findFirst().orElseThrow();
    }

    /** Neither who takes over nor who wakes up may end a session by what its own clock says alone. */
    @Test
    public void leaderFrozenForTwoTimeouts_expiresNobody() {
        int frozen = start();
        int other = frozen == 1 ? 2 : 1;
        List<Long> sessionIds =
                clients.stream().map(client -> client.session().id()).toList();
        long servedByFrozen = clients.stream()
                .filter(client -> ownerOf(client, frozen) == frozen)
                .count();
        assertTrue("some clients are at the leader", servedByFrozen > 0);
        assertTrue("others are elsewhere", servedByFrozen < CLIENTS);

        long frozenMicros = 2_000L * TIMEOUT_MILLIS;
        cluster.pause(frozen, frozenMicros);
        pass(frozenMicros - 1);
        assertTrue("another leads", cluster.members().stream().anyMatch(id -> id != frozen && leads(id)));
        assertFalse(
                "nobody is left with the frozen one",
                clients.stream().anyMatch(client -> ownerOf(client, other) == frozen));
        pass(1_000L * TIMEOUT_MILLIS);

        await("all clients to be connected", () -> clients.stream().allMatch(ZnodeClient::isConnected));
        assertEquals(
                sessionIds,
                clients.stream().map(client -> client.session().id()).toList());
        clients.forEach(client -> assertEquals(client + " found its session expired", 0, client.expiries()));
    }

    /** On a busy machine the dead would keep their locks for up to twice as long. */
    @Test
    public void ownerStallsShortly_costsItsSessionsTheStallAndNotAnotherTimeout() {
        start();
        ZnodeClient gone = clients.remove(0);
        long sessionId = gone.session().id();
        int owner = ownerOf(gone, 1);
        List<Long> living =
                clients.stream().map(client -> client.session().id()).toList();

        long fromMicros = events.nowMicros();
        gone.vanish(true);
        pass(1_000L * TIMEOUT_MILLIS - 400_000);
        cluster.pause(owner, STALL_MICROS);
        await(
                "the session to end everywhere",
                () -> cluster.members().stream().allMatch(id -> sessions(id).get(sessionId) == null));
        long tookMicros = events.nowMicros() - fromMicros;
        long twoTicksMicros = 2_000L * ServerConfiguration.TICK_TIME_MILLIS;
        assertTrue(
                "ended after " + tookMicros / 1000 + " ms",
                tookMicros <= 1_000L * TIMEOUT_MILLIS + 2 * STALL_MICROS + twoTicksMicros);
        assertEquals(
                living, clients.stream().map(client -> client.session().id()).toList());
        clients.forEach(client -> assertEquals(client + " found its session expired", 0, client.expiries()));
    }

    private boolean serves(int id) {
        return ((ZnodeReplica) cluster.host(id).application()).server().server().isServing();
    }

    /** A client that is not turned away finds no other server. Its patience begins when the leader was last heard. */
    @Test
    public void quorumLost_clientsAreTurnedAwayAsSoonAsTheLeaderHasBeenSilentForThePatience() {
        int leader = start();
        List<Integer> left =
                cluster.members().stream().filter(id -> id != leader).limit(2).toList();
        pass(1_000_000);
        assertTrue(left.stream().allMatch(this::serves));
        long fromMicros = events.nowMicros();
        cluster.members().stream().filter(id -> !left.contains(id)).forEach(cluster::crash);
        await("the others to turn their clients away", () -> left.stream().noneMatch(this::serves));
        long tookMillis = (events.nowMicros() - fromMicros) / 1000;
        long noticedMillis = SUSPICION_MILLIS + 4L * ServerConfiguration.TICK_TIME_MILLIS;
        assertTrue(
                "after " + tookMillis + " ms",
                tookMillis <= Math.max(noticedMillis, ServerConfiguration.PATIENCE_MILLIS));
    }
}
