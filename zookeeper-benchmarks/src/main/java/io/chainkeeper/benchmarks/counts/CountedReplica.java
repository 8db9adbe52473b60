package io.chainkeeper.benchmarks.counts;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.replica.RecordedProtocol;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * One replica: the protocol's object, with the time that its processor and its disk take. All inputs that have come
 * while the processor was busy are one batch, as in a server.
 */
final class CountedReplica implements Effects {
    static final int TICK_MILLIS = 50;

    /** Like a server that checkpoints now and then, so that memory stays bounded. */
    private static final int CHECKPOINT_POSITIONS = 1_000;

    private record Held(long logSequence, int to, Message message) {}

    private record Outgoing(int to, Message message) {}

    private final int id;
    private final CountedEnsemble ensemble;
    private final Conditions conditions;
    private final OrderingProtocol protocol;
    private final Deque<Runnable> inbox = new ArrayDeque<>();
    private final Deque<Held> held = new ArrayDeque<>();
    private final List<Outgoing> outgoing = new ArrayList<>();
    private boolean runs;
    private boolean forces;
    private long busyUntil;
    private int executed;
    private final List<Long> answers = new ArrayList<>();
    private long appended;
    private long durable;
    private long checkpoint;
    private long proposed;
    long delivered;

    CountedReplica(int id, CountedEnsemble ensemble, Conditions conditions) {
        this.id = id;
        this.ensemble = ensemble;
        this.conditions = conditions;
        Random random = new Random(id);
        ProtocolContext context = new ProtocolContext(id, 1, ensemble.ids(), Map.of(), random::nextInt, TICK_MILLIS);
        this.protocol =
                RecordedProtocol.create(this, effects -> ensemble.factory().create(context, effects));
    }

    void start() {
        input(() -> protocol.onStart(new EmptyLog()));
        ensemble.ids().stream().filter(peer -> peer != id).forEach(peer -> input(() -> protocol.onPeerUp(peer)));
    }

    OrderingStatus status() {
        return protocol.status();
    }

    void tick() {
        input(protocol::onTick);
    }

    void receive(int from, Message message) {
        input(() -> protocol.onMessage(from, message));
        busyUntil = Math.max(busyUntil, ensemble.now()) + conditions.messageMicros();
    }

    /** A client asks for the next command. */
    void propose(ByteSlice command) {
        ProposedCommand next = new ProposedCommand(id, 1, 0, ++proposed, command);
        ensemble.asked(id, proposed);
        input(() -> protocol.onPropose(next));
    }

    private void input(Runnable call) {
        inbox.add(call);
        if (!runs) {
            runs = true;
            ensemble.at(Math.max(ensemble.now(), busyUntil), this::runBatch);
        }
    }

    private void runBatch() {
        if (busyUntil > ensemble.now()) {
            ensemble.at(busyUntil, this::runBatch);
            return;
        }
        runs = false;
        while (!inbox.isEmpty()) {
            inbox.remove().run();
        }
        protocol.onBatchEnd();
        long sent = ensemble.now() + (long) outgoing.size() * conditions.messageMicros();
        for (Outgoing next : outgoing) {
            ensemble.transmit(sent + conditions.hopMicros(), id, next.to(), next.message());
        }
        outgoing.clear();
        busyUntil = sent + (long) executed * conditions.commandMicros();
        executed = 0;
        for (long sequence : answers) {
            ensemble.at(busyUntil, () -> ensemble.answered(id, sequence));
        }
        answers.clear();
        force();
        if (delivered - checkpoint >= CHECKPOINT_POSITIONS) {
            checkpoint = delivered;
            long position = checkpoint;
            input(() -> protocol.onCheckpoint(position));
        }
    }

    private void force() {
        if (forces || durable == appended) {
            return;
        }
        forces = true;
        long forced = appended;
        ensemble.forced();
        ensemble.at(ensemble.now() + conditions.forceMicros(), () -> {
            forces = false;
            input(() -> forced(forced));
            force();
        });
    }

    private void forced(long sequence) {
        durable = sequence;
        while (!held.isEmpty() && held.peek().logSequence() <= durable) {
            Held next = held.remove();
            outgoing.add(new Outgoing(next.to(), next.message()));
        }
        protocol.onDurable(durable);
    }

    @Override
    public void send(int to, Message message) {
        outgoing.add(new Outgoing(to, message));
    }

    @Override
    public void sendAfter(long logSequence, int to, Message message) {
        if (logSequence <= durable) {
            send(to, message);
        } else {
            held.add(new Held(logSequence, to, message));
        }
    }

    @Override
    public long append(LogRecord record) {
        ensemble.appended();
        return ++appended;
    }

    @Override
    public void deliver(long position, ByteSlice value, long prefixHash) {
        delivered = position;
        boolean hasCommands = !BatchCodec.isMembership(value) && !BatchCodec.isNote(value);
        List<ProposedCommand> commands = hasCommands ? decode(value) : List.of();
        if (id == 1) {
            ensemble.ordered(commands.size());
        }
        executed += commands.size();
        for (ProposedCommand command : commands) {
            if (command.proposer() == id) {
                answers.add(command.sequence());
            }
        }
    }

    private static List<ProposedCommand> decode(ByteSlice value) {
        try {
            return BatchCodec.decode(value);
        } catch (MalformedMessageException e) {
            throw new IllegalStateException("a delivered value does not decode", e);
        }
    }

    @Override
    public void barrierReached(long token) {}

    @Override
    public void truncate(long belowPosition) {}

    @Override
    public void readLog(long fromPosition, int maxBytes) {
        throw new IllegalStateException("replica " + id + " reads its log at position " + fromPosition);
    }

    @Override
    public void needState(int fromPeer, long position) {
        throw new IllegalStateException("replica " + id + " lacks position " + position);
    }

    @Override
    public void statusChanged(OrderingStatus status) {}

    @Override
    public void memberSilent(int member, boolean silent) {}

    private static final class EmptyLog implements RecoveredState {
        @Override
        public long appliedPosition() {
            return 0;
        }

        @Override
        public LogRecord metadata(int kind) {
            return null;
        }

        @Override
        public long firstPosition() {
            return 0;
        }

        @Override
        public long lastPosition() {
            return 0;
        }

        @Override
        public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {}
    }
}
