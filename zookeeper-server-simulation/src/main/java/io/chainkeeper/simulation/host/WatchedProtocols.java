package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.LogTraces;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.SettingKeys;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.time.Trace;
import java.util.List;
import java.util.Map;

/**
 * A protocol with somebody between it and the product's host, who notes every input and every effect, and checks that
 * the protocol keeps its side of the contract.
 */
final class WatchedProtocols implements OrderingProtocolFactory {
    private final OrderingProtocolFactory factory;
    private final ReplicaHost host;
    private final Frames frames;
    private final ProtocolContext.RandomSource random;
    private final int replicas;
    private final Trace trace;
    private final OrderChecker checker;
    private OrderingProtocol protocol;

    /** Up to here the protocol has been told. */
    private long durable;

    /**
     * @param factory of the protocol
     * @param host that watches
     * @param frames its codec
     * @param random the protocol's chance
     * @param replicas ids 1 to this can be sent to
     * @param trace told of every input and effect
     * @param checker told of every proposal and delivery
     */
    WatchedProtocols(
            OrderingProtocolFactory factory,
            ReplicaHost host,
            Frames frames,
            ProtocolContext.RandomSource random,
            int replicas,
            Trace trace,
            OrderChecker checker) {
        this.factory = factory;
        this.host = host;
        this.frames = frames;
        this.random = random;
        this.replicas = replicas;
        this.trace = trace;
        this.checker = checker;
    }

    /** The protocol itself. */
    OrderingProtocol protocol() {
        return protocol;
    }

    @Override
    public String name() {
        return factory.name();
    }

    @Override
    public SettingKeys settings() {
        return factory.settings();
    }

    @Override
    public MessageCodec codec() {
        return frames;
    }

    @Override
    public int streamCount(int memberCount) {
        return factory.streamCount(memberCount);
    }

    @Override
    public int promiseKind() {
        return factory.promiseKind();
    }

    @Override
    public boolean mayHaveWritten(LogTraces traces) {
        return factory.mayHaveWritten(traces);
    }

    @Override
    public String describe(LogRecord record) throws MalformedMessageException {
        return factory.describe(record);
    }

    @Override
    public SharedDiskFormat sharedDisks() {
        return factory.sharedDisks();
    }

    @Override
    public List<String> rules() {
        return factory.rules();
    }

    @Override
    public OrderingProtocolFactory without(String rule) {
        throw new InvariantViolated("rule " + rule + " is to be taken out before the protocol is watched");
    }

    @Override
    public OrderingProtocol create(ProtocolContext context, Effects effects) {
        ProtocolContext own = new ProtocolContext(
                context.replicaId(),
                context.incarnation(),
                context.ensemble(),
                context.settings(),
                random,
                context.tickMillis(),
                context.start());
        protocol = factory.create(own, new WatchedEffects(effects));
        return new WatchedInputs();
    }

    /** Put into words only if somebody listens. */
    private record Appended(int kind, long sequence) {
        @Override
        public String toString() {
            return "kind " + kind + " as record " + sequence;
        }
    }

    private void note(String what, long number, Object detail) {
        trace.record(host.id(), what, number, detail);
    }

    private final class WatchedInputs implements OrderingProtocol {
        @Override
        public void onStart(RecoveredState recovered) {
            protocol.onStart(recovered);
        }

        @Override
        public void onTick() {
            note("tick", 0, null);
            protocol.onTick();
        }

        @Override
        public int quietTicks() {
            return protocol.quietTicks();
        }

        @Override
        public void onPropose(ProposedCommand command) {
            note("propose", command.sequence(), host.numbered(command));
            checker.proposed(command);
            protocol.onPropose(command);
        }

        @Override
        public void onMessage(int from, Message message) {
            note("receives from", from, message);
            protocol.onMessage(from, message);
        }

        @Override
        public void onDurable(long logSequence) {
            note("durable up to", logSequence, null);
            durable = logSequence;
            protocol.onDurable(logSequence);
        }

        @Override
        public void onPeerUp(int peer) {
            note("peer up", peer, null);
            protocol.onPeerUp(peer);
        }

        @Override
        public void onPeerDown(int peer) {
            note("peer down", peer, null);
            protocol.onPeerDown(peer);
        }

        @Override
        public void onReadBarrier(long token) {
            note("read barrier", token, null);
            host.barrierAsked(token);
            protocol.onReadBarrier(token);
        }

        @Override
        public void onLogRead(long fromPosition, List<LogRecord> records) {
            note("log read from", fromPosition, records.size());
            protocol.onLogRead(fromPosition, records);
        }

        @Override
        public void onCheckpoint(long position) {
            note("checkpoint", position, null);
            protocol.onCheckpoint(position);
        }

        /** Not noted: what was executed is. */
        @Override
        public void onExecuted(long position) {
            protocol.onExecuted(position);
        }

        @Override
        public void onEnsemble(Ensemble ensemble) {
            note("ensemble", 0, ensemble);
            protocol.onEnsemble(ensemble);
        }

