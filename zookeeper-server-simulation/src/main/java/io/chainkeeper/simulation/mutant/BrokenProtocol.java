package io.chainkeeper.simulation.mutant;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.LogTraces;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.SettingKeys;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A protocol whose host, log or application does not keep one side of the contract; everything else passes through. */
public final class BrokenProtocol implements OrderingProtocolFactory {
    private final OrderingProtocolFactory sound;
    private final ContractRule missing;

    /**
     * @param sound the protocol
     * @param missing what does not hold from now on
     */
    public BrokenProtocol(OrderingProtocolFactory sound, ContractRule missing) {
        this.sound = sound;
        this.missing = missing;
    }

    @Override
    public String name() {
        return sound.name();
    }

    @Override
    public SettingKeys settings() {
        return sound.settings();
    }

    @Override
    public MessageCodec codec() {
        return sound.codec();
    }

    @Override
    public int streamCount(int memberCount) {
        return sound.streamCount(memberCount);
    }

    @Override
    public SharedDiskFormat sharedDisks() {
        return sound.sharedDisks();
    }

    @Override
    public int promiseKind() {
        return missing == ContractRule.STATE_COMES_WITH_ITS_PROMISE ? NO_KIND : sound.promiseKind();
    }

    @Override
    public boolean mayHaveWritten(LogTraces traces) {
        return sound.mayHaveWritten(traces);
    }

    @Override
    public String describe(LogRecord record) throws MalformedMessageException {
        return sound.describe(record);
    }

    @Override
    public List<String> rules() {
        return sound.rules();
    }

    @Override
    public OrderingProtocolFactory without(String rule) {
        return new BrokenProtocol(sound.without(rule), missing);
    }

    @Override
    public OrderingProtocol create(ProtocolContext context, Effects effects) {
        BrokenEffects broken = new BrokenEffects(effects);
        return new Running(sound.create(context, broken), effects, broken);
    }

    private final class BrokenEffects implements Effects {
        private final Effects effects;
        private long appended;

        /** What was lost from the log, and the hash as if nothing was. */
        private final Map<Long, ByteSlice> lost = new TreeMap<>();

        private long trueHash;

        private BrokenEffects(Effects effects) {
            this.effects = effects;
        }

        @Override
        public void send(int to, Message message) {
            effects.send(to, message);
        }

        @Override
        public void sendAfter(long logSequence, int to, Message message) {
            long claimed = switch (missing) {
                case PROMISE_LEAVES_BEHIND_ITS_RECORD -> 0;
                case PROMISE_RESTS_ON_ITS_OWN_RECORD -> Math.min(1, logSequence);
                default -> logSequence;
            };
            effects.sendAfter(claimed, to, message);
        }

        @Override
        public long append(LogRecord record) {
            appended = effects.append(record);
            return appended;
        }

        @Override
        public void deliver(long position, ByteSlice value, long prefixHash) {
            if (missing == ContractRule.LOG_HOLDS_WHAT_WAS_WRITTEN) {
                ByteSlice right = lost.getOrDefault(position, value);
                trueHash = PrefixHash.next(trueHash, position, right);
                effects.deliver(position, right, trueHash);
            } else {
                effects.deliver(position, value, prefixHash);
            }
        }

        @Override
        public void barrierReached(long token) {
            if (missing != ContractRule.READ_WAITS_FOR_ITS_BARRIER) {
                effects.barrierReached(token);
            }
        }

        @Override
        public void wantCheckpoint() {
            effects.wantCheckpoint();
        }

        @Override
        public void truncate(long belowPosition) {
            effects.truncate(belowPosition);
        }

        @Override
        public void readLog(long fromPosition, int maxBytes) {
            effects.readLog(fromPosition, maxBytes);
        }

        @Override
        public void needState(int fromPeer, long position) {
            effects.needState(fromPeer, position);
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
            effects.writeBlocks(disk, offset, bytes);
        }

        @Override
        public void readBlocks(int disk, long offset, int length) {
            effects.readBlocks(disk, offset, length);
        }

        @Override
        public void refuse(int from, String reason) {
            effects.refuse(from, reason);
        }

        @Override
        public void orderContradicted(int peer, String difference) {
            effects.orderContradicted(peer, difference);
        }
    }

    private final class Running implements OrderingProtocol {
        private final OrderingProtocol protocol;
        private final Effects effects;
        private final BrokenEffects broken;
        private long told;

        private Running(OrderingProtocol protocol, Effects effects, BrokenEffects broken) {
            this.protocol = protocol;
            this.effects = effects;
            this.broken = broken;
        }

