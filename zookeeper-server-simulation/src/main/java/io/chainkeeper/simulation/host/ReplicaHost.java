package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.PromiseRule;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ProposerTable.Verdict;
import io.chainkeeper.replica.RecordedProtocol;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.simulation.host.HostSettings.LinkChoice;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.transport.PeerAddress;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One incarnation of a replica: does what the contract asks of a protocol's host (package {@code
 * io.chainkeeper.ordering}), and checks that the protocol keeps its side of it. Owns the queue of inputs and the queue
 * of executions; when either is worked on is the world's decision.
 */
public final class ReplicaHost implements Effects, TotalOrder {
    private record Input(String name, long number, Object detail, Consumer<OrderingProtocol> call) {}

    private record Parked(long logSequence, int to, long linkEpoch, Message message) {}

    private final SimulatedReplica replica;
    private final World world;
    private final Trace trace;
    private final OrderChecker checker;
    private final HostSettings settings;
    private final Frames frames;
    private final long incarnation;
    private final int streams;
    private final StateMachine application;
    private final OrderingProtocol protocol;

    private final Deque<Input> inbox = new ArrayDeque<>();
    private final Deque<Runnable> executions = new ArrayDeque<>();
    private final Deque<Parked> parked = new ArrayDeque<>();
    private final Map<OwnCommand, Proposal> proposals = new TreeMap<>();
    private final Map<Long, ReadWaiter> waiters = new TreeMap<>();
    private final Map<Integer, Long> linkEpochs = new TreeMap<>();
    private final long[] lastSequences;

    private long lastToken;
    private long durableSequence;
    private long lastDelivered;
    private boolean tickWaiting;
    private boolean crashed;

    /**
     * @param replica the disk
     * @param application recovered
     * @param factory the protocol
     * @param context who the replica is
     * @param settings liberties of the host
     * @param world everything that takes time
     * @param trace told of every input and effect
     * @param checker told of every delivery and execution
     */
    public ReplicaHost(
            SimulatedReplica replica,
            StateMachine application,
            OrderingProtocolFactory factory,
            ProtocolContext context,
            HostSettings settings,
            World world,
            Trace trace,
            OrderChecker checker) {
        this.replica = replica;
        this.settings = settings;
        this.world = world;
        this.trace = trace;
        this.checker = checker;
        this.frames = new Frames(factory.codec());
        this.incarnation = context.incarnation();
        this.streams = factory.streamCount(context.ensemble().participants().size());
        this.lastSequences = new long[streams];
        this.application = application;
        this.lastDelivered = application.recoveredPosition();
        this.protocol = RecordedProtocol.create(this, effects -> factory.create(context, effects));
    }

    /** Link epoch of a message that leaves over whatever link is up. */
    public static final long NEWEST_LINK = -1;

    /** Begins; the first input. */
    public void start() {
        trace.record(id(), "starts as incarnation", incarnation, "applied " + application.position());
        application.started(this);
        call(running -> running.onStart(replica.recovered(application)));
    }

    // ---------------------------------------------------------------- inputs

    private void offer(String name, long number, Object detail, Consumer<OrderingProtocol> call) {
        inbox.addLast(new Input(name, number, detail, call));
        world.inputWaiting(this);
    }

    /** A tick is due; dropped while an earlier one still waits, as a host that was paused does. */
    public void tick() {
        if (!tickWaiting) {
            tickWaiting = true;
            offer("tick", 0, null, running -> {
                tickWaiting = false;
                running.onTick();
            });
        }
    }

    /** A link is up. */
    public void peerUp(int peer, long linkEpoch) {
        offer("peer up", peer, null, running -> {
            linkEpochs.put(peer, linkEpoch);
            running.onPeerUp(peer);
        });
    }

    /** A link is down. */
    public void peerDown(int peer) {
        offer("peer down", peer, null, running -> {
            linkEpochs.remove(peer);
            running.onPeerDown(peer);
        });
    }

    /** A message arrives. */
    public void frameArrived(int from, byte[] frame) {
        Message message = frames.decode(frame);
        offer("receives from", from, message, running -> running.onMessage(from, message));
    }

    /** The disk holds all records up to this one. */
    public void durable(long logSequence) {
        offer("durable up to", logSequence, null, running -> {
            releaseParked(logSequence);
            running.onDurable(logSequence);
        });
    }

    /** Records that the protocol asked for, ascending. */
    public void logRead(long fromPosition, List<LogRecord> records) {
        offer("log read from", fromPosition, records.size(), running -> running.onLogRead(fromPosition, records));
    }

    /** Recovery needs no position up to this one any more. */
    public void checkpointDurable(long position) {
        offer("checkpoint", position, null, running -> running.onCheckpoint(position));
    }

