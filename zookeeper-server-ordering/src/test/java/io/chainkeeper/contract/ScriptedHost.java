package io.chainkeeper.contract;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.PromiseRule;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The host of one replica under a test's control: every input is a call, every effect is carried out or recorded. What
 * was appended becomes durable when the test says so, and promises leave then.
 */
public abstract class ScriptedHost implements Effects {
    private record Held(long logSequence, int to, Message message) {}

    private final int id;
    private final ScriptedLog log;
    private final Deque<Held> held = new ArrayDeque<>();
    private final Deque<Long> logReads = new ArrayDeque<>();
    private final List<OrderingStatus> statuses = new ArrayList<>();
    private final List<Long> needsState = new ArrayList<>();
    private int askedForState;
    private final List<String> refusals = new ArrayList<>();
    private final Map<Integer, Boolean> silentMembers = new TreeMap<>();
    private final Map<Integer, String> contradictions = new TreeMap<>();
    private OrderingProtocol protocol;
    private long lastDelivered;
    private long effects;
    private int quietTicks;

    /**
     * @param id of the replica
     * @param log its acceptor log
     */
    protected ScriptedHost(int id, ScriptedLog log) {
        this.id = id;
        this.log = log;
    }

    /**
     * A message leaves.
     *
     * @param to replica id
     * @param message the message
     */
    protected abstract void transmit(int to, Message message);

    /**
     * A value is delivered.
     *
     * @param position of the value, the one after the last
     * @param value of the position
     */
    protected abstract void delivered(long position, ByteSlice value);

    /**
     * Reads are safe.
     *
     * @param token of their barrier
     */
    protected abstract void released(long token);

    // ---------------------------------------------------------------- starts

    /**
     * Starts a protocol on what the log holds.
     *
     * @param starting created with this as its effects, behind their contract
     * @param appliedPosition what the application's checkpoint covers
     * @param appliedPrefixHash hash of the prefix up to there
     */
    protected final void start(OrderingProtocol starting, long appliedPosition, long appliedPrefixHash) {
        protocol = starting;
        lastDelivered = appliedPosition;
        input(p -> p.onStart(log.recovered(appliedPosition).with(null, appliedPrefixHash)));
    }

    /** The process ends with everything that is not durable. */
    public final void crash() {
        protocol = null;
        held.clear();
        logReads.clear();
        log.crash();
    }

    /** @return whether a protocol runs here */
    public final boolean isRunning() {
        return protocol != null;
    }

    // ---------------------------------------------------------------- inputs

    /** @param input given to the protocol, as a batch of its own */
    public final void input(Consumer<OrderingProtocol> input) {
        input.accept(protocol);
        protocol.onBatchEnd();
    }

    /** Lets a tick pass; checks on the way that a tick which the host could have slept through does nothing. */
    public final void tick() {
        boolean quiet = protocol.quietTicks() > 0;
        long before = effects;
        input(OrderingProtocol::onTick);
        InvariantViolated.check(!quiet || effects == before, "replica %d acted in a tick it had called quiet", id);
        quietTicks += quiet ? 1 : 0;
    }

    /** @return whether anything that was appended has become durable by this */
    public boolean sync() {
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

    /** @return whether a log read was waiting, the oldest of which this answers */
    public boolean answerLogRead() {
        if (logReads.isEmpty()) {
            return false;
        }
        long from = logReads.remove();
        input(p -> p.onLogRead(from, log.read(from)));
        return true;
    }

    // ---------------------------------------------------------------- what a test looks at

    /** @return id of the replica */
    public final int id() {
        return id;
    }

    /** @return its acceptor log */
    public final ScriptedLog log() {
        return log;
    }

    /** @return the protocol that runs here */
    public final OrderingProtocol protocol() {
        return protocol;
    }

    /** @return the present status */
    public final OrderingStatus status() {
        return protocol.status();
    }

    /**
     * @param name of a gauge
     * @return its value
     */
    public final long gauge(String name) {
        return protocol.gauges().get(name);
    }

    /** @return how many ticks the host could have slept through */
    public final int quietTicks() {
        return quietTicks;
    }

    /** @return all statuses that were told, in order */
    public final List<OrderingStatus> statuses() {
        return statuses;
    }

    /** @return whose state was asked for last */
    public final int askedForState() {
        return askedForState;
    }

    /** @return the positions for which state of another replica was asked, in order */
    public final List<Long> needsState() {
        return needsState;
    }

    /** @return the positions from which the log is to be read, in order */
    public final Deque<Long> logReads() {
        return logReads;
    }

    /** @return why messages of others were refused: sender and reason */
    public final List<String> refusals() {
        return refusals;
    }

    /** @return what was last told of the silence of members */
    public final Map<Integer, Boolean> silentMembers() {
        return silentMembers;
    }

    /** @return which replicas hold another order, and where */
    public final Map<Integer, String> contradictions() {
        return contradictions;
    }

    // ---------------------------------------------------------------- effects

    @Override
    public final void send(int to, Message message) {
        effects++;
        PromiseRule.checkPlain(message);
        transmit(to, message);
    }

    @Override
    public final void sendAfter(long logSequence, int to, Message message) {
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
        transmit(to, message);
    }

    @Override
    public long append(LogRecord record) {
        effects++;
        return log.append(record);
    }

    @Override
    public final void deliver(long position, ByteSlice value, long prefixHash) {
        effects++;
        InvariantViolated.check(position == lastDelivered + 1, "%d delivered after %d", position, lastDelivered);
        lastDelivered = position;
        delivered(position, value);
    }

    @Override
    public final void barrierReached(long token) {
        effects++;
        released(token);
    }

    @Override
    public void truncate(long belowPosition) {
        log.truncate(belowPosition);
    }

    @Override
    public final void readLog(long fromPosition, int maxBytes) {
        effects++;
        logReads.add(fromPosition);
    }

    @Override
    public final void needState(int fromPeer, long position) {
        effects++;
        needsState.add(position);
        askedForState = fromPeer;
    }

    @Override
    public final void statusChanged(OrderingStatus status) {
        effects++;
        statuses.add(status);
    }

    @Override
    public final void memberSilent(int member, boolean silent) {
        effects++;
        silentMembers.put(member, silent);
    }

    @Override
    public final void refuse(int from, String reason) {
        effects++;
        refusals.add(from + ": " + reason);
    }

    @Override
    public final void orderContradicted(int peer, String difference) {
        effects++;
        contradictions.put(peer, difference);
    }
}
