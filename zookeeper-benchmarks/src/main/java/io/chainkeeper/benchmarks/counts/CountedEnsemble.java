package io.chainkeeper.benchmarks.counts;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus.Role;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The protocol objects of an ensemble with their network, disks and clients in virtual time: what the protocol does is
 * real, and what it costs is counted, not timed. The same conditions give the same counts. Single-threaded.
 */
final class CountedEnsemble {
    /** Of a small setData: a value of 128 bytes with a path and what else a command says of its session. */
    private static final int COMMAND_BYTES = 220;

    /** Far more than an election takes. */
    private static final long MAX_START_MICROS = 60_000_000;

    private record Event(long micros, long number, Runnable call) {}

    private final OrderingProtocolFactory factory;
    private final Conditions conditions;
    private final List<Integer> ids;
    private final List<CountedReplica> replicas = new ArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>((one, other) -> one.micros() != other.micros()
            ? Long.compare(one.micros(), other.micros())
            : Long.compare(one.number(), other.number()));
    private final Map<Long, Long> askedMicros = new HashMap<>();
    private final Map<String, Long> messagesByKind = new TreeMap<>();
    private final ByteSlice command = ByteSlice.of(new byte[COMMAND_BYTES]);
    private final Random random;
    private long eventCount;
    private long now;
    private long commands;
    private long batches;
    private long positions;
    private long messages;
    private long bytes;
    private long records;
    private long forces;
    private long answerMicros;

    /**
     * Starts the replicas and waits until they follow a leader.
     *
     * @param factory the protocol
     * @param conditions what it is counted under
     * @param seed draws how long each client waits before its next command
     */
    CountedEnsemble(OrderingProtocolFactory factory, Conditions conditions, long seed) {
        this.factory = factory;
        this.conditions = conditions;
        this.random = new Random(seed);
        this.ids = IntStream.rangeClosed(1, conditions.replicas()).boxed().toList();
        ids.forEach(id -> replicas.add(new CountedReplica(id, this, conditions)));
        replicas.forEach(CountedReplica::start);
        at(0, this::tick);
        while (!isLed() && now < MAX_START_MICROS) {
            next();
        }
        if (!isLed()) {
            throw new IllegalStateException("no leader after " + MAX_START_MICROS + " us");
        }
    }

    private boolean isLed() {
        return replicas.stream().anyMatch(r -> r.status().role() == Role.LEADER)
                && replicas.stream()
                        .allMatch(r ->
                                r.status().leader() == replicas.get(0).status().leader());
    }

    private void tick() {
        replicas.forEach(CountedReplica::tick);
        at(now + CountedReplica.TICK_MILLIS * 1_000L, this::tick);
    }

    /**
     * Lets clients write.
     *
     * @param warmUpMicros what is not counted, in the beginning
     * @param countedMicros what is counted
     * @return what was counted
     */
    Counts count(long warmUpMicros, long countedMicros) {
        for (int id : ids) {
            int clients = conditions.clients() > 0 ? conditions.clients() : id == 1 ? 1 : 0;
            for (int client = 0; client < clients; client++) {
                askLater(id);
            }
        }
        runUntil(now + warmUpMicros);
        Counts before = total();
        messagesByKind.clear();
        runUntil(now + countedMicros);
        return total().since(before);
    }

    private Counts total() {
        return new Counts(commands, batches, positions, messages, bytes, records, forces, now, answerMicros);
    }

    /** @return messages by the name of their kind, since counting began */
    Map<String, Long> messagesByKind() {
        return messagesByKind;
    }

    private void runUntil(long micros) {
        while (events.peek().micros() <= micros) {
            next();
        }
        now = micros;
    }

    private void next() {
        Event event = events.remove();
        now = event.micros();
        event.call().run();
    }

    // ---------------------------------------------------------------- for replicas

    OrderingProtocolFactory factory() {
        return factory;
    }

    List<Integer> ids() {
        return ids;
    }

    long now() {
        return now;
    }

    void at(long micros, Runnable call) {
        events.add(new Event(micros, ++eventCount, call));
    }

    void transmit(long micros, int from, int to, Message message) {
        messages++;
        messagesByKind.merge(message.getClass().getSimpleName(), 1L, Long::sum);
        ByteSlice frame = join(factory.codec().encode(message));
        bytes += frame.length();
        at(micros, () -> replicas.get(to - 1).receive(from, decode(frame)));
    }

    private static ByteSlice join(ByteSlice[] parts) {
        int length = 0;
        for (ByteSlice part : parts) {
            length += part.length();
        }
        byte[] frame = new byte[length];
        int offset = 0;
        for (ByteSlice part : parts) {
            System.arraycopy(part.array(), part.offset(), frame, offset, part.length());
            offset += part.length();
        }
        return ByteSlice.of(frame);
    }

    private Message decode(ByteSlice frame) {
        try {
            return factory.codec().decode(frame);
        } catch (MalformedMessageException e) {
            throw new IllegalStateException("an own encoding is refused", e);
        }
    }

    void appended() {
        records++;
    }

    void forced() {
        forces++;
    }

    /** Replica 1 has delivered a position. */
    void ordered(int commandsInIt) {
        positions++;
        commands += commandsInIt;
        batches += commandsInIt > 0 ? 1 : 0;
    }

    void asked(int id, long sequence) {
        askedMicros.put(key(id, sequence), now);
    }

    void answered(int id, long sequence) {
        answerMicros += now - askedMicros.remove(key(id, sequence));
        askLater(id);
    }

    /** Clients are not in step: each takes between half and one and a half of the time. */
    private void askLater(int id) {
        long pause = conditions.clientMicros() / 2 + random.nextInt(Math.max(1, conditions.clientMicros()));
        at(now + pause, () -> replicas.get(id - 1).propose(command));
    }

    private static long key(int id, long sequence) {
        return (long) id << 48 | sequence;
    }

    /** @return whether all replicas have delivered the same positions, but for so many */
    boolean isTogether(long positionsApart) {
        long most = replicas.stream().mapToLong(r -> r.delivered).max().orElse(0);
        return replicas.stream().allMatch(r -> r.delivered + positionsApart >= most);
    }
}