        @Override
        public void onStart(RecoveredState recovered) {
            broken.trueHash = recovered.appliedPrefixHash();
            protocol.onStart(new ForgetfulState(recovered, broken.lost));
        }

        @Override
        public int quietTicks() {
            return protocol.quietTicks();
        }

        @Override
        public void onTick() {
            protocol.onTick();
        }

        @Override
        public void onPropose(ProposedCommand command) {
            if (missing != ContractRule.EVERY_COMMAND_IS_ORDERED || command.sequence() % 10 != 0) {
                protocol.onPropose(command);
            }
        }

        @Override
        public void onMessage(int from, Message message) {
            protocol.onMessage(from, message);
        }

        @Override
        public void onDurable(long logSequence) {
            if (missing != ContractRule.PROMISE_LEAVES_BEHIND_ITS_RECORD) {
                protocol.onDurable(logSequence);
            }
        }

        @Override
        public void onPeerUp(int peer) {
            protocol.onPeerUp(peer);
        }

        @Override
        public void onPeerDown(int peer) {
            protocol.onPeerDown(peer);
        }

        @Override
        public void onReadBarrier(long token) {
            if (missing == ContractRule.READ_WAITS_FOR_ITS_BARRIER) {
                effects.barrierReached(token);
            } else {
                protocol.onReadBarrier(token);
            }
        }

        @Override
        public void onLogRead(long fromPosition, List<LogRecord> records) {
            protocol.onLogRead(fromPosition, records);
        }

        @Override
        public void onCheckpoint(long position) {
            protocol.onCheckpoint(position);
        }

        @Override
        public void onExecuted(long position) {
            protocol.onExecuted(position);
        }

        @Override
        public void onEnsemble(Ensemble ensemble) {
            protocol.onEnsemble(ensemble);
        }

        @Override
        public void onLeave() {
            protocol.onLeave();
        }

        @Override
        public void onBlocksWritten(int disk, long offset, int length) {
            protocol.onBlocksWritten(disk, offset, length);
        }

        @Override
        public void onBlocksRead(int disk, long offset, ByteSlice bytes) {
            protocol.onBlocksRead(disk, offset, bytes);
        }

        @Override
        public void onDiskFailed(int disk, String reason) {
            protocol.onDiskFailed(disk, reason);
        }

        @Override
        public void onBatchEnd() {
            protocol.onBatchEnd();
            while (missing == ContractRule.PROMISE_LEAVES_BEHIND_ITS_RECORD && told < broken.appended) {
                told = broken.appended;
                protocol.onDurable(told);
                protocol.onBatchEnd();
            }
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
            protocol.tellOccupancy(occupancy);
        }
    }

    private final class ForgetfulState implements RecoveredState {
        private final RecoveredState recovered;
        private final Map<Long, ByteSlice> lost;

        private ForgetfulState(RecoveredState recovered, Map<Long, ByteSlice> lost) {
            this.recovered = recovered;
            this.lost = lost;
        }

        private LogRecord asRead(LogRecord record) {
            boolean isLost =
                    missing == ContractRule.LOG_HOLDS_WHAT_WAS_WRITTEN && record.position() == appliedPosition() + 1;
            if (!isLost || BatchCodec.isMembership(record.body())) {
                return record;
            }
            lost.put(record.position(), record.body());
            return new LogRecord(record.position(), record.kind(), record.head(), BatchCodec.NO_OP);
        }

        private boolean valuesForgotten() {
            return missing == ContractRule.VALUES_ARE_REMEMBERED;
        }

        @Override
        public long appliedPosition() {
            return recovered.appliedPosition();
        }

        @Override
        public long appliedPrefixHash() {
            return recovered.appliedPrefixHash();
        }

        @Override
        public Membership membership() {
            return recovered.membership();
        }

        @Override
        public LogRecord metadata(int kind) {
            boolean isOfDisk = kind == ReplicaIdentity.DISK || kind == ReplicaIdentity.COMPANIONS;
            return missing == ContractRule.PROMISES_ARE_REMEMBERED && !isOfDisk ? null : recovered.metadata(kind);
        }

        @Override
        public long firstPosition() {
            return valuesForgotten() ? 0 : recovered.firstPosition();
        }

        @Override
        public long lastPosition() {
            return valuesForgotten() ? 0 : recovered.lastPosition();
        }

        @Override
        public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {
            if (!valuesForgotten()) {
                recovered.forEachPosition(fromPosition, record -> visitor.accept(asRead(record)));
            }
        }

        /** What is lost depends on bodies. */
        @Override
        public void forEachHead(long fromPosition, Consumer<LogRecord> visitor) {
            forEachPosition(fromPosition, visitor);
        }
    }
}
