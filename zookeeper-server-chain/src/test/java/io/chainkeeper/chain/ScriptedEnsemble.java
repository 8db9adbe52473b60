package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.contract.ScriptedLog;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.ProtocolContext.Start;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * Replicas whose links, disks and clocks a test moves by hand. Links are first-in-first-out; a link that breaks loses
 * what is on it and both sides hear of that. All replicas must agree on every delivered position.
 */
final class ScriptedEnsemble implements ScriptedReplica.World {
    private static final ChainCodec CODEC = new ChainCodec();
    private static final int MAX_STEPS = 100_000;
    private static final int MAX_TIMEOUT_TICKS = 10_000;
    static final int TICK_MILLIS = 50;

    private record Link(int from, int to) implements Comparable<Link> {
        @Override
        public int compareTo(Link other) {
            return from != other.from ? Integer.compare(from, other.from) : Integer.compare(to, other.to);
        }
    }

    /** A message that was sent, kept for the test to look at. */
    record Sent(int from, int to, Message message) {}

    final List<Sent> sent = new ArrayList<>();

    private final List<Integer> members = new ArrayList<>();
    private final IntFunction<Map<String, String>> settings;
    private final Map<Integer, ScriptedReplica> running = new TreeMap<>();
    private final Map<Integer, ScriptedLog> logs = new TreeMap<>();
    private final Map<Integer, Long> incarnations = new TreeMap<>();
    private final Map<Link, Deque<Message>> links = new TreeMap<>();
    private final Set<Link> cut = new TreeSet<>();
    private final Set<Link> stalled = new TreeSet<>();
    private final Set<Integer> slowDisks = new TreeSet<>();
    private final Set<Integer> slowReads = new TreeSet<>();
    private final Set<Integer> stopped = new TreeSet<>();
    private final Map<Long, ByteSlice> decided = new TreeMap<>();
    private Random random = new Random(7);
    private SafetyRules rules = new SafetyRules();
    private Ensemble ensemble;
    private int wrong;

    ScriptedEnsemble(int size) {
        this(size, Map.of());
    }

    ScriptedEnsemble(int size, Map<String, String> settings) {
        this(size, id -> settings);
    }

    private ScriptedEnsemble(int size, IntFunction<Map<String, String>> settings) {
        this.settings = settings;
        for (int id = 1; id <= size; id++) {
            members.add(id);
            logs.put(id, new ScriptedLog());
        }
    }

    /** Starts all and waits for a leader that all follow. */
    static ScriptedEnsemble started(int size) {
        return started(size, Map.of());
    }

    static ScriptedEnsemble started(int size, Map<String, String> settings) {
        ScriptedEnsemble ensemble = new ScriptedEnsemble(size, settings);
        ensemble.members.forEach(ensemble::start);
        ensemble.awaitLeader();
        return ensemble;
    }

    /** Starts all, each with settings of its own. */
    static ScriptedEnsemble startedEach(int size, IntFunction<Map<String, String>> settings) {
        ScriptedEnsemble ensemble = new ScriptedEnsemble(size, settings);
        ensemble.members.forEach(ensemble::start);
        ensemble.awaitLeader();
        return ensemble;
    }

    /** Starts all; what they draw comes from the test. */
    static ScriptedEnsemble startedBy(Random random, int size) {
        ScriptedEnsemble ensemble = new ScriptedEnsemble(size);
        ensemble.random = random;
        ensemble.members.forEach(ensemble::start);
        ensemble.awaitLeader();
        return ensemble;
    }

    /** All start with some of the rules taken out; none has started yet. */
    static ScriptedEnsemble blankWith(SafetyRules rules, int size) {
        ScriptedEnsemble ensemble = new ScriptedEnsemble(size);
        ensemble.rules = rules;
        return ensemble;
    }

    /** Starts all with some of the rules taken out. */
    static ScriptedEnsemble startedWith(SafetyRules rules, int size) {
        return startedWith(rules, size, Map.of());
    }

    /** Starts all with settings, and some of the rules taken out. */
    static ScriptedEnsemble startedWith(SafetyRules rules, int size, Map<String, String> settings) {
        ScriptedEnsemble ensemble = new ScriptedEnsemble(size, settings);
        ensemble.rules = rules;
        ensemble.members.forEach(ensemble::start);
        ensemble.awaitLeader();
        return ensemble;
    }

    /** Tells every running replica, and all that start later, who is meant to take part. */
    void configure(Ensemble configured) {
        ensemble = configured;
        for (int id : configured.participants()) {
            logs.computeIfAbsent(id, key -> new ScriptedLog());
        }
        for (int id : configured.observers()) {
            logs.computeIfAbsent(id, key -> new ScriptedLog());
        }
        running.values().forEach(replica -> replica.input(p -> p.onEnsemble(configured)));
    }

