package io.chainkeeper.replica;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.PromiseRule;
import java.util.ArrayDeque;

/**
 * The effects that a protocol asks for during an input. The host carries them out, in order, when the input has ended;
 * if the input fails, it carries out none of them. Used by one thread at a time.
 */
final class RecordedEffects implements Effects {
    /** A start asks for the execution of everything that the log holds, which must not lie in memory all at once. */
    private static final int MAX_WHILE_STARTING = 16;

    private final Effects host;
    private final ArrayDeque<Runnable> effects = new ArrayDeque<>();
    private long appended;
    private boolean isOpen;
    private boolean isStarting;

    /** @param host carries out what was recorded; calls nothing back */
    RecordedEffects(Effects host) {
        this.host = host;
    }

    /** An input begins. */
    void begin() {
        isOpen = true;
    }

    /** The start begins. Its effects are carried out in steps, in order, because nothing bounds their number. */
    void beginStart() {
        begin();
        isStarting = true;
    }

    /** The input has ended. */
    void end() {
        isOpen = false;
        isStarting = false;
        carryOut();
    }

    private void carryOut() {
        for (Runnable effect = effects.poll(); effect != null; effect = effects.poll()) {
            effect.run();
        }
    }

    /** The input has failed. */
    void drop() {
        isOpen = false;
        effects.clear();
    }

    private void record(Runnable effect) {
        InvariantViolated.check(isOpen, "an effect outside of any input");
        effects.add(effect);
        if (isStarting && effects.size() >= MAX_WHILE_STARTING) {
            carryOut();
        }
    }

    @Override
    public void send(int to, Message message) {
        PromiseRule.checkPlain(message);
        record(() -> host.send(to, message));
    }

    @Override
    public void sendAfter(long logSequence, int to, Message message) {
        PromiseRule.checkBehind(message, logSequence, appended);
        record(() -> host.sendAfter(logSequence, to, message));
    }

    @Override
    public long append(LogRecord record) {
        long sequence = ++appended;
        record(() -> {
            long given = host.append(record);
            InvariantViolated.check(given == sequence, "record %d was appended as record %d", sequence, given);
        });
        return sequence;
    }

    @Override
    public void deliver(long position, ByteSlice value, long prefixHash) {
        record(() -> host.deliver(position, value, prefixHash));
    }

    @Override
    public void barrierReached(long token) {
        record(() -> host.barrierReached(token));
    }

    @Override
    public void truncate(long belowPosition) {
        record(() -> host.truncate(belowPosition));
    }

    @Override
    public void readLog(long fromPosition, int maxBytes) {
        record(() -> host.readLog(fromPosition, maxBytes));
    }

    @Override
    public void needState(int fromPeer, long position) {
        record(() -> host.needState(fromPeer, position));
    }

    @Override
    public void refuse(int from, String reason) {
        record(() -> host.refuse(from, reason));
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        record(() -> host.statusChanged(status));
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        record(() -> host.memberSilent(member, silent));
    }

    @Override
    public void orderContradicted(int peer, String difference) {
        record(() -> host.orderContradicted(peer, difference));
    }
}
