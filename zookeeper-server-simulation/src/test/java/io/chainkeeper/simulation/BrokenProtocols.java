package io.chainkeeper.simulation;

import io.chainkeeper.chain.ChainHellos;
import io.chainkeeper.iss.IssHellos;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.SettingKeys;
import io.chainkeeper.ordering.acceptor.FoundingHello;
import io.chainkeeper.ordering.acceptor.ReplicaIdentity;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Wraps a protocol and breaks one of its promises, to show that the checkers notice. */
public final class BrokenProtocols implements OrderingProtocolFactory {
    /** Which promise. */
    public enum Flaw {
        /** Reads are released when they arrive. */
        BARRIER_AT_ONCE,
        /** Records count as durable as soon as they are appended, and promises that rest on them leave. */
        ACKNOWLEDGED_BEFORE_DURABLE,
        /** Promises leave as if what they rest on were an old record. */
        PROMISES_REST_ON_ANYTHING,
        /** A restart forgets what was promised. It still knows its disk: else it could not vote at all. */
        PROMISE_FORGOTTEN_AT_RESTART,
        /** A restart forgets what was accepted. */
        VALUES_FORGOTTEN_AT_RESTART,
        /** A restart reads nothing where its log holds a value; the host and its checkers see what should be there. */
        VALUE_LOST_FROM_LOG,
        /** Every tenth command is never ordered. */
        COMMANDS_LOST,
        /** A founder that has promised nothing stands for every disk that it meets, not only for its companions. */
        FOUNDERS_STAND_FOR_EVERYBODY,
        /** A restart forgets that the disk has founded the cluster; without promises it then counts as blank. */
        FOUNDING_FORGOTTEN_AT_RESTART
    }

    private final OrderingProtocolFactory sound;
    private final Flaw flaw;

