package io.chainkeeper.benchmarks.rounds;

import io.chainkeeper.benchmarks.load.Clients.Latencies;
import io.chainkeeper.benchmarks.load.IdleSessions.Storm;
import io.chainkeeper.benchmarks.server.ServerProfile;
import io.chainkeeper.benchmarks.server.UsageSample.Use;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;

/**
 * One measured interval of one ensemble.
 *
 * @param name such as {@link #SATURATION}; the same for all protocols
 * @param atReplica id of the only replica that clients used; {@link #ALL_REPLICAS} if they were spread
 * @param roles what each server said it was, in the order of their ids
 * @param use CPU, disk and throughput
 * @param latencies of the operations; null if there were none
 * @param steady whether throughput and compilers had come to rest before it began
 * @param watchEvents watch events that clients got
 * @param regions latencies of the clients of each region; empty if servers stand beside each other
 * @param storm how sessions came back that had lost their connections; null if none had
 * @param profiles where the servers' time went, in the order of their ids; empty if nobody asked
 */
public record Phase(
        String name,
        int atReplica,
        List<String> roles,
        Use use,
        Latencies latencies,
        boolean steady,
        long watchEvents,
        SortedMap<String, Latencies> regions,
        Storm storm,
        List<ServerProfile> profiles) {
    /** In the place of a replica's id: clients were spread over all. */
    public static final int ALL_REPLICAS = 0;

    /** Name of the phase before anything is measured. */
    public static final String START = "start";

    /** Name of the phase in which clients keep as much in flight as they are allowed. */
    public static final String SATURATION = "saturation, closed loop";

    private static final String LEVEL = " in flight per session, closed loop";

    /** Name of the phase at half of the measured throughput. */
    public static final String HALF_LOAD = "half load, open loop";

    static final String ONE_CLIENT_WRITES = "one client, writes";
    static final String ONE_CLIENT_READS = "one client, reads";
    /** Name of the phase in which clients of all regions write. */
    public static final String WIDE_AREA_WRITES = "all regions, writes";

    /** Name of the phase in which clients of all regions read. */
    public static final String WIDE_AREA_READS = "all regions, reads";

    /** Name of the phase in which others write while sessions stand by. */
    public static final String BEFORE_STORM = "sessions stand by, writes";

    /** Name of the phase in which others write while sessions come back. */
    public static final String STORM = "sessions come back, writes";

    /** Name of the phase without load. */
    public static final String IDLE = "idle";

    /** An interval without watches and profiles; see {@link Phase}. */
    public Phase(String name, int atReplica, List<String> roles, Use use, Latencies latencies, boolean steady) {
        this(name, atReplica, roles, use, latencies, steady, 0, Collections.emptySortedMap(), null, List.of());
    }

    /**
     * @param outstanding operations that each session keeps in flight
     * @return name of the phase that measures one point of a throughput-latency curve
     */
    static String level(int outstanding) {
        return outstanding + LEVEL;
    }

    /** @return whether a name is one of {@link #level} */
    public static boolean isLevel(String name) {
        return name.endsWith(LEVEL);
    }
}
