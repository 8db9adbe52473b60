package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.AcceptNil;
import io.chainkeeper.iss.IssMessage.Accepted;
import io.chainkeeper.iss.IssMessage.Decided;
import io.chainkeeper.iss.IssMessage.Entry;
import io.chainkeeper.iss.IssMessage.OfSegment;
import io.chainkeeper.iss.IssMessage.Promise;
import io.chainkeeper.iss.IssMessage.Skip;
import io.chainkeeper.ordering.acceptor.Ballot;

/**
 * Finds what no member can have meant in messages about a segment of the present epoch, before anything is done with
 * them. Such a message comes from a defect of its sender or from a stranger, and is no reason to stop this replica.
 */
final class Objections {
    private static final String NONE = null;

    private final Epoch epoch;
    private final EpochConfig config;

    /** @param epoch the present one */
    Objections(Epoch epoch) {
        this.epoch = epoch;
        this.config = epoch.config();
    }

    /** Returns what is wrong with a message, to follow its sender's name; null if nothing is. */
    String to(int sender, OfSegment m) {
        if (m.segment() >= epoch.segments().length) {
            return "speaks of segment " + m.segment() + " in an epoch with " + epoch.segments().length;
        }
        if (m instanceof Skip skip) {
            return toSkip(sender, skip);
        }
        if (m.ballot().equals(Ballot.NONE)) {
            return "speaks of no ballot";
        }
        if (m instanceof Accept accept) {
            return first(proposer(sender, m), position(m, accept.position()), decided(m, accept.decidedTo()));
        } else if (m instanceof AcceptNil nil) {
            return first(proposer(sender, m), position(m, nil.from()), position(m, nil.to()));
        } else if (m instanceof Decided decided) {
            return first(proposer(sender, m), decided(m, decided.decidedTo()), NONE);
        } else if (m instanceof Accepted accepted) {
            return first(position(m, accepted.from()), position(m, accepted.to()), NONE);
        } else if (m instanceof Promise promise) {
            return toPromise(promise);
        }
        return NONE;
    }

    private static String first(String one, String other, String third) {
        return one != null ? one : other != null ? other : third;
    }

    /** Each replica proposes in its own ballots, and only the initial leader without phase 1. */
    private String proposer(int sender, OfSegment m) {
        boolean may = m.ballot().replica() == sender
                && (m.ballot().round() > 0
                        || sender == epoch.segment(m.segment()).leader());
        return may ? NONE : "proposes in ballot " + m.ballot() + " of " + epoch.segment(m.segment());
    }

    private String position(OfSegment m, long position) {
        boolean within = config.contains(position) && config.segmentOf(position) == m.segment();
        return within ? NONE : "speaks of position " + position + ", which is not of " + epoch.segment(m.segment());
    }

    /** A position below the epoch says that nothing is decided. */
    private String decided(OfSegment m, long position) {
        return position < config.first() ? NONE : position(m, position);
    }

    private String toPromise(Promise m) {
        for (Entry entry : m.entries()) {
            String objection = position(m, entry.position());
            if (objection != null) {
                return objection;
            }
        }
        return NONE;
    }

    private String toSkip(int sender, Skip m) {
        Segment segment = epoch.segment(m.segment());
        if (sender != segment.leader()) {
            return "skips in the segment of " + segment.leader();
        }
        String outside = first(position(m, m.from()), position(m, m.to()), NONE);
        if (outside != null) {
            return outside;
        }
        for (int index = config.indexOf(m.from()); index <= config.indexOf(m.to()); index++) {
            Slot slot = segment.slot(index);
            if (!slot.isDecided() && slot.hasValue() && !IssState.isNil(slot.value())) {
                return "skips position " + segment.position(index) + ", where it proposed";
            }
        }
        return NONE;
    }
}