        @Override
        public void onBlocksWritten(int disk, long offset, int length) {
            note("written to disk", disk, offset);
            protocol.onBlocksWritten(disk, offset, length);
        }

        @Override
        public void onBlocksRead(int disk, long offset, ByteSlice bytes) {
            note("read from disk", disk, offset);
            protocol.onBlocksRead(disk, offset, bytes);
        }

        @Override
        public void onDiskFailed(int disk, String reason) {
            note("disk failed", disk, reason);
            protocol.onDiskFailed(disk, reason);
        }

        @Override
        public void onLeave() {
            note("leaves", 0, null);
            protocol.onLeave();
        }

        @Override
        public void onBatchEnd() {
            protocol.onBatchEnd();
            host.worked();
        }

        @Override
        public OrderingStatus status() {
            return protocol.status();
        }

        @Override
        public Map<String, Long> gauges() {
            return protocol.gauges();
        }

        @Override
        public void tellOccupancy(Occupancy occupancy) {
            if (host.hasWorked()) {
                protocol.tellOccupancy(occupancy);
            }
        }
    }

    private final class WatchedEffects implements Effects {
        private final Effects effects;

        private WatchedEffects(Effects effects) {
            this.effects = effects;
        }

        private void checkAddressee(int to) {
            boolean exists = to != host.id() && to >= 1 && to <= replicas;
            InvariantViolated.check(exists, "replica %d sends to %d, which is no other replica", host.id(), to);
        }

        /** No replica means harm here: a refusal is a defect of whoever sent, or of whoever refuses. */
        @Override
        public void refuse(int from, String reason) {
            throw new InvariantViolated("replica " + host.id() + " refuses a message: replica " + from + " " + reason);
        }

        @Override
        public void orderContradicted(int peer, String difference) {
            throw new InvariantViolated("agreement: replica " + peer + " holds another order than replica " + host.id()
                    + ": " + difference);
        }

        @Override
        public void send(int to, Message message) {
            checkAddressee(to);
            effects.send(to, message);
        }

        @Override
        public void sendAfter(long logSequence, int to, Message message) {
            checkAddressee(to);
            if (logSequence > durable) {
                note("parks until durable", logSequence, message);
            }
            host.links().asked(to, message);
            effects.sendAfter(logSequence, to, message);
        }

        @Override
        public long append(LogRecord record) {
            InvariantViolated.check(
                    record.kind() < LogRecord.FIRST_HOST_KIND, "record kind %d belongs to the host", record.kind());
            host.sees(Slack.ONE_RECORD, record.head().length() + record.body().length());
            host.sees(Slack.ONE_VALUE, record.body().length());
            long sequence = effects.append(record);
            note("appends position", record.position(), new Appended(record.kind(), sequence));
            host.replica().queued(record);
            return sequence;
        }

        @Override
        public void deliver(long position, ByteSlice value, long prefixHash) {
            host.delivers(position);
            host.sees(Slack.ONE_VALUE, value.length() + ReplicaLimits.COMMAND_COST_BYTES);
            note("delivers", position, value);
            checker.delivered(host.id(), position, value, prefixHash);
            effects.deliver(position, value, prefixHash);
        }

        @Override
        public void barrierReached(long token) {
            host.barrierReached(token);
            note("barrier reached", token, null);
            effects.barrierReached(token);
        }

        @Override
        public void truncate(long belowPosition) {
            long covered = host.replica().oldestCheckpoint();
            InvariantViolated.check(
                    belowPosition <= covered + 1,
                    "replica %d truncates below %d, its oldest checkpoint covers %d",
                    host.id(),
                    belowPosition,
                    covered);
            note("truncates below", belowPosition, null);
            host.replica().truncationQueued(belowPosition);
            effects.truncate(belowPosition);
        }

        @Override
        public void readLog(long fromPosition, int maxBytes) {
            host.replica().log().readAsked(fromPosition, maxBytes);
            effects.readLog(fromPosition, maxBytes);
        }

        @Override
        public void needState(int fromPeer, long position) {
            checkAddressee(fromPeer);
            effects.needState(fromPeer, position);
        }

        @Override
        public void wantCheckpoint() {
            note("wants a checkpoint", host.position(), null);
            effects.wantCheckpoint();
        }

        @Override
        public void statusChanged(OrderingStatus status) {
            effects.statusChanged(status);
        }

        @Override
        public void memberSilent(int member, boolean silent) {
            effects.memberSilent(member, silent);
        }

        @Override
        public void writeBlocks(int disk, long offset, ByteSlice bytes) {
            note("asks to write to disk", disk, offset);
            effects.writeBlocks(disk, offset, bytes);
        }

        @Override
        public void readBlocks(int disk, long offset, int length) {
            note("asks to read from disk", disk, offset);
            effects.readBlocks(disk, offset, length);
        }

        // Refusing and contradicting are defects here: see the interface.
    }
}
