package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.EpochInfo;
import io.chainkeeper.iss.IssMessage.Fetch;
import io.chainkeeper.iss.IssMessage.Learn;
import io.chainkeeper.iss.IssMessage.Status;
import io.chainkeeper.iss.IssMessage.Truncated;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProtocolContext.Start;
import java.util.Arrays;
import java.util.List;

/**
 * Learning what others know to be decided. A replica that is behind fetches from a replica that is ahead, part by part,
 * so that what is on its way is bounded. Questions are answered from memory or, further back, from the log. If the logs
 * of all that can be asked no longer reach back so far, the host is to fetch the state of one of them.
 */
final class CatchUp {
    private static final int NOBODY = 0;

    private final IssState state;

    /** The newest epoch that anybody has described. */
    private EpochConfig described;

    private int asked = NOBODY;
    private long askedTick;
    private long lastPrefix;
    private long stalledTick;

    /** Until then a replica is not asked, because its log does not reach back far enough. */
    private final long[] truncatedUntilTick = new long[Peers.IDS];

    /**
     * When each replica last left a question unanswered; 0 if it has answered since. A replica that did not answer is
     * asked again, but only after all others: it may be silent for as long as its link looks up.
     */
    private final long[] unansweredTick = new long[Peers.IDS];

    /** Whose link has been up since they left a question unanswered: their disk may hang for good. */
    private final boolean[] ignores = new boolean[Peers.IDS];

    /** Whose state was asked for last. */
    private int source = NOBODY;

    /** From where each replica waits for the log to be read; 0 if it does not. */
    private final long[] readFor = new long[Peers.IDS];

    private long readFrom;

    /** Everything below was on disk as decided when the log began to be read. */
    private long readEnd;

    CatchUp(IssState state) {
        this.state = state;
        Arrays.fill(truncatedUntilTick, Long.MIN_VALUE / 2);
    }

    // ---------------------------------------------------------------- asking

    /** A replica has told how far it is. */
    void onStatus(int sender, Status m) {
        boolean otherEpoch = m.epoch() > (state.epoch == null ? 0 : state.epoch.number());
        boolean farBehind = m.prefix() > state.prefix + state.settings.caughtUpPositions();
        if (asked == NOBODY && (farBehind || otherEpoch && (m.prefix() > state.prefix || state.epoch == null))) {
            ask(sender);
        }
    }

    /** A position is decided, but this replica has not received the value. */
    void missing(int sender) {
        if (asked == NOBODY) {
            ask(sender);
        }
    }

    /** What was asked over a link is lost with it, also where it is up again before the next tick. */
    void peerDown(int id) {
        readFor[id] = 0;
        ignores[id] = false;
        if (id == asked) {
            unansweredTick[id] = state.now;
            asked = NOBODY;
        }
    }

    void tick() {
        if (state.prefix != lastPrefix) {
            lastPrefix = state.prefix;
            stalledTick = state.now;
        }
        if (asked != NOBODY && state.now - askedTick > state.settings.fetchTicks()) {
            unansweredTick[asked] = state.now;
            ignores[asked] = true;
            asked = NOBODY;
        }
        if (asked == NOBODY && state.now - stalledTick >= state.settings.heartbeatTicks()) {
            askIfBehind();
        }
    }

    /** Whether ticks do nothing here until another replica says that there is something to learn. */
    boolean isIdle() {
        if (asked != NOBODY || state.prefix != lastPrefix) {
            return false;
        }
        for (int id = 1; id < Peers.IDS; id++) {
            if (isAhead(id)) {
                return false;
            }
        }
        return true;
    }

    private boolean isAhead(int id) {
        Status status = state.peers.status(id);
        return state.peers.linkUp[id] && (status.prefix() > state.prefix || state.epoch == null && status.epoch() > 0);
    }

    /**
     * The state is asked for only when no log is known to reach back so far: each replica that is ahead has said that
     * its own does not, or says nothing.
     */
    private void askIfBehind() {
        int best = NOBODY;
        int truncated = NOBODY;
        for (int id = 1; id < Peers.IDS; id++) {
            if (!isAhead(id)) {
                continue;
            }
            if (state.now < truncatedUntilTick[id]) {
                truncated = truncated == NOBODY || isNextSource(id, truncated) ? id : truncated;
            } else if (best == NOBODY || isBetter(id, best)) {
                best = id;
            }
        }
        if (best != NOBODY) {
            ask(best);
        } else if (truncated != NOBODY) {
            Arrays.fill(truncatedUntilTick, Long.MIN_VALUE / 2);
            stalledTick = state.now;
        }
        if (truncated != NOBODY && (best == NOBODY || ignores[best])) {
            source = truncated;
            state.effects.needState(source, state.delivered + 1);
        }
    }

    /** All take turns, because one may be asked for its state in vain. */
    private boolean isNextSource(int id, int than) {
        return Math.floorMod(id - source - 1, Peers.IDS) < Math.floorMod(than - source - 1, Peers.IDS);
    }

    private boolean isBetter(int id, int than) {
        if (unansweredTick[id] != unansweredTick[than]) {
            return unansweredTick[id] < unansweredTick[than];
        }
        return state.peers.status(id).prefix() > state.peers.status(than).prefix();
    }

