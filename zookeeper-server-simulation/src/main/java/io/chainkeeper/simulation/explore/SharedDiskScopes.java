package io.chainkeeper.simulation.explore;

import io.chainkeeper.simulation.explore.Scope.Detail;
import io.chainkeeper.simulation.explore.Scope.Start;
import java.util.Map;
import java.util.TreeMap;

/** The scopes of Disk Paxos that have a name: two servers and three disks, unless they say something else. */
final class SharedDiskScopes {
    /** Whoever hears and sees nothing of its leader for so long tries to lead. */
    private static final int SILENT_LEADER_TICKS = 6;

    private static final int DISKS = 3;

    private SharedDiskScopes() {}

    static Map<String, Scope> named() {
        Map<String, Scope> scopes = new TreeMap<>();
        // Two positions: writes at the leader and at its follower.
        scopes.put("two-writes", Scope.begin(Start.LED, 2).withWrites(1, 1));
        scopes.put("write-and-read", Scope.begin(Start.LED, 2).withWrites(1, 0).withReads(0, 1));
        // Without a link, 2 takes over while a write of the leader is under way.
        scopes.put("takeover", apart().withWrites(1, 0));
        // A disk fails for the leader, or for its follower.
        scopes.put("disk-fails", Scope.begin(Start.LED, 2).withWrites(1, 0).withDisks(DISKS, 1));
        addOneDisk(scopes);
        addOneDiskAndCrashes(scopes);
        return scopes;
    }

    /** 1 leads, the links are cut, and 2 may take over. */
    private static Scope apart() {
        return Scope.begin(Start.APART, 2).withTicks(SILENT_LEADER_TICKS, 0, 1);
    }

    /** With one disk more may happen. */
    private static void addOneDisk(Map<String, Scope> scopes) {
        scopes.put("one-disk-cold-start", Scope.begin(Start.COLD, 2).withDisks(1, 0));
        // Both write, and 2 takes over.
        scopes.put("one-disk-takeover", apart().withWrites(1, 1).withDisks(1, 0));
        // 1 may be deposed while its client reads.
        scopes.put(
                "one-disk-deposed-reads",
                apart().withWrites(0, 1).withReads(1, 0).withDisks(1, 0));
        // The same with a link that 2 hears nothing over for a while.
        scopes.put(
                "one-disk-silent-leader",
                Scope.begin(Start.LED, 2)
                        .withWrites(1, 0)
                        .withTicks(SILENT_LEADER_TICKS, 0, 1)
                        .withDisks(1, 0));
        // Both may take over at any time.
        scopes.put(
                "one-disk-duel",
                Scope.begin(Start.APART, 2)
                        .withWrites(1, 1)
                        .withTicks(SILENT_LEADER_TICKS, 1, 1)
                        .withDisks(1, 0));
        // 2 reads the ring of 1 while 1 writes over its oldest entry.
        scopes.put(
                "one-disk-ring-goes-round",
                Scope.begin(Start.ROUND, 2)
                        .withWrites(1, 0)
                        .withTicks(SILENT_LEADER_TICKS, 0, 1)
                        .withDisks(1, 0));
    }

    /** What a crash leaves undecided on the disk, torn writes included. */
    private static void addOneDiskAndCrashes(Map<String, Scope> scopes) {
        scopes.put(
                "one-disk-alone",
                Scope.begin(Start.LED, 1)
                        .withWrites(2)
                        .withCrashes(1, 1, 1)
                        .withDisks(1, 0)
                        .withDetails(Detail.TORN_WRITES));
        scopes.put(
                "one-disk-restart",
                Scope.begin(Start.LED, 2)
                        .withWrites(1, 0)
                        .withCrashes(1, 1, 1, 0)
                        .withDisks(1, 0)
                        .withDetails(Detail.TORN_WRITES));
        scopes.put(
                "one-disk-restart-and-takeover",
                apart().withWrites(1, 0).withCrashes(1, 1, 1, 0).withDisks(1, 0));
    }
}
