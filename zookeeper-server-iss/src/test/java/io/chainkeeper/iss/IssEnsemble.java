package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext.Start;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Replicas 1 to n without time: messages are passed on in the order sent until none is left, disks are forced when
 * asked, ticks come when the test says so. A test decides which messages get lost. Every delivery is held against one
 * order.
 */
final class IssEnsemble {
    /** A message on its way. */
    record Envelope(int from, int to, Message message) {
        boolean is(Class<? extends Message> type) {
            return type.isInstance(message);
        }
    }

    private final Map<Integer, IssNode> nodes = new TreeMap<>();
    private final Deque<Envelope> network = new ArrayDeque<>();
    private final Deque<Envelope> delayed = new ArrayDeque<>();
    private final Map<Long, ByteSlice> order = new TreeMap<>();
    private final List<Envelope> sent = new ArrayList<>();
    private final Ensemble configured;
    private final Map<String, String> settings;
    private final SafetyRules rules;
    private Predicate<Envelope> lost = envelope -> false;
    private Predicate<Envelope> slow = envelope -> false;
    private long nextIncarnation = 1;
    private int wrong;
    private long seed;

    private IssEnsemble(int size, int observers, Map<String, String> settings, SafetyRules rules) {
        this.configured = new Ensemble(
                IntStream.rangeClosed(1, size).boxed().toList(),
                IntStream.rangeClosed(size + 1, size + observers).boxed().toList());
        this.settings = settings;
        this.rules = rules;
        for (int id = 1; id <= size + observers; id++) {
            nodes.put(id, new IssNode(id, this));
        }
    }

    /** Starts all replicas and lets them found their cluster. */
    static IssEnsemble of(int size) {
        return of(size, Map.of(), new SafetyRules());
    }

    /** Observers follow the participants. */
    static IssEnsemble notStarted(int size, int observers) {
        return notStarted(size, observers, Map.of());
    }

    /** Observers follow the participants. */
    static IssEnsemble notStarted(int size, int observers, Map<String, String> settings) {
        return notStarted(size, observers, settings, new SafetyRules());
    }

    /** Observers follow the participants. */
    static IssEnsemble notStarted(int size, int observers, Map<String, String> settings, SafetyRules rules) {
        return new IssEnsemble(size, observers, settings, rules);
    }

    static IssEnsemble of(int size, Map<String, String> settings, SafetyRules rules) {
        IssEnsemble ensemble = new IssEnsemble(size, 0, settings, rules);
        IntStream.rangeClosed(1, size).forEach(ensemble::start);
        ensemble.settle();
        return ensemble;
    }

    /** Starts all replicas; what they draw comes from a seed. */
    static IssEnsemble drawn(int size, Map<String, String> settings, long seed) {
        IssEnsemble ensemble = new IssEnsemble(size, 0, settings, new SafetyRules());
        ensemble.seed = seed;
        IntStream.rangeClosed(1, size).forEach(ensemble::start);
        ensemble.settle();
        return ensemble;
    }

    /** What the draws of the replicas come from. */
    long seed() {
        return seed;
    }

    List<Integer> members() {
        return List.copyOf(nodes.keySet());
    }

    Ensemble configured() {
        return configured;
    }

    IssNode node(int id) {
        return nodes.get(id);
    }

    void start(int id) {
        start(id, Start.ORDINARY);
    }

    void start(int id, Start kind) {
        nodes.get(id).start(nextIncarnation++, settings, rules, kind);
        for (int other : members()) {
            if (other != id && nodes.get(other).isRunning()) {
                nodes.get(id).input(p -> p.onPeerUp(other));
                nodes.get(other).input(p -> p.onPeerUp(id));
            }
        }
    }

    /** The process ends; what its disk has not stored is gone. */
    void crash(int id) {
        nodes.get(id).crash();
        network.removeIf(envelope -> envelope.from() == id || envelope.to() == id);
        delayed.removeIf(envelope -> envelope.from() == id || envelope.to() == id);
        for (int other : members()) {
            if (other != id && nodes.get(other).isRunning()) {
                nodes.get(other).input(p -> p.onPeerDown(id));
            }
        }
    }

    /** From now on these messages get lost. */
    void lose(Predicate<Envelope> which) {
        lost = which;
    }

    /** From now on these messages are on their way until {@link #arrive}. */
    void delay(Predicate<Envelope> which) {
        slow = which;
    }

