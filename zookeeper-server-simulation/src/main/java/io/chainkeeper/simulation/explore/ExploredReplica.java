package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.PromiseRule;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.RecordedProtocol;
import io.chainkeeper.simulation.explore.LocalEffect.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * One replica: the real protocol object, a host that does what the contract of {@code io.chainkeeper.ordering} asks,
 * and a disk. What is delivered is executed at once. Fields that are not transient are its state.
 */
final class ExploredReplica implements Effects {
    private record Parked(long logSequence, int to, long linkEpoch, Message message) {}

    private final transient int id;
    private final transient ReplicaMaker maker;
    private final transient Deque<Runnable> followUps = new ArrayDeque<>();
    private transient List<LocalEffect> effects = new ArrayList<>();

    /** Whether further inputs follow before the batch ends. */
    private transient boolean moreInBatch;

    private final ExploredDisk disk = new ExploredDisk();
    private long incarnation;

    /** Whether it has learned of the change of the ensemble, and whether this incarnation started with it. */
    private boolean knowsChange;

    private boolean startedWithChange;

    private OrderingProtocol protocol;
    private final Deque<LogRecord> unstable = new ArrayDeque<>();
    private final Deque<Parked> parked = new ArrayDeque<>();
    private final TreeSet<Long> openReads = new TreeSet<>();
    private final long[] linkEpochs;
    private final boolean[] linkUp;
    private ProposerTable proposers;
    private long durableSequence;
    private long lastDelivered;
    private long lastSequence;
    private long lastToken;
    private int answeredWrites;
    private int applied;
    private Membership membership;

    /** Whose state it has asked for last, 0 if nobody's. */
    private int wantsStateOf;

    /** Number of the state that has been fetched, 0 if none. */
    private int fetched;

    /** The checkpoint that is being written; null if none is. */
    private ExploredCheckpoint taken;

    ExploredReplica(int id, ReplicaMaker maker) {
        this.id = id;
        this.maker = maker;
        this.linkEpochs = new long[maker.replicas() + 1];
        this.linkUp = new boolean[maker.replicas() + 1];
    }

    /** One input; returns what others can notice of it. */
    List<LocalEffect> accept(LocalInput input) {
        effects = new ArrayList<>();
        switch (input.kind()) {
            case START -> start();
            case CRASH -> crash(input.number());
            case SYNC -> sync(unstable.size());
            case SYNC_ONE -> sync(1);
            case PROPOSE -> propose();
            case READ -> read();
            case TICK -> tick(input.number());
            case CHECKPOINT -> takeCheckpoint();
            case KEEP -> keepCheckpoint();
            case LOSE_CHECKPOINT -> disk.loseCheckpoint();
            case FETCH -> fetched = input.number();
            case BATCH -> batch(maker.batch(input.number()), input.peer());
            case ENSEMBLE -> {
                knowsChange = true;
                if (isRunning()) {
                    call(running -> running.onEnsemble(maker.next()));
                }
            }
            case INSTALL -> disk.install(maker.state(input.number()));
            case BLOCKS -> answered(input.peer(), maker.shared().answer(input.number()));
            case DISK_FAILED -> call(running -> running.onDiskFailed(input.peer() - 1, "it does not answer"));
            case FRAME -> receive(input.peer(), maker.frames().get(input.number()));
            case PEER_UP -> {
                linkUp[input.peer()] = true;
                linkEpochs[input.peer()]++;
                call(running -> running.onPeerUp(input.peer()));
            }
            case PEER_DOWN -> {
                linkUp[input.peer()] = false;
                call(running -> running.onPeerDown(input.peer()));
            }
            default -> throw new IllegalStateException("unknown input " + input);
        }
        return effects;
    }

    private void start() {
        incarnation++;
        disk.beginStart(maker);
        ExploredCheckpoint checkpoint = disk.checkpoint();
        startedWithChange = knowsChange;
        proposers = proposersOf(checkpoint);
        membership = checkpoint.membership();
        lastDelivered = checkpoint.position();
        applied = checkpoint.applied();
        protocol = RecordedProtocol.create(this, effects -> maker.create(id, incarnation, knowsChange, effects));
        call(running -> running.onStart(disk.recovered(proposers.prefixHash())));
    }

    private static ProposerTable proposersOf(ExploredCheckpoint checkpoint) {
        try {
            return checkpoint.proposers() == null ? new ProposerTable() : ProposerTable.decode(checkpoint.proposers());
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("a proposer table does not decode: " + e.getMessage());
        }
    }

