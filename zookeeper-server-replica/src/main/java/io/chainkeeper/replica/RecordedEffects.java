package io.chainkeeper.replica;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.PromiseRule;
import java.util.Arrays;

/**
 * The effects that a protocol asks for during an input. The host carries them out, in order, when the input has ended;
 * if the input fails, it carries out none of them. Used by one thread at a time.
 */
final class RecordedEffects implements Effects {
    /** A start asks for the execution of everything that the log holds, which must not lie in memory all at once. */
    private static final int MAX_WHILE_STARTING = 16;

    /** So many effects of an input find objects of earlier inputs; more than that are rare. */
    private static final int KEPT = 256;

    private final Effects host;

    /** Transient: between inputs these are objects to be used again, and no part of the state. */
    private transient Effect[] effects = new Effect[16];

    private int count;
    private long appended;
    private boolean isOpen;
    private boolean isStarting;

    private enum Kind {
        SEND,
        SEND_AFTER,
        APPEND,
        DELIVER,
        /** Whatever is not asked for with every write. */
        RARE
    }

    /** One effect; used again and again, because a write asks for several. */
    private static final class Effect {
        private Kind kind;
        private int peer;
        private long number;
        private long prefixHash;
        private Object what;
    }

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
        for (int i = 0; i < count; i++) {
            Effect effect = effects[i];
            Object what = effect.what;
            effect.what = null;
            carryOut(effect, what);
        }
        forget();
    }

    private void carryOut(Effect effect, Object what) {
        switch (effect.kind) {
            case SEND -> host.send(effect.peer, (Message) what);
            case SEND_AFTER -> host.sendAfter(effect.number, effect.peer, (Message) what);
            case APPEND -> {
                long given = host.append((LogRecord) what);
                if (given != effect.number) {
                    throw new InvariantViolated("record " + effect.number + " was appended as record " + given);
                }
            }
            case DELIVER -> host.deliver(effect.number, (ByteSlice) what, effect.prefixHash);
            case RARE -> ((Runnable) what).run();
        }
    }

    private void forget() {
        if (effects.length > KEPT) {
            effects = Arrays.copyOf(effects, KEPT);
        }
        count = 0;
    }

    /** The input has failed. */
    void drop() {
        isOpen = false;
        for (int i = 0; i < count; i++) {
            effects[i].what = null;
        }
        forget();
    }

    private Effect record(Kind kind, Object what) {
        if (!isOpen) {
            throw new InvariantViolated("an effect outside of any input");
        }
        if (isStarting && count >= MAX_WHILE_STARTING) {
            carryOut();
        }
        if (count == effects.length) {
            effects = Arrays.copyOf(effects, 2 * count);
        }
        Effect effect = effects[count];
        if (effect == null) {
            effect = new Effect();
            effects[count] = effect;
        }
        count++;
        effect.kind = kind;
        effect.what = what;
        return effect;
    }

    private void recordRare(Runnable effect) {
        record(Kind.RARE, effect);
    }

    @Override
    public void send(int to, Message message) {
        PromiseRule.checkPlain(message);
        record(Kind.SEND, message).peer = to;
    }

    @Override
    public void sendAfter(long logSequence, int to, Message message) {
        PromiseRule.checkBehind(message, logSequence, appended);
        Effect effect = record(Kind.SEND_AFTER, message);
        effect.number = logSequence;
        effect.peer = to;
    }

    @Override
    public long append(LogRecord record) {
        long sequence = ++appended;
        record(Kind.APPEND, record).number = sequence;
        return sequence;
    }

    @Override
    public void deliver(long position, ByteSlice value, long prefixHash) {
        Effect effect = record(Kind.DELIVER, value);
        effect.number = position;
        effect.prefixHash = prefixHash;
    }

    @Override
    public void barrierReached(long token) {
        recordRare(() -> host.barrierReached(token));
    }

    @Override
    public void truncate(long belowPosition) {
        recordRare(() -> host.truncate(belowPosition));
    }

    @Override
    public void readLog(long fromPosition, int maxBytes) {
        recordRare(() -> host.readLog(fromPosition, maxBytes));
    }

    @Override
    public void needState(int fromPeer, long position) {
        recordRare(() -> host.needState(fromPeer, position));
    }

    @Override
    public void wantCheckpoint() {
        recordRare(host::wantCheckpoint);
    }

    @Override
    public void refuse(int from, String reason) {
        recordRare(() -> host.refuse(from, reason));
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        recordRare(() -> host.statusChanged(status));
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        recordRare(() -> host.memberSilent(member, silent));
    }

    @Override
    public void orderContradicted(int peer, String difference) {
        recordRare(() -> host.orderContradicted(peer, difference));
    }

    @Override
    public void writeBlocks(int disk, long offset, ByteSlice bytes) {
        recordRare(() -> host.writeBlocks(disk, offset, bytes));
    }

    @Override
    public void readBlocks(int disk, long offset, int length) {
        recordRare(() -> host.readBlocks(disk, offset, length));
    }
}