    /** What was delayed arrives, in the order sent. */
    void arrive() {
        slow = envelope -> false;
        network.addAll(delayed);
        delayed.clear();
        settle();
    }

    /** The links of a pair break and come back, so what was lost is noticed. */
    void relink(int one, int other) {
        nodes.get(one).input(p -> p.onPeerDown(other));
        nodes.get(other).input(p -> p.onPeerDown(one));
        nodes.get(one).input(p -> p.onPeerUp(other));
        nodes.get(other).input(p -> p.onPeerUp(one));
    }

    void send(int from, int to, Message message) {
        Envelope envelope = new Envelope(from, to, message);
        sent.add(envelope);
        if (!lost.test(envelope) && nodes.get(to).isRunning()) {
            (slow.test(envelope) ? delayed : network).add(envelope);
        }
    }

    /** Every message that was ever sent, lost or not. */
    List<Envelope> sent() {
        return sent;
    }

    void forgetSent() {
        sent.clear();
    }

    private boolean answerLogRead() {
        return nodes.values().stream().anyMatch(node -> node.isRunning() && node.answerLogRead());
    }

    /** Passes on messages and forces disks until nothing is left to do. */
    void settle() {
        settleAtMost(Integer.MAX_VALUE);
    }

    /** The same, but ends after so many messages: for what might go on for ever. */
    void settleAtMost(int messages) {
        boolean worked = true;
        int passed = 0;
        while (worked && passed < messages) {
            worked = false;
            while (answerLogRead()) {
                worked = true;
            }
            while (!network.isEmpty() && passed++ < messages) {
                Envelope next = network.remove();
                worked = true;
                nodes.get(next.to()).receive(next.from(), next.message());
            }
            for (IssNode node : nodes.values()) {
                worked |= node.isRunning() && node.sync();
            }
        }
    }

    /** Passes on so many messages, and forces the disk of some replica with each; all of them when none is left. */
    void pass(int messages, Random random) {
        for (int i = 0; i < messages; i++) {
            boolean answered = answerLogRead();
            IssNode node = nodes.get(1 + random.nextInt(nodes.size()));
            boolean synced = node.isRunning() && node.sync();
            if (!network.isEmpty()) {
                Envelope next = network.remove();
                nodes.get(next.to()).receive(next.from(), next.message());
            } else if (!synced && !answered) {
                settle();
                return;
            }
        }
    }

    /** Nothing goes to these or comes from them any more, although their links look up. */
    void silence(List<Integer> ids) {
        lost = envelope -> ids.contains(envelope.from()) || ids.contains(envelope.to());
        network.removeIf(lost);
    }

    /** Lets a tick pass everywhere; what it sets off stays on its way. */
    void tickAll() {
        nodes.values().forEach(IssNode::passAtDisk);
        nodes.values().stream().filter(IssNode::isRunning).forEach(IssNode::tick);
    }

    void ticks(int count) {
        for (int i = 0; i < count; i++) {
            tickAll();
            settle();
        }
    }

    /** A client of a replica asks for something. */
    void propose(int id, String command) {
        nodes.get(id).propose(ByteSlice.of(command.getBytes(StandardCharsets.UTF_8)));
    }

    /** What this replica delivers may differ from now on: a test brings that about. */
    void makeWrong(int id) {
        wrong = id;
    }

    void delivered(int id, long position, ByteSlice value) {
        ByteSlice known = order.putIfAbsent(position, value);
        assertTrue(
                "agreement: replica " + id + " delivers " + words(value) + " at position " + position + ", another "
                        + (known == null ? "" : words(known)),
                known == null || known.equals(value) || id == wrong);
    }

    static List<String> words(ByteSlice value) {
        try {
            return BatchCodec.isMembership(value)
                    ? List.of("members " + BatchCodec.decodeMembership(value))
                    : BatchCodec.decode(value).stream()
                            .map(ProposedCommand::command)
                            .map(bytes -> new String(bytes.toByteArray(), StandardCharsets.UTF_8))
                            .toList();
        } catch (MalformedMessageException e) {
            throw new AssertionError(e);
        }
    }

    /** The commands that a replica has delivered. */
    List<String> commandsAt(int id) {
        return nodes.get(id).delivered().stream()
                .flatMap(value -> words(value).stream())
                .toList();
    }

    void assertDelivered(String... commands) {
        for (IssNode node : nodes.values()) {
            if (node.isRunning()) {
                assertEquals("replica " + node.id(), List.of(commands), commandsAt(node.id()));
            }
        }
    }
}