    /** Another ensemble is configured. */
    public void ensembleChanged(Ensemble ensemble) {
        offer("ensemble", 0, ensemble, running -> running.onEnsemble(ensemble));
    }

    @Override
    public void propose(Proposal proposal) {
        requireRunning();
        long sequence = ++lastSequences[proposal.stream()];
        ProposedCommand command =
                new ProposedCommand(id(), incarnation, proposal.stream(), sequence, proposal.command());
        checker.proposed(command);
        proposals.put(new OwnCommand(proposal.stream(), sequence), proposal);
        offer("propose", sequence, proposal, running -> running.onPropose(command));
    }

    @Override
    public void readBarrier(ReadWaiter waiter) {
        requireRunning();
        long token = ++lastToken;
        waiters.put(token, waiter);
        offer("read barrier", token, waiter, running -> running.onReadBarrier(token));
    }

    private void requireRunning() {
        if (crashed) {
            throw new ReplicaStoppedException("replica " + id() + " has crashed");
        }
    }

    /** Feeds waiting inputs to the protocol, at most so many, and ends the batch. */
    public void drain(int maxInputs) {
        for (int i = 0; i < maxInputs && !inbox.isEmpty(); i++) {
            Input input = inbox.removeFirst();
            trace.record(id(), input.name(), input.number(), input.detail());
            call(input.call());
        }
        call(OrderingProtocol::onBatchEnd);
    }

    /** Whether an input waits for {@link #drain}. */
    public boolean hasInput() {
        return !inbox.isEmpty();
    }

    private void call(Consumer<OrderingProtocol> input) {
        input.accept(protocol);
    }

    // ---------------------------------------------------------------- effects

    private void checkAddressee(int to) {
        boolean exists = to != id() && to >= 1 && to <= settings.replicas();
        InvariantViolated.check(exists, "replica %d sends to %d, which is no other replica", id(), to);
    }

    @Override
    public void send(int to, Message message) {
        checkAddressee(to);
        PromiseRule.checkPlain(message);
        leave(to, linkTo(to), message);
    }

    @Override
    public void sendAfter(long logSequence, int to, Message message) {
        checkAddressee(to);
        PromiseRule.checkBehind(message, logSequence, replica.log().appended());
        long linkEpoch = linkTo(to);
        if (logSequence <= durableSequence) {
            leave(to, linkEpoch, message);
        } else {
            trace.record(id(), "parks until durable", logSequence, message);
            parked.addLast(new Parked(logSequence, to, linkEpoch, message));
        }
    }

    private void releaseParked(long logSequence) {
        durableSequence = logSequence;
        Iterator<Parked> each = parked.iterator();
        while (each.hasNext()) {
            Parked next = each.next();
            if (next.logSequence() <= logSequence) {
                each.remove();
                boolean asAsked = settings.linkChoice() == LinkChoice.KNOWN_WHEN_ASKED;
                leave(next.to(), asAsked ? next.linkEpoch() : linkTo(next.to()), next.message());
            }
        }
    }

    private long linkTo(int to) {
        return settings.linkChoice() == LinkChoice.NEWEST ? NEWEST_LINK : linkEpochs.getOrDefault(to, 0L);
    }

    private void leave(int to, long linkEpoch, Message message) {
        PromiseRule.checkKept(id(), message, replica.log());
        byte[] frame = frames.encode(message);
        trace.mix(Arrays.hashCode(frame));
        trace.record(id(), "sends to", to, message);
        world.send(this, to, linkEpoch, message, frame);
    }

    @Override
    public long append(LogRecord record) {
        InvariantViolated.check(
                record.kind() < LogRecord.FIRST_HOST_KIND, "record kind %d belongs to the host", record.kind());
        long sequence = replica.log().append(record);
        trace.record(id(), "appends position", record.position(), "kind " + record.kind() + " as record " + sequence);
        world.recordsWaiting(this);
        return sequence;
    }

    @Override
    public void deliver(long position, ByteSlice value, long prefixHash) {
        InvariantViolated.check(
                position == lastDelivered + 1,
                "contiguous execution: replica %d delivers %d after %d",
                id(),
                position,
                lastDelivered);
        lastDelivered = position;
        trace.record(id(), "delivers", position, value);
        checker.delivered(id(), position, value, prefixHash);
        executions.addLast(() -> executePosition(position, value, prefixHash));
        world.executionWaiting(this);
    }

    @Override
    public void barrierReached(long token) {
        InvariantViolated.check(token >= 1 && token <= lastToken, "barrier %d was never asked for", token);
        trace.record(id(), "barrier reached", token, null);
        executions.addLast(() -> passBarrier(token));
        world.executionWaiting(this);
    }