    private void takeCheckpoint() {
        taken = new ExploredCheckpoint(lastDelivered, applied, proposers.encode(), membership);
        if (!maker.has(Scope.Detail.OLDER_CHECKPOINTS)) {
            keepCheckpoint();
        }
    }

    private void keepCheckpoint() {
        disk.keep(taken, maker.has(Scope.Detail.OLDER_CHECKPOINTS));
        taken = null;
        call(running -> running.onCheckpoint(disk.coveredPosition()));
    }

    private void batch(List<OnTheWay> frames, int besides) {
        moreInBatch = true;
        frames.forEach(each -> receive(each.from(), maker.frames().get(each.frame())));
        if ((besides & Choice.AND_WRITE) != 0) {
            propose();
        }
        if ((besides & Choice.AND_DURABLE) != 0) {
            sync(unstable.size());
        }
        moreInBatch = false;
        endBatch();
    }

    private void crash(int survivors) {
        for (int i = 0; i < survivors; i++) {
            disk.keep(unstable.removeFirst());
        }
        protocol = null;
        proposers = null;
        unstable.clear();
        parked.clear();
        openReads.clear();
        Arrays.fill(linkEpochs, 0);
        Arrays.fill(linkUp, false);
        durableSequence = 0;
        lastDelivered = 0;
        lastSequence = 0;
        lastToken = 0;
        answeredWrites = 0;
        applied = 0;
        membership = null;
        wantsStateOf = 0;
        fetched = 0;
        taken = null;
        startedWithChange = false;
    }

    private void sync(int records) {
        for (int i = 0; i < records; i++) {
            disk.keep(unstable.removeFirst());
        }
        durableSequence += records;
        Iterator<Parked> each = parked.iterator();
        while (each.hasNext()) {
            Parked next = each.next();
            if (next.logSequence() <= durableSequence) {
                each.remove();
                leave(next.to(), next.linkEpoch(), next.message());
            }
        }
        call(running -> running.onDurable(durableSequence));
    }

    private void propose() {
        lastSequence++;
        ProposedCommand command = maker.commandOf(id, incarnation, lastSequence);
        call(running -> running.onPropose(command));
    }

    private void read() {
        long token = ++lastToken;
        openReads.add(token);
        effects.add(new LocalEffect(Kind.READ_ASKED, (int) token, 0, applied));
        call(running -> running.onReadBarrier(token));
    }

    private void tick(int ticks) {
        for (int i = 0; i < ticks; i++) {
            call(OrderingProtocol::onTick);
        }
    }

    private void receive(int from, ByteSlice frame) {
        try {
            Message message = maker.codec().decode(frame);
            call(running -> running.onMessage(from, message));
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("codec: an encoded message does not decode: " + e.getMessage());
        }
    }

    /** Shared disks have numbers from 1 here, and from 0 in the contract. */
    private void answered(int disk, SharedBlocks.Answer answer) {
        SharedBlocks.Request request = answer.request();
        if (request.isWrite()) {
            call(running -> running.onBlocksWritten(disk - 1, request.offset(), request.length()));
        } else {
            ByteSlice bytes = maker.shared().bytes(disk - 1, answer);
            call(running -> running.onBlocksRead(disk - 1, request.offset(), bytes));
        }
    }

    private void call(Consumer<OrderingProtocol> input) {
        input.accept(protocol);
        if (!moreInBatch) {
            endBatch();
        }
    }

    private void endBatch() {
        do {
            while (!followUps.isEmpty()) {
                followUps.removeFirst().run();
            }
            protocol.onBatchEnd();
        } while (!followUps.isEmpty());
    }

    // ---------------------------------------------------------------- effects

    @Override
    public void send(int to, Message message) {
        PromiseRule.checkPlain(message);
        leave(to, linkEpochs[to], message);
    }

    @Override
    public void sendAfter(long logSequence, int to, Message message) {
        PromiseRule.checkBehind(message, logSequence, durableSequence + unstable.size());
        if (logSequence <= durableSequence) {
            leave(to, linkEpochs[to], message);
        } else {
            parked.addLast(new Parked(logSequence, to, linkEpochs[to], message));
        }
    }

    private void leave(int to, long linkEpoch, Message message) {
        InvariantViolated.check(to != id && to >= 1 && to < linkUp.length, "sends to %d, no other member", to);
        PromiseRule.checkKept(id, message, disk);
        if (linkUp[to] && linkEpochs[to] == linkEpoch) {
            int frame = maker.frames().numberOf(join(maker.codec().encode(message)));
            effects.add(new LocalEffect(Kind.SENT, to, frame, applied));
        }
    }

    @Override
    public void writeBlocks(int disk, long offset, ByteSlice bytes) {
        ask(disk, new SharedBlocks.Request(offset, bytes.length(), bytes));
    }

