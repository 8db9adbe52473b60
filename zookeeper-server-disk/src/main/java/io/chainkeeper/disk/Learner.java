package io.chainkeeper.disk;

import io.chainkeeper.disk.DiskMessage.Propose;
import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.TreeMap;

/**
 * Learns what others have decided: from the leader over its link, and whatever that does not tell from the rings. What
 * is known to be decided up to a position is there the value of the highest ballot on any majority of the disks.
 */
final class Learner {
    private final DiskState state;
    private final TreeMap<Long, Propose> proposals = new TreeMap<>();
    private long proposalBytes;

    /** What the leader that is followed has said to be decided. */
    private Ballot decidedIn = Ballot.NONE;

    private long decidedTo;

    /** When the link last brought something, or nothing was missing. */
    private long upToDateTick;

    private Scan scan;
    private long target;

    Learner(DiskState state) {
        this.state = state;
    }

    /** The leader that is followed proposes. */
    void onPropose(Propose m) {
        onDecided(m.ballot(), m.decided());
        Propose known = proposals.get(m.position());
        if (m.position() <= state.decided) {
            return;
        }
        proposalBytes += m.value().length() - (known == null ? 0 : known.value().length());
        proposals.put(m.position(), m);
        while (proposals.size() > DiskSettings.MAX_KEPT_PROPOSALS || proposalBytes > DiskSettings.MAX_KEPT_BYTES) {
            proposalBytes -= proposals.pollLastEntry().getValue().value().length();
        }
    }

    /** The leader that is followed says this to be decided: where it has proposed in its ballot, with that value. */
    void onDecided(Ballot ballot, long decided) {
        state.known = Math.max(state.known, decided);
        decidedTo = decidedIn.equals(ballot) ? Math.max(decidedTo, decided) : decided;
        decidedIn = ballot;
    }

    /**
     * Delivers what can be, and reads the rings for what cannot.
     *
     * @param hearsLeader whether what is missing may be on its way over the link: reading a ring is reading all of it
     */
    void step(boolean hearsLeader) {
        long before = state.decided;
        deliverProposals();
        if (state.decided > before || state.decided == state.known) {
            upToDateTick = state.now;
        }
        if (scan != null && scan.isComplete()) {
            deliverScanned();
            deliverProposals();
        }
        boolean isMissing = !hearsLeader || state.now - upToDateTick >= state.settings.heartbeatTicks();
        boolean mayRead = isMissing && state.ring != null && state.readyDisks() >= state.majority();
        if (scan == null && state.known > state.decided && state.freedByOthers <= state.decided && mayRead) {
            target = state.known;
            scan = new Scan(state, state.decided + 1, target, DiskSettings.MAX_LEARNED_BYTES);
        }
        for (Disk disk : state.disks) {
            if (scan != null) {
                scan.begin(disk);
            }
        }
    }

    private void deliverProposals() {
        Propose next = pollNext();
        while (next != null && next.ballot().equals(decidedIn) && next.position() <= decidedTo) {
            proposals.remove(next.position());
            proposalBytes -= next.value().length();
            state.deliver(next.value());
            next = pollNext();
        }
    }

    private Propose pollNext() {
        while (!proposals.isEmpty() && proposals.firstKey() <= state.decided) {
            proposalBytes -= proposals.pollFirstEntry().getValue().value().length();
        }
        return proposals.get(state.decided + 1);
    }

    private void deliverScanned() {
        Scan complete = scan;
        scan = null;
        if (state.freedByOthers > state.decided) {
            return; // what is lacking may be gone from the rings
        }
        while (state.decided < Math.min(target, complete.lastKept())) {
            RingEntry entry = complete.at(state.decided + 1);
            InvariantViolated.check(
                    entry != null,
                    "position %d is decided, and a majority of the shared disks does not have it",
                    state.decided + 1);
            state.deliver(entry);
        }
        state.known = Math.max(state.known, complete.decided());
    }

    void failed(Disk disk) {
        if (scan != null) {
            scan.failed(disk);
        }
    }

    /** Whether everything is delivered that is known to be decided. */
    boolean isUpToDate() {
        return state.decided == state.known && scan == null;
    }

    /** Proposals of the leader that wait until they are decided. */
    int kept() {
        return proposals.size();
    }

    /** Their size. */
    long keptBytes() {
        return proposalBytes;
    }
}
