package io.chainkeeper.simulation;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import java.util.Arrays;
import java.util.BitSet;

/**
 * How many different coarse states runs have been in: a cheap measure of what they covered. A coarse state is, for each
 * replica and without regard to which one it is, whether it runs, stands still, has a slow disk, its role, and by how
 * many epochs it is behind (up to three); and how many directions between replicas are cut, how many voters there are
 * and how many are configured, and whether faults have stopped. States are told apart by a hash; two that share one
 * count once.
 */
public final class StateCoverage {
    /** Hashes are numbers below this. */
    public static final int HASHES = 1 << 22;

    private static final int STEPS_BETWEEN = 64;
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final int DOWN = 7;
    private static final int MAX_BEHIND = 3;

    private final BitSet seen = new BitSet(HASHES);
    private final BitSet fresh = new BitSet(HASHES);
    private int steps;

    /** Another event has happened; every so often the state that it led to is noted. */
    void stepped(Cluster cluster) {
        steps++;
        if (steps % STEPS_BETWEEN == 0) {
            int hash = hash(cluster);
            if (!seen.get(hash)) {
                seen.set(hash);
                fresh.set(hash);
            }
        }
    }

    /** States that were not seen before the last call; their hashes. */
    public int[] takeFresh() {
        int[] hashes = fresh.stream().toArray();
        fresh.clear();
        return hashes;
    }

    private static int hash(Cluster cluster) {
        long newest = 0;
        for (int id : cluster.members()) {
            ReplicaHost host = cluster.host(id);
            newest = host == null ? newest : Math.max(newest, host.status().epoch());
        }
        long[] each = new long[cluster.members().size()];
        for (int id : cluster.members()) {
            each[id - 1] = of(cluster, id, newest);
        }
        Arrays.sort(each);
        long hash = cluster.network().cuts();
        hash = hash * MULTIPLIER + cluster.checker().membership().members().size();
        hash = hash * MULTIPLIER + cluster.ensemble().participants().size();
        hash = hash * MULTIPLIER + cluster.ensemble().observers().size();
        for (long one : each) {
            hash = (hash ^ one) * MULTIPLIER;
            hash ^= hash >>> 29;
        }
        return (int) (hash >>> 32) & HASHES - 1;
    }

    private static long of(Cluster cluster, int id, long newestEpoch) {
        ReplicaHost host = cluster.host(id);
        int conditions = cluster.conditions(id);
        if (host == null) {
            return DOWN + 64 * conditions;
        }
        OrderingStatus status = host.status();
        long behind = Math.min(MAX_BEHIND, newestEpoch - status.epoch());
        return status.role().ordinal() + 8 * behind + 64 * conditions;
    }
}