    /** A crash that takes the disk with it. */
    void loseDisk(int id) {
        crash(id);
        logs.put(id, new ScriptedLog());
    }

    ScriptedReplica replica(int id) {
        ScriptedReplica replica = running.get(id);
        if (replica == null) {
            throw new AssertionError("replica " + id + " is not running");
        }
        return replica;
    }

    boolean isRunning(int id) {
        return running.containsKey(id);
    }

    ScriptedLog log(int id) {
        return logs.get(id);
    }

    // ---------------------------------------------------------------- replicas

    void start(int id) {
        start(id, 0);
    }

    /** Starts a replica whose application has a checkpoint at a position. */
    void start(int id, long appliedPosition) {
        start(id, appliedPosition, Start.ORDINARY);
    }

    /** A replica that runs starts again from the state of another one, as the product does. */
    void installState(int id, int from, long position) {
        crash(id);
        logs.get(id).keepPromiseOf(logs.get(from), new ChainPaxosFactory().promiseKind());
        logs.get(id).discardThrough(position);
        start(id, position);
    }

    void startAsSoleSurvivor(int id) {
        start(id, 0, Start.SOLE_SURVIVOR);
    }

    private void start(int id, long appliedPosition, Start start) {
        long incarnation = incarnations.merge(id, 1L, Long::sum);
        ScriptedReplica replica = new ScriptedReplica(
                new ProtocolContext(
                        id, incarnation, Ensemble.of(members), settings.apply(id), this::draw, TICK_MILLIS, start),
                logs.get(id),
                appliedPosition,
                prefixHash(appliedPosition),
                rules,
                this);
        running.put(id, replica);
        if (ensemble != null) {
            replica.input(p -> p.onEnsemble(ensemble));
        }
        for (int other : logs.keySet()) {
            if (other != id && running.containsKey(other) && !cut.contains(new Link(id, other))) {
                connect(id, other);
            }
        }
    }

    /** Timeouts are drawn one after the other; what is drawn from more is chance in the number of a disk. */
    private int draw(int bound) {
        return bound > MAX_TIMEOUT_TICKS ? 0 : random.nextInt(bound);
    }

    private long prefixHash(long position) {
        long hash = PrefixHash.EMPTY;
        for (long i = 1; i <= position && hash != PrefixHash.UNKNOWN; i++) {
            hash = decided.containsKey(i) ? PrefixHash.next(hash, i, decided.get(i)) : PrefixHash.UNKNOWN;
        }
        return hash;
    }

    /** The process is gone with everything that was not synced. */
    void crash(int id) {
        running.remove(id).crash();
        for (int other : logs.keySet()) {
            if (other != id && running.containsKey(other) && !cut.contains(new Link(id, other))) {
                disconnect(id, other);
            }
        }
    }

    void restart(int id) {
        crash(id);
        start(id);
    }

    /** Restarts a replica that finds other participants in its configuration. */
    void restartWith(int id, List<Integer> participants) {
        List<Integer> before = new ArrayList<>(members);
        members.clear();
        members.addAll(participants);
        restart(id);
        members.clear();
        members.addAll(before);
    }

    /** SIGSTOP: nothing is processed, links stay up. */
    void stop(int id) {
        stopped.add(id);
    }

    void resume(int id) {
        stopped.remove(id);
    }

    void holdDisk(int id) {
        slowDisks.add(id);
    }

    void releaseDisk(int id) {
        slowDisks.remove(id);
    }

    /** Its log is not read from now on. */
    void holdReads(int id) {
        slowReads.add(id);
    }

    // ---------------------------------------------------------------- links

    private void connect(int a, int b) {
        links.put(new Link(a, b), new ArrayDeque<>());
        links.put(new Link(b, a), new ArrayDeque<>());
        running.get(a).input(p -> p.onPeerUp(b));
        running.get(b).input(p -> p.onPeerUp(a));
    }

    private void disconnect(int a, int b) {
        links.remove(new Link(a, b));
        links.remove(new Link(b, a));
        for (int side : new int[] {a, b}) {
            ScriptedReplica replica = running.get(side);
            if (replica != null) {
                replica.input(p -> p.onPeerDown(side == a ? b : a));
            }
        }
    }

    void cut(int a, int b) {
        disconnect(a, b);
        cut.add(new Link(a, b));
        cut.add(new Link(b, a));
    }

    void heal(int a, int b) {
        cut.remove(new Link(a, b));
        cut.remove(new Link(b, a));
        connect(a, b);
    }

    /** The connection breaks, with what is on it, and is made anew at once. */
    void breakLink(int a, int b) {
        disconnect(a, b);
        connect(a, b);
    }

    /** Cuts a replica off from all others. */
    void isolate(int id) {
        running.keySet().stream().filter(other -> other != id).forEach(other -> cut(id, other));
    }

