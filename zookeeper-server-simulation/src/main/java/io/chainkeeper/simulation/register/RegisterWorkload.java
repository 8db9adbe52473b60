package io.chainkeeper.simulation.register;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.simulation.checker.History;
import io.chainkeeper.simulation.checker.LinearizabilityChecker;
import io.chainkeeper.simulation.checker.VersionedRegister;
import io.chainkeeper.simulation.checker.VersionedRegister.Write;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.Workload;
import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.host.StateMachine;
import io.chainkeeper.simulation.swarm.Decisions;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Clients that read and write registers. What they see must be linearizable. */
public final class RegisterWorkload implements Workload {
    private final EventQueue events;
    private final SplittableRandom random;
    private final SwarmOptions options;
    private final Decisions decisions;
    private final Trace trace;
    private final History history;
    private Cluster cluster;
    private ClientSessions sessions;

    /**
     * @param events virtual time
     * @param random what clients draw
     * @param options how many clients there are, and what they do
     * @param decisions which requests they make
     * @param trace told of requests and answers
     */
    public RegisterWorkload(
            EventQueue events, SplittableRandom random, SwarmOptions options, Decisions decisions, Trace trace) {
        this.events = events;
        this.random = random;
        this.options = options;
        this.decisions = decisions;
        this.trace = trace;
        this.history = new History(events::steps);
    }

    @Override
    public Checkpoint nothing() {
        return RegisterMachine.Checkpoint.NOTHING;
    }

    @Override
    public StateMachine recover(Cluster replicas, int replica, Checkpoint checkpoint) {
        boolean readsWait =
                options.clocksAreSetBack() && replicas.replica(replica).follows(HostRule.READS_WAIT_FOR_AN_OWN_COMMAND);
        return new RegisterReplica((RegisterMachine.Checkpoint) checkpoint, readsWait, replicas.checker());
    }

    @Override
    public StateMachine recoverElsewhere(Cluster elsewhere, int replica) {
        List<Checkpoint> checkpoints = cluster.replica(replica).checkpoints();
        return recover(cluster, replica, checkpoints.get(checkpoints.size() - 1));
    }

    @Override
    public Workload ofAnotherCluster(EventQueue time, SplittableRandom drawn, Decisions all, Trace of) {
        return new RegisterWorkload(time, drawn, options.ofAnotherCluster(), all, of);
    }

    @Override
    public String describe(ByteSlice command) {
        return RegisterCommand.describe(command);
    }

    @Override
    public void ordered(ProposedCommand command) {
        // Writes have no identity of their own.
    }

    @Override
    public void start(Cluster replicas) {
        cluster = replicas;
        sessions = new ClientSessions(events, random, options, decisions, trace, cluster, history);
        sessions.start();
    }

    @Override
    public void stop() {
        sessions.stop();
    }

    /** Every replica orders a write, and every replica answers a read that sees all of them. */
    @Override
    public void demand(Awaiter awaiter) {
        List<ClientOperation> demanded = new ArrayList<>();
        for (int id : cluster.configured()) {
            Write write = new Write("last of " + id, VersionedRegister.ANY_VERSION);
            demanded.add(ClientOperation.write(history, -id, "k1", write, operation -> {}));
        }
        submit(demanded, awaiter);
        awaiter.await("a new write at every replica", () -> demanded.stream().allMatch(ClientOperation::isOver));
        demanded.clear();
        cluster.configured().forEach(id -> demanded.add(ClientOperation.read(history, -id, "k1", operation -> {})));
        submit(demanded, awaiter);
        awaiter.await(
                "a linearizable read at every replica", () -> demanded.stream().allMatch(ClientOperation::isOver));
    }

    private void submit(List<ClientOperation> operations, Awaiter awaiter) {
        awaiter.await(
                "every replica to run", () -> cluster.configured().stream().noneMatch(id -> cluster.host(id) == null));
        for (int i = 0; i < operations.size(); i++) {
            int id = cluster.configured().get(i);
            RegisterReplica.of(cluster.host(id)).submit(id, operations.get(i));
        }
    }

    @Override
    public void checkEnd() {
        long digest = RegisterReplica.of(cluster.host(cluster.configured().get(0)))
                .machine()
                .digest();
        for (int id : cluster.configured()) {
            InvariantViolated.check(
                    RegisterReplica.of(cluster.host(id)).machine().digest() == digest,
                    "digest: replica %d differs from the others",
                    id);
        }
        VersionedRegister register =
                new VersionedRegister(RegisterMachine.INITIAL.value(), RegisterMachine.INITIAL.version());
        new LinearizabilityChecker<>(register).check(history.operations());
    }

    @Override
    public long operations() {
        return history.size();
    }

    @Override
    public long answered() {
        return history.operations().stream()
                .filter(operation -> operation.isFinished())
                .count();
    }
}
