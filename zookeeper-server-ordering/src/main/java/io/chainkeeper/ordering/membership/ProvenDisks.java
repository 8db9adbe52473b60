package io.chainkeeper.ordering.membership;

import io.chainkeeper.ordering.Membership;
import java.util.Arrays;

/**
 * Which disks the replicas that learn have, as they say. A disk is proven once it was told of twice, at least half a
 * heartbeat apart: a link may have held up what was told once, and the replica may have lost that disk meanwhile; what
 * a link has held up arrives together. Another disk, a link that goes down, and a silence in which a replica would be
 * suspected begin it anew.
 *
 * <p>Not thread-safe; the protocol that owns it calls it.
 */
public final class ProvenDisks {
    private static final int IDS = Membership.MAX_REPLICA_ID + 1;
    private static final long NEVER = Long.MIN_VALUE / 2;

    private final int heartbeatTicks;
    private final int suspicionTicks;
    private final long[] disks = new long[IDS];
    private final long[] toldTick = new long[IDS];

    /** When the disk of now was first told of. */
    private final long[] firstToldTick = new long[IDS];

    /**
     * @param heartbeatTicks how often a replica that learns tells so, from 1
     * @param suspicionTicks how long others may be silent before they are suspected, more than a heartbeat
     */
    public ProvenDisks(int heartbeatTicks, int suspicionTicks) {
        this.heartbeatTicks = heartbeatTicks;
        this.suspicionTicks = suspicionTicks;
        forgetAll();
    }

    /** Nothing counts that was told before. */
    public void forgetAll() {
        Arrays.fill(toldTick, NEVER);
    }

    /**
     * The link to a replica went down, or it does not learn any more: if it learns again, it has to tell all anew.
     *
     * @param replicaId the replica
     */
    public void forget(int replicaId) {
        toldTick[replicaId] = NEVER;
    }

    /**
     * A replica has told that it learns.
     *
     * @param replicaId the replica
     * @param disk number of its disk
     * @param now in ticks
     */
    public void told(int replicaId, long disk, long now) {
        if (disk != disks[replicaId] || !isToldOf(replicaId, now)) {
            firstToldTick[replicaId] = now;
        }
        disks[replicaId] = disk;
        toldTick[replicaId] = now;
    }

    /**
     * @param replicaId a replica
     * @param now in ticks
     * @return whether it has told that it learns within the time in which it would be suspected
     */
    public boolean isToldOf(int replicaId, long now) {
        return now - toldTick[replicaId] <= suspicionTicks;
    }

    /**
     * @param replicaId a replica
     * @param now in ticks
     * @return whether it has told of its disk lately, and often enough to count on it
     */
    public boolean isProven(int replicaId, long now) {
        boolean isOften = 2 * (toldTick[replicaId] - firstToldTick[replicaId]) >= heartbeatTicks;
        return isOften && now < staleTick(replicaId);
    }

    /**
     * @param replicaId a replica
     * @return the tick from which on what it has told is no proof any more, unless it tells again
     */
    public long staleTick(int replicaId) {
        return toldTick[replicaId] + 2L * heartbeatTicks + 1;
    }

    /**
     * @param replicaId a replica that has told of its disk
     * @return the number of the disk
     */
    public long disk(int replicaId) {
        return disks[replicaId];
    }
}
