package io.chainkeeper.simulation;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.StoppedLeader;
import io.chainkeeper.simulation.cluster.Workload;
import io.chainkeeper.simulation.disk.RunDirectory;
import io.chainkeeper.simulation.fault.FaultInjector;
import io.chainkeeper.simulation.host.BoundsChecker;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.register.RegisterWorkload;
import io.chainkeeper.simulation.swarm.Decisions;
import io.chainkeeper.simulation.swarm.FaultCount;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import io.chainkeeper.simulation.swarm.SwarmDraw;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.LatestLines;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.simulation.znode.ZnodeWorkload;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * One run of one seed. First the safety phase: anything may fail, nothing may contradict. Then the liveness phase:
 * faults stop, everything is healed and restarted, and within a bounded time everything outstanding must complete,
 * every replica must serve what its clients then ask for, and all must reach the same position and digest. At the end
 * what clients saw must be linearizable.
 */
public final class Simulation {
    private static final long LIVENESS_BOUND_MICROS = 30_000_000;

    /** Where disks stay slow a run goes on for longer, as long as something is decided within the bound. */
    private static final long SLOW_BOUND_MICROS = 1_200_000_000;

    private static final int KEPT_TRACE_LINES = 400;

    private final Script script;
    private final EventQueue events = new EventQueue();
    private final Trace trace;
    private final SwarmOptions options;
    private final Decisions decisions;
    private final Cluster cluster;
    private final Workload workload;
    private final FaultInjector faults;
    private final StateCoverage coverage;
    private long deadlineMicros;

    /** The latest deadline there may be. */
    private long latestMicros;

    /** What was decided when the deadline was set. */
    private long decidedPosition;

    private Simulation(Script script, Function<EventQueue, Trace.Listener> listener, StateCoverage coverage) {
        this.script = script;
        this.coverage = coverage;
        this.trace = new Trace(events, listener.apply(events));
        SplittableRandom random = new SplittableRandom(script.seed());
        this.options = SwarmDraw.draw(random.split(), script.factory(), script.application());
        this.decisions = new Decisions(script.selection(), trace);
        SplittableRandom ofCluster = random.split();
        this.workload = workload(random.split());
        for (int i = 0; i < script.selection().chance(); i++) {
            ofCluster = ofCluster.split();
        }
        SplittableRandom ofDisks =
                new SplittableRandom(~script.seed() + script.selection().chance());
        this.cluster =
                new Cluster(events, ofCluster, options, trace, script.factory(), workload, script.rules(), ofDisks);
        cluster.leaveOut(script.selection().absent());
        this.faults = new FaultInjector(events, random.split(), options, decisions, cluster, workload);
        faults.watch(trace);
    }

    private Workload workload(SplittableRandom random) {
        return switch (script.application()) {
            case REGISTERS, BEHIND, FOUNDING, DEPOSED, MINORITY, AMBUSH, MEMBERS, TAKEOVER, OUTDATED ->
                new RegisterWorkload(events, random, options, decisions, trace);
            case ZNODES, RECONFIG, UPGRADE -> new ZnodeWorkload(events, random, options, decisions, trace);
        };
    }

    /**
     * What a run did.
     *
     * @param steps events that happened
     * @param virtualMicros virtual time that passed
     * @param settlingMicros of them after the last fault; a run waits no longer than 30 s, or 20 min where disks stay
     *     slow
     * @param positions decided
     * @param operations asked by clients
     * @param answered of them
     * @param faults how many of each kind were due, and had an effect
     * @param peaks the most that each queue, window and buffer has held, beside its bound
     * @param traceHash of everything that happened
     */
    public record Result(
            long steps,
            long virtualMicros,
            long settlingMicros,
            long positions,
            long operations,
            long answered,
            Map<String, FaultCount> faults,
            Map<String, BoundsChecker.Peak> peaks,
            long traceHash) {}