    @Override
    public void truncate(long belowPosition) {
        InvariantViolated.check(
                belowPosition <= replica.oldestCheckpoint() + 1,
                "replica %d truncates below %d, its oldest checkpoint covers %d",
                id(),
                belowPosition,
                replica.oldestCheckpoint());
        trace.record(id(), "truncates below", belowPosition, null);
        try {
            replica.log().truncate(belowPosition);
        } catch (IOException e) {
            world.logFailed(this, e);
        }
    }

    @Override
    public void readLog(long fromPosition, int maxBytes) {
        world.logReadWanted(this, fromPosition, maxBytes);
    }

    @Override
    public void needState(int fromPeer, long position) {
        checkAddressee(fromPeer);
        world.stateWanted(this, fromPeer, position);
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        trace.record(id(), "is now", status.epoch(), status);
        world.statusChanged(this, status);
        application.statusChanged(status);
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        trace.record(id(), silent ? "reports silent" : "reports back", member, null);
        application.memberSilent(member, silent);
    }

    // ---------------------------------------------------------------- execution

    /** Executes what was delivered, at most so many positions and barriers. */
    public void execute(int maxItems) {
        for (int i = 0; i < maxItems && !executions.isEmpty(); i++) {
            executions.removeFirst().run();
        }
        application.batchEnd();
    }

    /** Whether something waits for {@link #execute}. */
    public boolean hasExecution() {
        return !executions.isEmpty();
    }

    private void executePosition(long position, ByteSlice value, long prefixHash) {
        trace.record(id(), "executes", position, null);
        application.positionBegins(position);
        Membership membership = OrderChecker.membershipIn(value);
        if (membership != null) {
            application.membershipChanged(position, membership);
        }
        for (ProposedCommand command : OrderChecker.decode(value)) {
            boolean own = command.proposer() == id() && command.incarnation() == incarnation;
            Verdict verdict = application.proposerTable().advance(command);
            if (verdict == Verdict.APPLY) {
                application.apply(position, command, own ? proposals.remove(OwnCommand.of(command)) : null);
            } else if (own && verdict == Verdict.SUPERSEDED) {
                world.superseded(this, application.proposerTable().incarnationOf(id()));
            }
        }
        application.proposerTable().positionApplied(prefixHash);
        application.positionApplied(position);
        long digest = application.digest();
        if (digest != StateMachine.NO_DIGEST) {
            checker.executed(id(), position, digest);
        }
        if (settings.checkpointEveryPositions() > 0 && position % settings.checkpointEveryPositions() == 0) {
            takeCheckpoint();
        }
    }

    /** The application begins to write a checkpoint of what it has executed. */
    public void takeCheckpoint() {
        trace.record(id(), "begins checkpoint", application.position(), null);
        world.checkpointBegun(this, application.beginCheckpoint());
    }

    private void passBarrier(long token) {
        ReadWaiter waiter = waiters.remove(token);
        InvariantViolated.check(waiter != null, "replica %d: barrier %d reached twice", id(), token);
        waiter.barrierReached();
    }

    /** The application gives an answer that rests on all that it has executed. */
    public void answers(Object words) {
        trace.record(id(), "answers at position", application.position(), words);
        checker.acknowledged(application.position());
    }

    // ---------------------------------------------------------------- state

    /** Nobody will answer what was outstanding here. */
    void crashed() {
        crashed = true;
        List<Proposal> unapplied = new ArrayList<>(proposals.values());
        List<ReadWaiter> unreached = new ArrayList<>(waiters.values());
        proposals.clear();
        waiters.clear();
        inbox.clear();
        application.crashed(unapplied, unreached);
    }

    /** Whether this incarnation has not crashed. */
    public boolean isAlive() {
        return !crashed;
    }

    /** Operations without an answer yet. */
    public int outstanding() {
        return proposals.size() + waiters.size();
    }

    /** The id of the replica. */
    public int id() {
        return replica.id();
    }

    long incarnation() {
        return incarnation;
    }

    /** What survives this incarnation. */
    public SimulatedReplica replica() {
        return replica;
    }

    /** Highest position that the application has executed. */
    public long position() {
        return application.position();
    }

    /** The application of this incarnation. */
    public StateMachine application() {
        return application;
    }

    @Override
    public int streamCount() {
        return streams;
    }

    @Override
    public void checkpointTaken(long position) {
        throw new InvariantViolated("checkpoints are the simulator's business");
    }

    @Override
    public OrderingStatus status() {
        return protocol.status();
    }

    @Override
    public Map<String, Long> gauges() {
        return protocol.gauges();
    }

    /** The application says so; all links are there anyway. */
    @Override
    public void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses) {
        ensembleChanged(ensemble);
    }

    /** The protocol and the application in words, for a failure. */
    public String describe() {
        return protocol.status() + " voter " + isVoter() + " members " + application.membership() + " at " + position();
    }

    /** Whether the protocol votes. */
    public boolean isVoter() {
        return protocol.gauges().getOrDefault("is_voter", 1L) == 1;
    }
}
