package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.PromiseRule;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.replica.RecordedProtocol;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** One replica of an {@link IssEnsemble}: its protocol, and a host that does at once what it is asked for. */
final class IssNode implements Effects, DurableRecords {
    private static final int TICK_MILLIS = 50;

    private record Held(long sequence, int to, Message message) {}

    private final int id;
    private final IssEnsemble ensemble;
    private final List<LogRecord> stable = new ArrayList<>();
    private final List<LogRecord> unstable = new ArrayList<>();
    private final Deque<Held> held = new ArrayDeque<>();
    private final List<ByteSlice> delivered = new ArrayList<>();
    private final List<ByteSlice> installed = new ArrayList<>();
    private final List<Long> barriers = new ArrayList<>();
    private final List<String> refusals = new ArrayList<>();
    private final Map<Integer, String> contradictions = new TreeMap<>();
    private OrderingProtocol protocol;
    private long incarnation;
    private long appended;
    private long durable;
    private long nextSequence;
    private boolean diskHolds;
    private boolean holdsFromEpoch;
    private long stateNeededAt;
    private boolean logIsTruncated;
    private long effects;
    private int quietTicks;
    private long syncs;

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

    void start(long number, Map<String, String> settings, SafetyRules rules, Start kind) {
        incarnation = number;
        nextSequence = 1;
        delivered.clear();
        delivered.addAll(installed);
        SplittableRandom random = new SplittableRandom(ensemble.seed() + id);
        ProtocolContext context =
                new ProtocolContext(id, number, ensemble.configured(), settings, random::nextInt, TICK_MILLIS, kind);
        protocol = RecordedProtocol.create(this, effects -> IssFactory.create(context, rules, effects));
        input(p -> p.onStart(recovered()));
    }

    void crash() {
        protocol = null;
        logIsTruncated = false;
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

    /** The application gets the state of another replica, as in the product. The replica is down. */
    void installStateOf(IssNode other) {
        assertFalse(isRunning());
        installed.clear();
        installed.addAll(other.delivered);
        discardThrough(installed.size());
    }

    /** As {@link io.chainkeeper.log.AcceptorLog#discardThrough}. */
    private void discardThrough(long position) {
        stable.removeIf(r -> r.position() != LogRecord.METADATA && r.position() <= position);
    }

    /**
     * The newest checkpoint of the application covers so many positions. The log keeps what it holds; the replica may
     * be down, and may have executed more.
     */
    void checkpointAt(int positions) {
        installed.clear();
        installed.addAll(delivered.subList(0, positions));
    }

    /** Whether the durable part of the log holds a position. */
    boolean logHolds(long position) {
        return stable.stream().anyMatch(r -> r.position() == position);
    }

    /** Others can no longer be told from its log, until it starts again: what was dropped may be there then. */
    void truncateLog() {
        logIsTruncated = true;
    }

    /** From now on nothing becomes durable, or everything at once. */
    void holdDisk(boolean hold) {
        diskHolds = hold;
        holdsFromEpoch = false;
    }

    /** From the next epoch's configuration on nothing becomes durable. */
    void holdDiskFromNextEpoch() {
        holdsFromEpoch = true;
    }

    void input(Consumer<OrderingProtocol> input) {
        input.accept(protocol);
        protocol.onBatchEnd();
    }

    /** Checks on the way that a tick which the host could have slept through does nothing. */
    void tick() {
        boolean quiet = protocol.quietTicks() > 0;
        long before = effects;
        input(OrderingProtocol::onTick);
        assertTrue("replica " + id + " acted in a tick it had called quiet", !quiet || effects == before);
        quietTicks += quiet ? 1 : 0;
    }

    /** How many ticks the host could have slept through. */
    int quietTicks() {
        return quietTicks;
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
        syncs++;
        stable.addAll(unstable);
        unstable.clear();
        while (!held.isEmpty() && held.peek().sequence() <= durable) {
            Held next = held.remove();
            leave(next.to(), next.message());
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

    /** Who holds another order, and where. */
    Map<Integer, String> contradictions() {
        return contradictions;
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

    /** How often records were forced. */
    long syncs() {
        return syncs;
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
                return installed.size();
            }

            @Override
            public long appliedPrefixHash() {
                long hash = PrefixHash.EMPTY;
                for (int i = 0; i < installed.size(); i++) {
                    hash = PrefixHash.next(hash, i + 1L, installed.get(i));
                }
                return hash;
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
        effects++;
        PromiseRule.checkPlain(message);
        ensemble.send(id, to, message);
    }

    @Override
    public void sendAfter(long logSequence, int to, Message message) {
        effects++;
        PromiseRule.checkBehind(message, logSequence, appended);
        if (logSequence <= durable) {
            leave(to, message);
        } else {
            held.add(new Held(logSequence, to, message));
        }
    }

    private void leave(int to, Message message) {
        PromiseRule.checkKept(id, message, this);
        ensemble.send(id, to, message);
    }

    @Override
    public LogRecord metadata(int kind) {
        return latest(record -> record.position() == LogRecord.METADATA && record.kind() == kind);
    }

    @Override
    public LogRecord at(long position) {
        return latest(record -> record.position() == position);
    }

    @Override
    public long coveredPosition() {
        return installed.size();
    }

    private LogRecord latest(Predicate<LogRecord> which) {
        for (int i = stable.size() - 1; i >= 0; i--) {
            if (which.test(stable.get(i))) {
                return stable.get(i);
            }
        }
        return null;
    }

    @Override
    public long append(LogRecord record) {
        effects++;
        unstable.add(record);
        diskHolds |= holdsFromEpoch && record.kind() == IssState.EPOCH;
        return ++appended;
    }

    @Override
    public void deliver(long position, ByteSlice value, long prefixHash) {
        effects++;
        assertEquals(delivered.size() + 1, position);
        delivered.add(value);
        ensemble.delivered(id, position, value);
    }

    @Override
    public void barrierReached(long token) {
        effects++;
        barriers.add(token);
    }

    @Override
    public void truncate(long belowPosition) {
        // Logs of these tests stay whole.
    }

    @Override
    public void readLog(long fromPosition, int maxBytes) {
        effects++;
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
        effects++;
        stateNeededAt = position;
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        effects++;
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        effects++;
    }

    @Override
    public void refuse(int from, String reason) {
        effects++;
        refusals.add(from + ": " + reason);
    }

    /** Why messages of others were refused. */
    List<String> refusals() {
        return refusals;
    }

    @Override
    public void orderContradicted(int peer, String difference) {
        effects++;
        contradictions.put(peer, difference);
    }
}