    void rejoin(int id) {
        running.keySet().stream().filter(other -> other != id).forEach(other -> heal(id, other));
    }

    /** Nothing arrives in one direction, although the link looks up. */
    void stall(int from, int to) {
        stalled.add(new Link(from, to));
    }

    void unstall(int from, int to) {
        stalled.remove(new Link(from, to));
    }

    @Override
    public void send(int from, int to, Message message) {
        Deque<Message> link = links.get(new Link(from, to));
        if (link != null) {
            sent.add(new Sent(from, to, message));
            link.add(message);
        }
    }

    /** Whether a message of a type was sent since the record was last cleared. */
    boolean wasSent(int from, int to, Predicate<Message> which) {
        return sent.stream().anyMatch(s -> s.from() == from && s.to() == to && which.test(s.message()));
    }

    // ---------------------------------------------------------------- steps

    /** Delivers the next message of a link; returns it, or null if there is none. */
    Message deliver(int from, int to) {
        Deque<Message> link = links.get(new Link(from, to));
        if (link == null || link.isEmpty()) {
            return null;
        }
        Message message = overTheWire(link.remove());
        replica(to).input(p -> p.onMessage(from, message));
        return message;
    }

    /** Delivers all that is on a link as one batch of inputs; returns how many messages that were. */
    int deliverBatch(int from, int to) {
        Deque<Message> link = links.get(new Link(from, to));
        int count = link.size();
        for (int i = 0; i < count; i++) {
            replica(to).protocol().onMessage(from, overTheWire(link.remove()));
        }
        replica(to).protocol().onBatchEnd();
        return count;
    }

    private static Message overTheWire(Message message) {
        ByteSlice[] parts = CODEC.encode(message);
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
        try {
            Message decoded = CODEC.decode(ByteSlice.of(frame));
            assertEquals(message, decoded);
            return decoded;
        } catch (MalformedMessageException e) {
            throw new AssertionError(e);
        }
    }

    /** Syncs, reads and delivers until nothing is left to do without time passing. */
    void settle() {
        for (int step = 0; step < MAX_STEPS; step++) {
            if (!stepOnce()) {
                return;
            }
        }
        throw new AssertionError("messages circulate without end: " + sent.subList(sent.size() - 20, sent.size()));
    }

    private boolean stepOnce() {
        boolean worked = false;
        for (int id : new ArrayList<>(running.keySet())) {
            if (!stopped.contains(id)) {
                worked |= !slowDisks.contains(id) && replica(id).sync();
                worked |= !slowReads.contains(id) && replica(id).answerLogRead();
            }
        }
        for (Link link : new ArrayList<>(links.keySet())) {
            if (!stalled.contains(link) && !stopped.contains(link.to())) {
                worked |= deliver(link.from(), link.to()) != null;
            }
        }
        return worked;
    }

    /** As {@link #settle}, but only so much: one message of each link, and one force of each disk, is a step. */
    void steps(int count) {
        for (int i = 0; i < count; i++) {
            stepOnce();
        }
    }

    /** Lets a tick pass everywhere; what it sets off stays on its way. */
    void tickAll() {
        running.forEach((id, replica) -> {
            if (!stopped.contains(id)) {
                replica.tick();
            }
        });
    }

    /** Lets time pass everywhere, settling after every tick. */
    void run(int ticks) {
        for (int i = 0; i < ticks; i++) {
            settle();
            tickAll();
        }
        settle();
    }

    void runUntil(String what, int maxTicks, BooleanSupplier condition) {
        settle();
        for (int i = 0; i < maxTicks && !condition.getAsBoolean(); i++) {
            run(1);
        }
        if (!condition.getAsBoolean()) {
            throw new AssertionError("waited " + maxTicks + " ticks in vain for " + what);
        }
    }

    /** Waits for a leader that every running replica follows; returns its id. */
    int awaitLeader() {
        runUntil("a leader that all follow", 400, () -> commonLeader() > 0);
        return commonLeader();
    }

    private int commonLeader() {
        int leader = 0;
        for (ScriptedReplica replica : running.values()) {
            int followed = replica.status().leader();
            if (followed <= 0 || (leader != 0 && leader != followed)) {
                return 0;
            }
            leader = followed;
        }
        return running.containsKey(leader) && replica(leader).leads() ? leader : 0;
    }

    /** What this replica delivers may differ from now on: a test brings that about. */
    void makeWrong(int id) {
        wrong = id;
    }

    /** The member that stands so many places behind the leader. */
    int behindLeader(int leader, int places) {
        return members.get((members.indexOf(leader) + places) % members.size());
    }

    @Override
    public void delivered(int replica, long position, ByteSlice value) {
        ByteSlice known = decided.putIfAbsent(position, value);
        if (known != null && replica != wrong) {
            assertEquals("replica " + replica + " at position " + position, known, value);
        }
    }
}
