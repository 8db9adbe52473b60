package io.chainkeeper.iss;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.nio.ByteBuffer;

/** The epoch that a replica takes part in. */
final class Epoch {
    private static final int PROMISE_BYTES = Integer.BYTES + Ballot.BYTES;

    private final EpochConfig config;
    private final Segment[] segments;
    private final Segment own;
    private final boolean voter;
    private final long beganTick;
    private final boolean speaks;
    private boolean held;
    private long sequence;
    private long inUse;
    private boolean endIsWanted;

    /**
     * @param config what it is like
     * @param self this replica
     * @param voter whether it votes in it
     * @param maySpeak whether it has certainly not proposed in it before
     * @param prefix everything up to here is decided
     * @param now the present tick
     */
    Epoch(EpochConfig config, int self, boolean voter, boolean maySpeak, long prefix, long now) {
        this.config = config;
        this.voter = voter;
        this.beganTick = now;
        this.segments = new Segment[config.leaders().size()];
        for (int i = 0; i < segments.length; i++) {
            segments[i] = new Segment(config, i, now);
        }
        for (long position = config.first(); position <= Math.min(prefix, config.last()); position++) {
            slot(position).past();
        }
        int number = config.segmentLedBy(self);
        this.own = number < 0 ? null : segments[number];
        this.inUse = Math.max(config.first() - 1, prefix);
        this.speaks = own != null && voter && maySpeak;
        if (own != null) {
            own.next = own.firstUndecided();
            own.announced = own.next;
            if (speaks) {
                own.beginProposing(own.initial);
            }
        }
    }

    EpochConfig config() {
        return config;
    }

    long number() {
        return config.epoch();
    }

    Segment[] segments() {
        return segments;
    }

    Segment segment(int number) {
        return segments[number];
    }

    Slot slot(long position) {
        return segments[config.segmentOf(position)].slot(config.indexOf(position));
    }

    /** The segment that this replica leads at first; null if none. */
    Segment own() {
        return own;
    }

    boolean isVoter() {
        return voter;
    }

    /** How long this replica has been in it. */
    long ticks(long now) {
        return now - beganTick;
    }

    /** Whether this replica may propose in the initial ballot of its segment. */
    boolean maySpeak() {
        return speaks && own.proposing().equals(own.initial);
    }

    /**
     * Whether a quorum is known to have the configuration on disk. That the first positions are decided does not show
     * that: their initial leaders may have left them empty.
     */
    boolean isHeld() {
        return held;
    }

    void held() {
        held = true;
    }

    /** The log record of the configuration; 0 if it is from before this start. */
    long sequence() {
        return sequence;
    }

    void appended(long logSequence) {
        sequence = logSequence;
    }

    /**
     * The highest position that is known to have a value. Leaders with nothing to propose skip up to there. Once the
     * last position is decided, no leader has a reason to keep the rest of its positions.
     */
    long inUse() {
        return inUse;
    }

    void used(long position, ByteSlice value, boolean decided) {
        if (!IssState.isNil(value) || decided && position == config.last()) {
            inUse = Math.max(inUse, position);
        }
    }

    void raiseInUse(long position) {
        inUse = Math.max(inUse, Math.min(position, config.last()));
    }

    /** Whether somebody has commands or wishes that only the next epoch can serve. */
    boolean endIsWanted() {
        return endIsWanted;
    }

    void wantEnd() {
        endIsWanted = true;
    }

    /** Whether the order, or a wish for the epoch's end, waits for the replica that leads a segment or took it over. */
    boolean awaits(Segment segment) {
        return segment.firstUndecidedPosition() <= inUse
                || segment.isTakenOver() // the replica that takes a segment over finishes all of it
                || endIsWanted && segment.number() == segments.length - 1;
    }

    // ---------------------------------------------------------------- promises

    ByteSlice encodePromises() {
        int count = 0;
        for (Segment segment : segments) {
            count += segment.isTakenOver() ? 1 : 0;
        }
        ByteBuffer out = ByteBuffer.allocate(Long.BYTES + count * PROMISE_BYTES);
        out.putLong(config.epoch());
        for (Segment segment : segments) {
            if (segment.isTakenOver()) {
                out.putInt(segment.number());
                segment.promised.put(out);
            }
        }
        return ByteSlice.of(out.array());
    }

    /** The ballot that a record of promises holds for a segment of an epoch; {@link Ballot#NONE} if none. */
    static Ballot promiseIn(ByteSlice head, long epoch, int segment) {
        ByteBuffer in = head.asByteBuffer();
        boolean same = in.getLong() == epoch;
        while (same && in.hasRemaining()) {
            int number = in.getInt();
            Ballot ballot = Ballot.get(in);
            if (number == segment) {
                return ballot;
            }
        }
        return Ballot.NONE;
    }

    /** Puts in words what a record of promises says. */
    static String describePromises(ByteSlice head) {
        ByteBuffer in = head.asByteBuffer();
        StringBuilder text = new StringBuilder("promised in epoch " + in.getLong() + ":");
        if (!in.hasRemaining()) {
            text.append(" nothing");
        }
        while (in.hasRemaining()) {
            text.append(" segment ").append(in.getInt()).append(" ballot ").append(Ballot.get(in));
        }
        return text.toString();
    }

    /** Reads back what was promised, if it was in this epoch. */
    void recoverPromises(ByteSlice head) {
        ByteBuffer in = head.asByteBuffer();
        if (in.getLong() != config.epoch()) {
            return;
        }
        while (in.hasRemaining()) {
            Segment segment = segments[in.getInt()];
            segment.raise(Ballot.get(in));
        }
    }
}