    /**
     * @param sound the protocol
     * @param flaw what is wrong with it from now on
     */
    public BrokenProtocols(OrderingProtocolFactory sound, Flaw flaw) {
        this.sound = sound;
        this.flaw = flaw;
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
    public int promiseKind() {
        return sound.promiseKind();
    }

    @Override
    public OrderingProtocol create(ProtocolContext context, Effects effects) {
        BrokenEffects broken = new BrokenEffects(effects);
        return new BrokenProtocol(sound.create(context, broken), context.replicaId(), effects, broken);
    }

    private final class BrokenEffects implements Effects {
        private final Effects effects;
        private long appended;

        /** What was lost from the log, and the hash as if nothing was. */
        private final Map<Long, ByteSlice> lost = new TreeMap<>();

        private long trueHash;

        /** Number of the disk. */
        private long disk;

        private BrokenEffects(Effects effects) {
            this.effects = effects;
        }

        @Override
        public void send(int to, Message message) {
            effects.send(to, message);
        }

        @Override
        public void sendAfter(long logSequence, int to, Message message) {
            long claimed = switch (flaw) {
                case ACKNOWLEDGED_BEFORE_DURABLE -> 0;
                case PROMISES_REST_ON_ANYTHING -> Math.min(1, logSequence);
                default -> logSequence;
            };
            effects.sendAfter(claimed, to, message);
        }

        @Override
        public long append(LogRecord record) {
            if (record.position() == LogRecord.METADATA && record.kind() == ReplicaIdentity.DISK) {
                disk = numberIn(record);
            }
            appended = effects.append(record);
            return appended;
        }

        @Override
        public void deliver(long position, ByteSlice value, long prefixHash) {
            if (flaw == Flaw.VALUE_LOST_FROM_LOG) {
                ByteSlice right = lost.getOrDefault(position, value);
                trueHash = PrefixHash.next(trueHash, position, right);
                effects.deliver(position, right, trueHash);
            } else {
                effects.deliver(position, value, prefixHash);
            }
        }

        @Override
        public void barrierReached(long token) {
            if (flaw != Flaw.BARRIER_AT_ONCE) {
                effects.barrierReached(token);
            }
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
    }

    private final class BrokenProtocol implements OrderingProtocol {
        private final OrderingProtocol protocol;
        private final int id;
        private final Effects effects;
        private final BrokenEffects broken;
        private long told;

        private BrokenProtocol(OrderingProtocol protocol, int id, Effects effects, BrokenEffects broken) {
            this.protocol = protocol;
            this.id = id;
            this.effects = effects;
            this.broken = broken;
        }

        @Override
        public void onStart(RecoveredState recovered) {
            broken.trueHash = recovered.appliedPrefixHash();
            LogRecord disk = recovered.metadata(ReplicaIdentity.DISK);
            broken.disk = disk == null ? 0 : numberIn(disk);
            protocol.onStart(new ForgetfulState(recovered, broken.lost));
        }

        @Override
        public void onTick() {
            protocol.onTick();
        }

        @Override
        public void onPropose(ProposedCommand command) {
            if (flaw != Flaw.COMMANDS_LOST || command.sequence() % 10 != 0) {
                protocol.onPropose(command);
            }
        }

        @Override
        public void onMessage(int from, Message message) {
            if (flaw == Flaw.FOUNDERS_STAND_FOR_EVERYBODY) {
                Message ofChain = ChainHellos.changed(message, this::asCompanion);
                protocol.onMessage(from, IssHellos.changed(ofChain, this::asCompanion));
            } else {
                protocol.onMessage(from, message);
            }
        }

        private FoundingHello asCompanion(FoundingHello said) {
            return new FoundingHello(
                    said.disk(),
                    said.promisedNothing(),
                    said.founder(),
                    said.participants(),
                    said.founder() ? List.of(new Member(id, broken.disk)) : List.of());
        }

        @Override
        public void onDurable(long logSequence) {
            if (flaw != Flaw.ACKNOWLEDGED_BEFORE_DURABLE) {
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
            if (flaw == Flaw.BARRIER_AT_ONCE) {
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
        public void onEnsemble(Ensemble ensemble) {
            protocol.onEnsemble(ensemble);
        }

        @Override
        public void onBatchEnd() {
            protocol.onBatchEnd();
            while (flaw == Flaw.ACKNOWLEDGED_BEFORE_DURABLE && told < broken.appended) {
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
    }

    private static long numberIn(LogRecord ofDisk) {
        return ofDisk.head().asByteBuffer().getLong();
    }

    private static LogRecord asOfNoFounder(LogRecord ofDisk) {
        byte[] head = new byte[Long.BYTES + 1];
        ByteBuffer.wrap(head).putLong(numberIn(ofDisk));
        return new LogRecord(ofDisk.position(), ofDisk.kind(), ByteSlice.of(head), ofDisk.body());
    }

    private final class ForgetfulState implements RecoveredState {
        private final RecoveredState recovered;
        private final Map<Long, ByteSlice> lost;

        private ForgetfulState(RecoveredState recovered, Map<Long, ByteSlice> lost) {
            this.recovered = recovered;
            this.lost = lost;
        }

        private LogRecord asRead(LogRecord record) {
            boolean isLost = flaw == Flaw.VALUE_LOST_FROM_LOG && record.position() == appliedPosition() + 1;
            if (!isLost || BatchCodec.isMembership(record.body())) {
                return record;
            }
            lost.put(record.position(), record.body());
            return new LogRecord(record.position(), record.kind(), record.head(), BatchCodec.NO_OP);
        }

        private boolean valuesForgotten() {
            return flaw == Flaw.VALUES_FORGOTTEN_AT_RESTART;
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
        public LogRecord metadata(int kind) {
            if (flaw == Flaw.FOUNDING_FORGOTTEN_AT_RESTART) {
                LogRecord record = recovered.metadata(kind);
                return kind == ReplicaIdentity.DISK && record != null ? asOfNoFounder(record) : record;
            }
            boolean isOfDisk = kind == ReplicaIdentity.DISK || kind == ReplicaIdentity.COMPANIONS;
            return flaw == Flaw.PROMISE_FORGOTTEN_AT_RESTART && !isOfDisk ? null : recovered.metadata(kind);
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
    }
}