    private void ask(int id) {
        if (state.now < truncatedUntilTick[id]) {
            return;
        }
        asked = id;
        askedTick = state.now;
        state.effects.send(id, new Fetch(state.epoch == null ? 0 : state.epoch.number(), state.prefix + 1));
    }

    private void answered(int sender) {
        unansweredTick[sender] = 0;
        ignores[sender] = false;
    }

    void onTruncated(int sender, Truncated m) {
        answered(sender);
        if (m.from() == state.prefix + 1) {
            truncatedUntilTick[sender] = state.now + 2L * state.settings.suspicionTicks();
        }
        if (sender == asked) {
            asked = NOBODY;
        }
    }

    // ---------------------------------------------------------------- being told

    void onEpochInfo(EpochInfo m) {
        try {
            EpochConfig config = EpochConfig.decode(m.config());
            if (described == null || described.epoch() < config.epoch()) {
                described = config;
            }
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("an epoch that was checked on arrival does not decode: " + e.getMessage());
        }
    }

    /** The epoch to take part in, for a replica that does not know where the order is; null if it is not yet known. */
    EpochConfig adoptable() {
        boolean fits = described != null && state.prefix >= described.first() - 1 && state.prefix < described.last();
        return fits ? described : null;
    }

    /**
     * Takes decided values; {@code stepped} is called after each, because it may have completed an epoch.
     *
     * @return whether there was anything new
     */
    boolean onLearn(int sender, Learn m, Runnable stepped) {
        long before = state.prefix;
        answered(sender);
        for (int i = 0; i < m.values().size(); i++) {
            long position = m.from() + i;
            if (position <= state.prefix) {
                continue;
            }
            if (state.epoch == null) {
                // The last position before an epoch may be known by all and delivered by none yet, until enough of them
                // have the epoch's configuration; with it this replica can wait for that, too.
                boolean beforeKnown =
                        described != null && position < described.first() || state.isBeforeAwaited(position);
                boolean isSure = position <= m.delivered()
                        || beforeKnown
                        || !state.rules.isOn(SafetyRule.ONLY_DELIVERED_VALUES_ARE_LEARNED);
                if (position != state.prefix + 1 || !isSure) {
                    break;
                }
                state.learn(m.values().get(i));
            } else if (state.epoch.config().contains(position)) {
                EpochConfig config = state.epoch.config();
                Segment segment = state.epoch.segment(config.segmentOf(position));
                IssState.Source source = position <= m.delivered() ? IssState.Source.QUORUM : IssState.Source.HEARSAY;
                state.decide(segment, config.indexOf(position), m.values().get(i), source);
            }
            stepped.run();
        }
        if (sender == asked) {
            asked = NOBODY;
            if (state.prefix > before && state.peers.status(sender).prefix() > state.prefix) {
                ask(sender);
            }
        }
        return state.prefix > before;
    }

    // ---------------------------------------------------------------- telling

    void onFetch(int sender, Fetch m) {
        // Who goes on alone begins in an epoch of others. What a membership at its end means, only this one knows.
        boolean isAlone = state.context.start() == Start.SOLE_SURVIVOR;
        if (state.epoch != null && m.epoch() == 0 && !isAlone) {
            state.effects.send(
                    sender,
                    new EpochInfo(
                            state.agreement.hashes().latest(),
                            state.epoch.config().encode()));
        }
        if (m.from() > state.prefix) {
            state.effects.send(sender, state.telling(m.from(), List.of()));
        } else if (state.recent.contains(m.from())) {
            List<ByteSlice> values = state.recent.from(m.from(), state.settings.partBytes());
            state.effects.send(sender, state.telling(m.from(), values));
        } else {
            readFor[sender] = m.from();
            readNext();
        }
    }

    private void readNext() {
        if (readFrom != 0) {
            return;
        }
        for (long from : readFor) {
            if (from != 0) {
                readFrom = from;
                readEnd = firstMaybeNotOnDisk();
                state.effects.readLog(from, state.settings.partBytes());
                return;
            }
        }
    }

    /** From there on the log may not have been written yet, and still hold what was accepted before. */
    private long firstMaybeNotOnDisk() {
        return state.recent.firstOr(state.prefix + 1);
    }

    void onLogRead(long from, List<LogRecord> records) {
        readFrom = 0;
        boolean isThen = state.rules.isOn(SafetyRule.LOG_IS_TOLD_AS_DECIDED_WHEN_READ);
        long end = isThen ? readEnd : firstMaybeNotOnDisk();
        readEnd = 0;
        boolean tellsAll = !state.rules.isOn(SafetyRule.ONLY_DECIDED_RECORDS_ARE_TOLD);
        List<ByteSlice> values = records.stream()
                .filter(record -> record.position() < end || tellsAll)
                .map(LogRecord::body)
                .toList();
        for (int id = 1; id < Peers.IDS; id++) {
            if (readFor[id] != from) {
                continue;
            }
            readFor[id] = 0;
            boolean held = !values.isEmpty();
            state.effects.send(id, held ? state.telling(from, values) : new Truncated(from));
        }
        readNext();
    }
}
