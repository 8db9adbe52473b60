package io.chainkeeper.iss;

import io.chainkeeper.iss.IssMessage.Status;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.membership.ProvenDisks;
import io.chainkeeper.ordering.prefix.Prefix;
import java.util.Arrays;

/** What a replica knows of the others from what they said last. */
final class Peers {
    /** Arrays indexed by replica id have this length. */
    static final int IDS = Membership.MAX_REPLICA_ID + 1;

    private static final Status NOTHING = new Status(0, Prefix.UNKNOWN, 0, 0, 0, 0, false, false, false, false);

    final boolean[] linkUp = new boolean[IDS];
    /** The disks of those that do not vote. */
    final ProvenDisks disks;

    private final long[] heardTick = new long[IDS];
    private final long[] downTick = new long[IDS];
    private final Status[] statuses = new Status[IDS];
    private final long[] lastDelivered = new long[IDS];

    /**
     * Who has had somebody else coordinate since this replica is going to stop, and since the link came up: it is going
     * to stop, too.
     */
    private final boolean[] leaves = new boolean[IDS];

    Peers(IssSettings settings) {
        disks = new ProvenDisks(settings.heartbeatTicks(), settings.suspicionTicks());
        Arrays.fill(statuses, NOTHING);
    }

    void up(int peer, long now) {
        linkUp[peer] = true;
        leaves[peer] = false;
        heardTick[peer] = now;
    }

    void down(int peer, long now) {
        linkUp[peer] = false;
        leaves[peer] = false;
        downTick[peer] = now;
        disks.forget(peer);
        statuses[peer] = NOTHING;
    }

    /** A coordinator has left itself out of its note, while this replica is going to stop. */
    void handedOver(int peer) {
        leaves[peer] = true;
    }

    /** Whether a replica is known to be going to stop; what was ordered before this one was to stop says nothing. */
    boolean leaves(int peer) {
        return leaves[peer];
    }

    void heard(int peer, long now) {
        heardTick[peer] = now;
    }

    void told(int peer, Status status, long now) {
        statuses[peer] = status;
        lastDelivered[peer] = status.delivered();
        if (status.votes() || status.disk() == 0) {
            disks.forget(peer);
        } else {
            disks.told(peer, status.disk(), now);
        }
    }

    /** What a replica had delivered when it was last heard of, however long ago; 0 if it never was. */
    long lastDelivered(int peer) {
        return lastDelivered[peer];
    }

    /** Whether a replica has told anything since its link came up. */
    boolean hasTold(int peer) {
        return statuses[peer] != NOTHING;
    }

    Status status(int peer) {
        return statuses[peer];
    }

    long silentTicks(int peer, long now) {
        return now - heardTick[peer];
    }

    /** How long the link has been down, 0 if it is up. */
    long downTicks(int peer, long now) {
        return linkUp[peer] ? 0 : now - downTick[peer];
    }

    /** The next tick at which anything that is said about the others changes without a sign of them. */
    long dueTick(long now, IssSettings settings) {
        long[] silences = {settings.suspicionTicks(), settings.silenceTicks(), settings.removalTicks()};
        long due = Long.MAX_VALUE;
        for (int id = 1; id < IDS; id++) {
            for (long silence : silences) {
                due = earlier(due, heardTick[id] + silence + 1, now);
            }
            due = earlier(due, disks.staleTick(id), now);
            if (!linkUp[id]) {
                due = earlier(due, downTick[id] + settings.linkSuspicionTicks() + 1, now);
            }
        }
        return due;
    }

    private static long earlier(long due, long tick, long now) {
        return tick > now ? Math.min(due, tick) : due;
    }

    /** The highest position that any other replica has delivered, as far as known. */
    long maxDelivered() {
        long highest = 0;
        for (Status status : statuses) {
            highest = Math.max(highest, status.delivered());
        }
        return highest;
    }
}