    /**
     * Runs a seed with registers as the application.
     *
     * @param factory the protocol
     * @param seed decides everything
     * @return what happened
     * @throws SimulationFailure see the other method
     */
    public static Result run(OrderingProtocolFactory factory, long seed) {
        return run(factory, SimulatedApplication.REGISTERS, seed);
    }

    /**
     * Runs a seed. A run that fails is run again with its trace kept.
     *
     * @param factory the protocol
     * @param application above it
     * @param seed decides everything
     * @return what happened
     * @throws SimulationFailure if a checker objects; the message holds seed, options, trace and how to replay
     */
    public static Result run(OrderingProtocolFactory factory, SimulatedApplication application, long seed) {
        return run(Script.of(factory, application, seed));
    }

    static Result run(Script script) {
        Attempt attempt = attempt(script);
        return attempt.hasFailed() ? runTraced(script, KEPT_TRACE_LINES) : attempt.result();
    }

    /**
     * Runs something and keeps the text of its trace for the failure.
     *
     * @param script what to run
     * @param traceLines how many of the latest lines to keep, positive
     * @return what happened
     * @throws SimulationFailure as {@link #run}
     */
    public static Result runTraced(Script script, int traceLines) {
        LatestLines[] lines = new LatestLines[1];
        Attempt attempt = attempt(script, clock -> lines[0] = new LatestLines(clock, traceLines));
        if (attempt.hasFailed()) {
            throw new SimulationFailure(attempt, lines[0].lines());
        }
        return attempt.result();
    }

    /** Runs something, whatever comes of it. */
    public static Attempt attempt(Script script) {
        return attempt(script, clock -> null);
    }

    /** Runs something, whatever comes of it, and notes the states that it was in. */
    public static Attempt attempt(Script script, StateCoverage coverage) {
        return attempt(script, clock -> null, coverage);
    }

    /**
     * Runs something, whatever comes of it.
     *
     * @param script what to run
     * @param listener told of everything, given the run's clock
     * @return how it ended
     */
    public static Attempt attempt(Script script, Function<EventQueue, Trace.Listener> listener) {
        return attempt(script, listener, null);
    }

    private static Attempt attempt(
            Script script, Function<EventQueue, Trace.Listener> listener, StateCoverage coverage) {
        Simulation simulation = new Simulation(script, listener, coverage);
        Result result = null;
        Throwable failure = null;
        try {
            result = simulation.run();
        } catch (RuntimeException | AssertionError e) {
            RunDirectory.holdIfProcessEnds();
            failure = e;
        }
        return new Attempt(
                script,
                simulation.options,
                result,
                failure,
                simulation.decisions.faults(),
                simulation.decisions.requests(),
                simulation.events.steps(),
                simulation.events.nowMicros());
    }

    private long safetyMicros() {
        long selected = script.selection().safetyMicros();
        return selected > 0 ? selected : options.safetyMicros();
    }

    private Result run() {
        try (cluster) {
            return runToTheEnd();
        }
    }

    private Result runToTheEnd() {
        for (int id : cluster.configured()) {
            if (options.late().contains(id)) {
                continue;
            }
            events.after(1 + (id * 7_919L * Math.abs(script.seed() % 13)) % 50_000, () -> cluster.start(id));
        }
        workload.start(cluster);
        faults.start();
        cluster.whenLeaderChanges(faults::leaderChanged);
        while (events.nowMicros() < safetyMicros() && step()) {
            // Every step is checked where it happens.
        }
        faults.stop();
        workload.stop();
        cluster.calm();
        long calmMicros = events.nowMicros();
        latestMicros = calmMicros + (options.staysSlow() ? SLOW_BOUND_MICROS : LIVENESS_BOUND_MICROS);
        setDeadline(calmMicros);
        // An operator's replacement stops every server once: what is demanded behind it is demanded of servers that
        // stay.
        await("lost shared disks to be replaced", cluster.sharedDisks()::areWhole);
        await("those to come who lost their disks when one went on alone", faults::haveAllCome);
        awaitAllIsWell(() -> workload.demand(this::await));
        long settledMicros = events.nowMicros();
        if (options.faultIntervalMicros().containsKey(Fault.LEAVE)) {
            latestMicros = settledMicros + LIVENESS_BOUND_MICROS;
            setDeadline(settledMicros);
            new StoppedLeader(cluster, events, this::await).demand();
            awaitAllIsWell(() -> {});
        }
        checkEnd();
        trace.mix(cluster.checker().lastPosition());
        return new Result(
                events.steps(),
                events.nowMicros(),
                settledMicros - calmMicros,
                cluster.checker().lastPosition(),
                workload.operations(),
                workload.answered(),
                decisions.counts(),
                cluster.bounds().peaks(),
                trace.hash());
    }

