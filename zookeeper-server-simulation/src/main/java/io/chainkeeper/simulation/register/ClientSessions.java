package io.chainkeeper.simulation.register;

import io.chainkeeper.simulation.checker.History;
import io.chainkeeper.simulation.checker.VersionedRegister;
import io.chainkeeper.simulation.checker.VersionedRegister.Outcome;
import io.chainkeeper.simulation.checker.VersionedRegister.Write;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.Decisions;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** The clients: each session is attached to one replica at a time and has several operations outstanding there. */
final class ClientSessions {
    private final EventQueue events;
    private final SplittableRandom random;
    private final SwarmOptions options;
    private final Decisions decisions;
    private final Trace trace;
    private final Cluster cluster;
    private final History history;
    private int started;
    private boolean stopped;

    private final class Session {
        private final long id;
        private final Map<String, Integer> seenVersions = new TreeMap<>();
        private final List<ClientOperation> outstanding = new ArrayList<>();
        private final SplittableRandom ofSession;
        private long turn;
        private int home;

        private Session(long id) {
            this.id = id;
            this.ofSession = random.split();
            this.home = anyReplica(ofSession);
        }

        private void planNext() {
            events.after(1 + ofSession.nextLong(options.maxThinkMicros()), () -> {
                if (!stopped && started < options.maxOperations()) {
                    SplittableRandom ofTurn = ofSession.split();
                    if (decisions.asks(id, ++turn)) {
                        next(ofTurn);
                    }
                    planNext();
                }
            });
        }

        private void next(SplittableRandom ofTurn) {
            boolean moves = ofTurn.nextInt(100) < options.sessionMovePercent();
            int other = anyReplica(ofTurn);
            if (cluster.host(home) == null || !cluster.ensemble().contains(home) || moves) {
                new ArrayList<>(outstanding).forEach(ClientOperation::abandoned);
                home = other;
            }
            ReplicaHost host = cluster.host(home);
            if (host != null && outstanding.size() < options.maxOutstanding()) {
                ClientOperation operation = draw(ofTurn);
                outstanding.add(operation);
                trace.record(home, "is asked by session", id, operation);
                RegisterReplica.of(host).submit(id, operation);
            }
        }

        private ClientOperation draw(SplittableRandom ofTurn) {
            String key = "k" + (1 + ofTurn.nextInt(options.keys()));
            started++;
            if (ofTurn.nextInt(100) < options.readPercent()) {
                return ClientOperation.read(history, id, key, this::over);
            }
            boolean conditional = ofTurn.nextInt(100) < options.conditionalPercent();
            int expected = conditional ? seenVersions.getOrDefault(key, 0) : VersionedRegister.ANY_VERSION;
            return ClientOperation.write(history, id, key, new Write("v" + id + "." + turn, expected), this::over);
        }

        private void over(ClientOperation operation) {
            outstanding.remove(operation);
            Outcome outcome = operation.outcome();
            trace.record(home, outcome == null ? "leaves unanswered session" : "answers session", id, operation);
            if (outcome != null && outcome.accepted()) {
                seenVersions.put(operation.key(), outcome.version());
            }
        }
    }

    ClientSessions(
            EventQueue events,
            SplittableRandom random,
            SwarmOptions options,
            Decisions decisions,
            Trace trace,
            Cluster cluster,
            History history) {
        this.events = events;
        this.random = random;
        this.options = options;
        this.decisions = decisions;
        this.trace = trace;
        this.cluster = cluster;
        this.history = history;
    }

    void start() {
        for (int i = 1; i <= options.sessions(); i++) {
            new Session(i).planNext();
        }
    }

    /** No new operations from now on. */
    void stop() {
        stopped = true;
    }

    private int anyReplica(SplittableRandom from) {
        return 1 + from.nextInt(options.replicas());
    }
}
