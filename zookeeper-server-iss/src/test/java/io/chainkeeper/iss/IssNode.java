package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.RecoveredState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;

/** One replica of an {@link IssEnsemble}: its protocol, and a host that does at once what it is asked for. */
final class IssNode implements Effects {
    private record Held(long sequence, int to, Message message) {}

    private final int id;
    private final IssEnsemble ensemble;
    private final List<LogRecord> stable = new ArrayList<>();
    private final List<LogRecord> unstable = new ArrayList<>();
    private final Deque<Held> held = new ArrayDeque<>();
    private final List<ByteSlice> delivered = new ArrayList<>();
    private final List<Long> barriers = new ArrayList<>();
    private OrderingProtocol protocol;
    private long incarnation;
    private long appended;
    private long durable;
    private long nextSequence;
    private boolean diskHolds;
    private long stateNeededAt;
    private boolean logIsTruncated;

    IssNode(int id, IssEnsemble ensemble) {
        this.id = id;
        this.ensemble = ensemble;
    }

    int id() {
        return id;
    }

    boolean isRunning() {
        return protocol != null;
    }

    void start(long number, Map<String, String> settings, SafetyRules rules) {
        incarnation = number;
        nextSequence = 1;
        delivered.clear();
        SplittableRandom random = new SplittableRandom(id);
        ProtocolContext context = new ProtocolContext(id, number, ensemble.members(), settings, random::nextInt, 50);
        protocol = IssFactory.create(context, rules, this);
        input(p -> p.onStart(recovered()));
    }

    void crash() {
        protocol = null;
        unstable.clear();
        held.clear();
        appended = 0;
        durable = 0;
    }

    /** The disk forgets everything; the replica is down. */
    void loseDisk() {
        assertFalse(isRunning());
        stable.clear();
    }

    /** Others can no longer be told from its log. */
    void truncateLog() {
        logIsTruncated = true;
    }

    /** From now on nothing becomes durable, or everything at once. */
    void holdDisk(boolean hold) {
        diskHolds = hold;
    }

    void input(Consumer<OrderingProtocol> input) {
        input.accept(protocol);
        protocol.onBatchEnd();
    }

    void receive(int from, Message message) {
        if (isRunning()) {
            input(p -> p.onMessage(from, message));
        }
    }

    void propose(ByteSlice command) {
        ProposedCommand proposed = new ProposedCommand(id, incarnation, 0, nextSequence++, command);
        input(p -> p.onPropose(proposed));
    }

    /** Forces what was appended; returns whether there was anything. */
    boolean sync() {
        if (diskHolds || durable == appended) {
            return false;
        }
        durable = appended;
        stable.addAll(unstable);
        unstable.clear();
        while (!held.isEmpty() && held.peek().sequence() <= durable) {
            Held next = held.remove();
            ensemble.send(id, next.to(), next.message());
        }
        input(p -> p.onDurable(durable));
        return true;
    }

    List<ByteSlice> delivered() {
        return delivered;
    }

    List<Long> barriers() {
        return barriers;
    }

    /** The position for which state was asked of another replica, 0 if never. */
    long stateNeededAt() {
        return stateNeededAt;
    }

    long gauge(String name) {
        return protocol.gauges().get(name);
    }

    OrderingStatus status() {
        return protocol.status();
    }

    long stableRecords() {
        return stable.size();
    }

    private RecoveredState recovered() {
        Map<Integer, LogRecord> metadata = new TreeMap<>();
        TreeMap<Long, LogRecord> positions = new TreeMap<>();
        for (LogRecord record : stable) {
            if (record.position() == LogRecord.METADATA) {
                metadata.put(record.kind(), record);
            } else {
                positions.put(record.position(), record);
            }
        }
        return new RecoveredState() {
            @Override
            public long appliedPosition() {
                return 0;
            }

            @Override
            public LogRecord metadata(int kind) {
                return metadata.get(kind);
            }

            @Override
            public long firstPosition() {
                return positions.isEmpty() ? 0 : positions.firstKey();
            }

            @Override
            public long lastPosition() {
                return positions.isEmpty() ? 0 : positions.lastKey();
            }

            @Override
            public void forEachPosition(long from, Consumer<LogRecord> visitor) {
                positions.tailMap(from).values().forEach(visitor);
            }
        };
    }

    // ---------------------------------------------------------------- effects

    @Override
    public void send(int to, Message message) {
        assertFalse(message + " is a promise", message.isPromise());
        ensemble.send(id, to, message);
    }

    @Override
    public void sendAfter(long logSequence, int to, Message message) {
        if (logSequence <= durable) {
            ensemble.send(id, to, message);
        } else {
            held.add(new Held(logSequence, to, message));
        }
    }

    @Override
    public long append(LogRecord record) {
        unstable.add(record);
        return ++appended;
    }

    @Override
    public void deliver(long position, ByteSlice value) {
        assertEquals(delivered.size() + 1, position);
        delivered.add(value);
        ensemble.delivered(id, position, value);
    }

    @Override
    public void barrierReached(long token) {
        barriers.add(token);
    }

    @Override
    public void truncate(long belowPosition) {
        // Logs of these tests stay whole.
    }

    @Override
    public void readLog(long fromPosition, int maxBytes) {
        TreeMap<Long, LogRecord> positions = new TreeMap<>();
        stable.stream().filter(r -> r.position() >= fromPosition).forEach(r -> positions.put(r.position(), r));
        List<LogRecord> records = new ArrayList<>();
        for (long next = fromPosition; !logIsTruncated && positions.containsKey(next); next++) {
            records.add(positions.get(next));
        }
        ensemble.later(id, p -> p.onLogRead(fromPosition, records));
    }

    @Override
    public void needState(int fromPeer, long position) {
        stateNeededAt = position;
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        // Looked at when wanted.
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        // Nobody listens.
    }
}