    private void awaitAllIsWell(Runnable demand) {
        await("all outstanding operations to complete", () -> outstanding() == 0);
        demand.run();
        await("the membership to be the configured participants", this::membershipIsConfigured);
        await("all replicas to reach the same position", this::allReplicasAreEqual);
    }

    private boolean step() {
        if (coverage != null) {
            coverage.stepped(cluster);
        }
        return events.step();
    }

    private void await(String what, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (events.nowMicros() >= deadlineMicros && cluster.checker().lastPosition() > decidedPosition) {
                setDeadline(deadlineMicros);
            }
            if (events.nowMicros() >= deadlineMicros || !step()) {
                throw new InvariantViolated("liveness: waited " + LIVENESS_BOUND_MICROS / 1000 + " ms after the last "
                        + (options.staysSlow() ? "decision for " : "fault for ") + what + "; " + describe());
            }
        }
    }

    private void setDeadline(long fromMicros) {
        decidedPosition = cluster.checker().lastPosition();
        deadlineMicros = Math.min(latestMicros, fromMicros + LIVENESS_BOUND_MICROS);
    }

    /** Who is configured, who votes, and how each replica sees it. */
    private String describe() {
        StringBuilder text = new StringBuilder(
                cluster.ensemble() + ", ordered " + cluster.checker().membership());
        for (int id : cluster.members()) {
            ReplicaHost host = cluster.host(id);
            if (host != null) {
                text.append("; ").append(id).append(' ').append(host.describe());
            }
        }
        return text.toString();
    }

    private int outstanding() {
        int outstanding = 0;
        for (int id : cluster.configured()) {
            outstanding += cluster.host(id) == null ? 1 : cluster.host(id).outstanding();
        }
        return outstanding;
    }

    /** Those who are meant to vote do so, with the disks that they have; nobody else does. */
    private boolean membershipIsConfigured() {
        List<Integer> voting = cluster.checker().membership().replicaIds();
        List<Integer> participants = cluster.ensemble().participants();
        // Who is gone for good stays a member: the others decide without. It is removed only by a protocol that removes
        // who is silent, or by a change of which nothing came in the end; then it cannot come back.
        boolean mayBeRemoved =
                options.mayRemoveSilent() || options.faultIntervalMicros().containsKey(Fault.RECONFIGURE);
        boolean allVote = participants.stream()
                .allMatch(id ->
                        voting.contains(id) || mayBeRemoved && cluster.gone().contains(id));
        if (!allVote || !participants.containsAll(voting)) {
            return false;
        }
        for (int id : cluster.configured()) {
            ReplicaHost host = cluster.host(id);
            if (host == null || host.isVoter() != voting.contains(id)) {
                return false;
            }
        }
        return true;
    }

    private boolean allReplicasAreEqual() {
        for (int id : cluster.configured()) {
            ReplicaHost host = cluster.host(id);
            if (host == null || host.position() != cluster.checker().lastPosition()) {
                return false;
            }
        }
        return true;
    }

    private void checkEnd() {
        for (int id : cluster.configured()) {
            ReplicaHost host = cluster.host(id);
            InvariantViolated.check(
                    host.position() >= cluster.checker().lastAcknowledged(),
                    "durability: replica %d ends at position %d, answers rested on %d",
                    id,
                    host.position(),
                    cluster.checker().lastAcknowledged());
        }
        workload.checkEnd();
    }
}
