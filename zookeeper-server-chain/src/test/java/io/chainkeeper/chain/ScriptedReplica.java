package io.chainkeeper.chain;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.PromiseRule;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.RecordedProtocol;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** One start of a replica under a test's control: every input is a call, every effect is recorded. */
final class ScriptedReplica implements Effects {
    /** Where messages and decisions go. */
    interface World {
        void send(int from, int to, Message message);

        void delivered(int replica, long position, ByteSlice value);
    }

    private record Held(long logSequence, int to, Message message) {}

    final int id;
    final ScriptedLog log;
    final OrderingProtocol protocol;

    /** The text of each executed command, in order; what the executor skips is not here. */
    final List<String> executed = new ArrayList<>();

    /** What was delivered: position to value. */
    final Map<Long, ByteSlice> delivered = new TreeMap<>();

    /** Barriers reached: token to how many commands had been executed by then. */
    final Map<Long, Integer> barriersReached = new TreeMap<>();

    /** The last membership that was delivered, null if there was none. */
    Membership membership;

    final List<OrderingStatus> statuses = new ArrayList<>();
    final List<Long> needsState = new ArrayList<>();

    /** Why messages of others were refused. */
    final List<String> refusals = new ArrayList<>();

    final Deque<Long> logReads = new ArrayDeque<>();
    final Map<Integer, Boolean> silentMembers = new TreeMap<>();

    /** Who holds another order, and where. */
    final Map<Integer, String> contradictions = new TreeMap<>();

    private final long incarnation;
    private final World world;
    private final Deque<Held> held = new ArrayDeque<>();
    private final ProposerTable proposers = new ProposerTable();
    private long lastSequence;
    private long lastToken;
    private long lastDelivered;
    private long effects;

    ScriptedReplica(
            ProtocolContext context,
            ScriptedLog log,
            long appliedPosition,
            long appliedPrefixHash,
            SafetyRules rules,
            World world) {
        this.id = context.replicaId();
        this.incarnation = context.incarnation();
        this.log = log;
        this.world = world;
        this.lastDelivered = appliedPosition;
        this.protocol = RecordedProtocol.create(this, effects -> ChainPaxosFactory.create(context, rules, effects));
        input(p -> p.onStart(log.recovered(appliedPosition).with(null, appliedPrefixHash)));
    }

    /** Gives one input and ends the batch. */
    void input(Consumer<OrderingProtocol> input) {
        input.accept(protocol);
        protocol.onBatchEnd();
    }

    /** Checks on the way that a tick which the host could have slept through does nothing. */
    void tick() {
        boolean quiet = protocol.quietTicks() > 0;
        long before = effects;
        input(OrderingProtocol::onTick);
        InvariantViolated.check(!quiet || effects == before, "replica %d acted in a tick it had called quiet", id);
    }

    void propose(String text) {
        ByteSlice command = ByteSlice.of(text.getBytes(StandardCharsets.UTF_8));
        input(p -> p.onPropose(new ProposedCommand(id, incarnation, 0, ++lastSequence, command)));
    }

    /** A linearizable read waits; returns its token. */
    long read() {
        input(p -> p.onReadBarrier(++lastToken));
        return lastToken;
    }

    /** Makes everything appended durable; returns whether there was anything. */
    boolean sync() {
        if (!log.sync()) {
            return false;
        }
        while (!held.isEmpty() && held.peek().logSequence() <= log.durableSequence()) {
            Held released = held.remove();
            leave(released.to(), released.message());
        }
        input(p -> p.onDurable(log.durableSequence()));
        return true;
    }

    /** Answers the oldest log read; returns whether there was one. */
    boolean answerLogRead() {
        if (logReads.isEmpty()) {
            return false;
        }
        long from = logReads.remove();
        input(p -> p.onLogRead(from, log.read(from)));
        return true;
    }

    OrderingStatus status() {
        return protocol.status();
    }

    boolean leads() {
        return status().role() == OrderingStatus.Role.LEADER;
    }

    long gauge(String name) {
        return protocol.gauges().get(name);
    }

    // ---------------------------------------------------------------- effects

    @Override
    public void send(int to, Message message) {
        effects++;
        PromiseRule.checkPlain(message);
        world.send(id, to, message);
    }

    @Override
    public void sendAfter(long logSequence, int to, Message message) {
        effects++;
        PromiseRule.checkBehind(message, logSequence, log.appended());
        if (logSequence <= log.durableSequence()) {
            leave(to, message);
        } else {
            held.add(new Held(logSequence, to, message));
        }
    }

    private void leave(int to, Message message) {
        PromiseRule.checkKept(id, message, log);
        world.send(id, to, message);
    }

    @Override
    public long append(LogRecord record) {
        effects++;
        return log.append(record);
    }

    @Override
    public void deliver(long position, ByteSlice value, long prefixHash) {
        effects++;
        InvariantViolated.check(position == lastDelivered + 1, "%d delivered after %d", position, lastDelivered);
        lastDelivered = position;
        delivered.put(position, value);
        world.delivered(id, position, value);
        if (BatchCodec.isMembership(value)) {
            membership = ReplicaState.membershipIn(value);
            return;
        }
        for (ProposedCommand command : commands(value)) {
            if (proposers.advance(command) == ProposerTable.Verdict.APPLY) {
                executed.add(text(command));
            }
        }
    }

    static List<ProposedCommand> commands(ByteSlice value) {
        try {
            return BatchCodec.decode(value);
        } catch (MalformedMessageException e) {
            throw new AssertionError(e);
        }
    }

    static String text(ProposedCommand command) {
        return new String(command.command().toByteArray(), StandardCharsets.UTF_8);
    }

    @Override
    public void barrierReached(long token) {
        effects++;
        Integer before = barriersReached.put(token, executed.size());
        InvariantViolated.check(before == null, "barrier %d reached twice", token);
    }

    @Override
    public void truncate(long belowPosition) {
        log.truncate(belowPosition);
    }

    @Override
    public void readLog(long fromPosition, int maxBytes) {
        effects++;
        logReads.add(fromPosition);
    }

    @Override
    public void needState(int fromPeer, long position) {
        effects++;
        needsState.add(position);
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        effects++;
        statuses.add(status);
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        effects++;
        silentMembers.put(member, silent);
    }

    @Override
    public void refuse(int from, String reason) {
        effects++;
        refusals.add(from + ": " + reason);
    }

    @Override
    public void orderContradicted(int peer, String difference) {
        effects++;
        contradictions.put(peer, difference);
    }
}