    @Override
    public void readBlocks(int disk, long offset, int length) {
        ask(disk, new SharedBlocks.Request(offset, length, null));
    }

    private void ask(int disk, SharedBlocks.Request request) {
        SharedDisks.check(disk, maker.disks(), request.offset(), request.length());
        effects.add(new LocalEffect(Kind.ASKED, disk + 1, maker.shared().numberOf(request), applied));
    }

    private static ByteSlice join(ByteSlice[] parts) {
        int length = 0;
        for (ByteSlice part : parts) {
            length += part.length();
        }
        ByteBuffer frame = ByteBuffer.allocate(length);
        for (ByteSlice part : parts) {
            frame.put(part.array(), part.offset(), part.length());
        }
        return ByteSlice.of(frame.array());
    }

    @Override
    public long append(LogRecord record) {
        unstable.addLast(record);
        return durableSequence + unstable.size();
    }

    @Override
    public void deliver(long position, ByteSlice value, long prefixHash) {
        InvariantViolated.check(
                position == lastDelivered + 1,
                "contiguous execution: position %d is delivered after %d",
                position,
                lastDelivered);
        lastDelivered = position;
        int number = maker.values().numberOf(value);
        boolean own = false;
        for (ProposedCommand command : commandsIn(value)) {
            if (proposers.advance(command) == ProposerTable.Verdict.APPLY) {
                applied++;
                if (command.proposer() == id && command.incarnation() == incarnation) {
                    own = true;
                    answeredWrites++;
                }
            }
        }
        proposers.positionApplied(prefixHash);
        if (BatchCodec.isMembership(value)) {
            membership = Orders.membershipIn(value);
        }
        effects.add(new LocalEffect(Kind.DELIVERED, (int) position, number, applied));
        if (own) {
            effects.add(new LocalEffect(Kind.WRITE_ANSWERED, (int) position, number, applied));
        }
    }

    /** The commands of a value; none if it is a membership. */
    static List<ProposedCommand> commandsIn(ByteSlice value) {
        try {
            return BatchCodec.isMembership(value) ? List.of() : BatchCodec.decode(value);
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("a delivered value is no batch: " + e.getMessage());
        }
    }

    @Override
    public void barrierReached(long token) {
        InvariantViolated.check(openReads.remove(token), "barrier %d was not asked for or is reached twice", token);
        effects.add(new LocalEffect(Kind.READ_ANSWERED, (int) token, 0, applied));
    }

    @Override
    public void truncate(long belowPosition) {
        disk.truncate(belowPosition);
    }

    @Override
    public void readLog(long fromPosition, int maxBytes) {
        followUps.addLast(() -> {
            NavigableMap<Long, LogRecord> written = disk.positions();
            unstable.stream()
                    .filter(r -> r.position() != LogRecord.METADATA)
                    .forEach(r -> written.put(r.position(), r));
            List<LogRecord> records = new ArrayList<>();
            for (long next = fromPosition; written.containsKey(next); next++) {
                records.add(written.get(next));
            }
            protocol.onLogRead(fromPosition, records);
        });
    }

    @Override
    public void needState(int fromPeer, long position) {
        wantsStateOf = fromPeer;
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        // Nobody who could notice.
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        // Nobody who could notice.
    }

    // ---------------------------------------------------------------- state

    boolean isRunning() {
        return protocol != null;
    }

    OrderingStatus status() {
        return protocol.status();
    }

    int unstableRecords() {
        return unstable.size();
    }

    int openWrites() {
        return (int) lastSequence - answeredWrites;
    }

    int delivered() {
        return (int) lastDelivered;
    }

    ExploredDisk disk() {
        return disk;
    }

    /** Whether a checkpoint is being written. */
    boolean writesCheckpoint() {
        return taken != null;
    }

    /** What goes with its state to others. */
    ByteSlice latestPromise() {
        LogRecord latest = disk.metadata(maker.promiseKind());
        for (LogRecord record : unstable) {
            if (record.position() == LogRecord.METADATA && record.kind() == maker.promiseKind()) {
                latest = record;
            }
        }
        return latest == null ? ByteSlice.EMPTY : latest.head();
    }

    int fetched() {
        return fetched;
    }

    boolean knowsChange() {
        return knowsChange;
    }

    int wantsStateOf() {
        return wantsStateOf;
    }

    boolean[] linksUp() {
        return linkUp.clone();
    }

    /** Numbers of the values that are stable, by position - 1; -1 where there is none. */
    int[] stableValues() {
        return disk.values(maker);
    }
}
