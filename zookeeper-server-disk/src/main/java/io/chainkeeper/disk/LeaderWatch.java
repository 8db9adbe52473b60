package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.disk.layout.ServerHeader;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.Arrays;

/**
 * Who leads, and whether that one lives: it is heard over its link, or its heartbeat moves on a majority of the disks.
 * So nobody takes over only because links are cut. It is the server of the highest ballot that was seen, as a rule. But
 * that ballot may have reached few disks, and its server forgot it when it started again; the leader may never see it.
 * So whoever says to lead in a lower one is followed once a majority of the disks shows that nobody leads in the
 * higher.
 */
final class LeaderWatch {
    private static final long NEVER = -1;

    private final DiskState state;
    private final long[] beat;
    private final long[] movedTick;

    /** When the headers of each disk came back last. */
    private final long[] readTick;

    /** The highest ballot that was seen by now. */
    private Ballot seen = Ballot.NONE;

    /** That, or a lower one. */
    private Ballot watched = Ballot.NONE;

    private long sinceTick;

    /** Negative if it was not heard in this ballot. */
    private long heardTick = NEVER;

    private boolean isGivenUp;

    /** When this server gave up to lead by itself; negative if it never did. */
    private long ownGivenUpTick = NEVER;

    LeaderWatch(DiskState state) {
        this.state = state;
        this.beat = new long[state.settings.disks()];
        this.movedTick = new long[state.settings.disks()];
        this.readTick = new long[state.settings.disks()];
    }

    /** In which ballot somebody leads, as far as is known. */
    Ballot followed() {
        follow();
        return watched;
    }

    /** The leader of a ballot was heard over its link. */
    void heard(Ballot ballot) {
        follow();
        boolean isForgotten = ballot.lessThan(watched) && watched.replica() != state.self && !isGivenUp && isMissed();
        if (watched.lessThan(ballot) || isForgotten) {
            watch(ballot);
        }
        if (ballot.equals(watched)) {
            heardTick = state.now;
            isGivenUp = false;
        }
    }

    /** The headers of a disk were read. */
    void saw(Disk disk, Headers headers) {
        follow();
        readTick[disk.number()] = state.now;
        int slot = DiskLayout.slotOf(watched.replica());
        if (slot < 0 || slot >= state.layout.slots()) {
            return;
        }
        ServerHeader header = headers.bySlot().get(slot);
        if (header.heartbeat() != beat[disk.number()]) {
            beat[disk.number()] = header.heartbeat();
            movedTick[disk.number()] = state.now;
        }
    }

    /** The leader has said that it is going to stop. */
    void giveUp() {
        isGivenUp = true;
    }

    /** This server has led, and does not go on: its disks do not answer, for example. */
    void giveUpOwn() {
        ownGivenUpTick = state.now;
    }

    private void follow() {
        if (!seen.equals(state.highest)) {
            seen = state.highest;
            watch(seen);
        }
    }

    private void watch(Ballot ballot) {
        watched = ballot;
        isGivenUp = false;
        sinceTick = state.now;
        heardTick = NEVER;
        for (int i = 0; i < beat.length; i++) {
            beat[i] = -1;
            movedTick[i] = state.now;
        }
    }

    /** Whether somebody else leads, as far as is known. */
    boolean isAlive() {
        follow();
        if (watched.equals(Ballot.NONE) || watched.replica() == state.self || isGivenUp) {
            return false;
        }
        return silentTicks() <= state.settings.suspicionTicks();
    }

    /**
     * Whether a majority of the disks has shown that nobody leads: it was read since the leader was overdue. Disks that
     * hang show nothing. A header with a higher ballot would wait there, and end another one's leadership when they go
     * on, long after.
     */
    boolean isMissed() {
        if (isAlive()) {
            return false;
        }
        long overdueTick = NEVER;
        if (watched.replica() == state.self) {
            overdueTick = ownGivenUpTick;
        } else if (!watched.equals(Ballot.NONE) && !isGivenUp) {
            overdueTick = state.now - silentTicks() + state.settings.suspicionTicks() + 1;
        }
        int showing = 0;
        for (long tick : readTick) {
            showing += tick >= overdueTick ? 1 : 0;
        }
        return showing >= state.majority();
    }

    /** How long nothing was heard of the leader over its link, nor seen of it on a majority of the disks. */
    long silentTicks() {
        long[] moved = movedTick.clone();
        Arrays.sort(moved);
        long onMajority = moved[moved.length - state.majority()];
        return state.now - Math.max(Math.max(sinceTick, heardTick), onMajority);
    }

    /** Whether the leader is heard over its link. */
    boolean isHeard() {
        return isAlive()
                && heardTick != NEVER
                && state.linkUp[watched.replica()]
                && state.now - heardTick <= 2L * state.settings.heartbeatTicks();
    }
}
