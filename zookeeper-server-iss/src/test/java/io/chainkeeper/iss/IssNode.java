package io.chainkeeper.iss;

import static org.junit.Assert.assertFalse;

import io.chainkeeper.contract.ScriptedHost;
import io.chainkeeper.contract.ScriptedLog;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.replica.RecordedProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** One replica of an {@link IssEnsemble}, over all of its starts. */
final class IssNode extends ScriptedHost {
    static final int TICK_MILLIS = 50;

    private final IssEnsemble ensemble;
    private final List<ByteSlice> delivered = new ArrayList<>();
    private final List<ByteSlice> installed = new ArrayList<>();
    private final List<Long> barriers = new ArrayList<>();
    private long incarnation;
    private long nextSequence;
    private boolean diskHolds;
    private boolean holdsFromEpoch;

    /** How long a forced write takes; and how much of that is left of the present one. */
    private int slowTicks;

    private int leftTicks;

    IssNode(int id, IssEnsemble ensemble) {
        super(id, new ScriptedLog());
        this.ensemble = ensemble;
    }

    void start(long number, Map<String, String> settings, SafetyRules rules, Start kind) {
        incarnation = number;
        nextSequence = 1;
        delivered.clear();
        delivered.addAll(installed);
        SplittableRandom random = new SplittableRandom(ensemble.seed() + id());
        ProtocolContext context =
                new ProtocolContext(id(), number, ensemble.configured(), settings, random::nextInt, TICK_MILLIS, kind);
        start(
                RecordedProtocol.create(this, effects -> IssFactory.create(context, rules, effects)),
                installed.size(),
                installedPrefixHash());
    }

    private long installedPrefixHash() {
        long hash = PrefixHash.EMPTY;
        for (int i = 0; i < installed.size(); i++) {
            hash = PrefixHash.next(hash, i + 1L, installed.get(i));
        }
        return hash;
    }

    /** The disk forgets everything; the replica is down. */
    void loseDisk() {
        assertFalse(isRunning());
        log().lose();
    }

    /** The application gets the state of another replica, as in the product. The replica is down. */
    void installStateOf(IssNode other) {
        assertFalse(isRunning());
        installed.clear();
        installed.addAll(other.delivered);
        log().discardThrough(installed.size());
        log().cover(installed.size());
    }

    /**
     * The newest checkpoint of the application covers so many positions. The log keeps what it holds; the replica may
     * be down, and may have executed more.
     */
    void checkpointAt(int positions) {
        installed.clear();
        installed.addAll(delivered.subList(0, positions));
        log().cover(positions);
    }

    /** Others can no longer be told from its log, until it starts again: what was dropped may be there then. */
    void truncateLog() {
        log().truncate(delivered.size() + 1L);
    }

    /** Whether the durable part of the log holds a position. */
    boolean logHolds(long position) {
        return log().at(position) != null;
    }

    /** The position for which state was last asked of another replica, 0 if never. */
    long stateNeededAt() {
        return needsState().isEmpty() ? 0 : needsState().get(needsState().size() - 1);
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

    /** From now on a forced write takes so long. */
    void slowDisk(int ticks) {
        slowTicks = ticks;
    }

    /** A tick of time passes for the disk. */
    void passAtDisk() {
        leftTicks = Math.max(0, leftTicks - 1);
    }

    @Override
    public boolean sync() {
        return !diskHolds && leftTicks == 0 && super.sync();
    }

    @Override
    public long append(LogRecord record) {
        leftTicks = leftTicks == 0 ? slowTicks : leftTicks;
        diskHolds |= holdsFromEpoch && record.kind() == IssState.EPOCH;
        return super.append(record);
    }

    @Override
    public void truncate(long belowPosition) {
        // Logs of these tests stay whole, unless a test truncates one.
    }

    void receive(int from, Message message) {
        if (isRunning()) {
            input(p -> p.onMessage(from, message));
        }
    }

    void propose(ByteSlice command) {
        ProposedCommand proposed = new ProposedCommand(id(), incarnation, 0, nextSequence++, command);
        input(p -> p.onPropose(proposed));
    }

    List<ByteSlice> delivered() {
        return delivered;
    }

    List<Long> barriers() {
        return barriers;
    }

    @Override
    protected void transmit(int to, Message message) {
        ensemble.send(id(), to, message);
    }

    @Override
    protected void delivered(long position, ByteSlice value) {
        delivered.add(value);
        ensemble.delivered(id(), position, value);
    }

    @Override
    protected void released(long token) {
        barriers.add(token);
    }
}
