package io.chainkeeper.benchmarks.options;

import io.chainkeeper.benchmarks.relay.Region;
import io.chainkeeper.benchmarks.server.EnsembleOptions;
import io.chainkeeper.benchmarks.server.SharedDisks;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A run as the user asked for it, complete and checked.
 *
 * @param mode what is measured
 * @param protocols values of {@code ordering.protocol}, in the order in which a round measures them
 * @param replicas servers of an ensemble
 * @param regions where the servers stand, in the order of their ids; empty if all stand beside each other
 * @param linkMegabits 10^6 bits per second of each server's network link, in each direction; 0 for loopback
 * @param cpuCores CPU quota of each server; 0 for none
 * @param quotaPeriodMicros period of the quota; shorter than the scheduler's slice, so that a server with many threads
 *     can use all of it
 * @param measuredSeconds length of a measured interval
 * @param intervals how many intervals of each kind are measured in an ensemble, at least 1
 * @param warmupSeconds bound of each of the two warm-ups, without and with the quota
 * @param rounds how often each protocol is measured, each time with a fresh ensemble
 * @param sessions client sessions, spread over all replicas
 * @param idleSessions further sessions that only say that they live
 * @param outstanding operations that each session keeps in flight
 * @param valueBytes size of a znode's data
 * @param keys number of znodes
 * @param furtherZnodes znodes that stand beside these and are not touched
 * @param watches persistent watches on the znodes that are written, spread over them and over the sessions
 * @param readRatio share of reads among the operations, 0 to 1
 * @param linearizableReads whether reads are linearizable (zab: sync before each) or sequential
 * @param levels other numbers of operations in flight per session, measured after saturation for a throughput-latency
 *     curve; may be empty
 * @param halfLoad whether latency is also measured at half of the measured throughput
 * @param stages whether servers are asked where their time goes
 * @param jvmOptions of every server
 * @param serverConfig further lines of every zoo.cfg
 * @param disks what servers share that order on disks
 * @param serverLib directory of the jars that every server runs on
 * @param serverMain class that starts a server
 * @param dataParent where the servers' data and logs lie during the run; empty for the system's temporary directory
 * @param output where the machine-readable result goes; null for none
 * @param keepDirectories whether the servers' data and logs stay after the run
 * @param maxStealShare share of the machine's CPU taken by the hypervisor above which a round is void
 * @param maxOtherCores CPU used by other processes above which a round is void
 */
public record RunOptions(
        Mode mode,
        List<String> protocols,
        int replicas,
        List<Region> regions,
        int linkMegabits,
        double cpuCores,
        long quotaPeriodMicros,
        int measuredSeconds,
        int intervals,
        int warmupSeconds,
        int rounds,
        int sessions,
        int idleSessions,
        int outstanding,
        int valueBytes,
        int keys,
        int furtherZnodes,
        int watches,
        double readRatio,
        boolean linearizableReads,
        List<Integer> levels,
        boolean halfLoad,
        boolean stages,
        List<String> jvmOptions,
        Map<String, String> serverConfig,
        SharedDisks disks,
        Path serverLib,
        String serverMain,
        Path dataParent,
        Path output,
        boolean keepDirectories,
        double maxStealShare,
        double maxOtherCores) {
    /** The usual bound of {@link #maxStealShare}. */
    public static final double DEFAULT_MAX_STEAL_SHARE = 0.02;

    /** The usual bound of {@link #maxOtherCores}. */
    public static final double DEFAULT_MAX_OTHER_CORES = 0.15;

    /** @return what the servers of an ensemble are told */
    public EnsembleOptions ensemble() {
        return new EnsembleOptions(replicas, regions, linearizableReads, serverConfig, disks);
    }

    /** @return the same run with servers that compete for all cores */
    public RunOptions withoutQuota() {
        return with(protocols, 0);
    }

    /**
     * @param others values of {@code ordering.protocol}
     * @return the same run of other protocols
     */
    public RunOptions withProtocols(List<String> others) {
        return with(List.copyOf(others), cpuCores);
    }

    private RunOptions with(List<String> otherProtocols, double otherCores) {
        return new RunOptions(
                mode,
                otherProtocols,
                replicas,
                regions,
                linkMegabits,
                otherCores,
                quotaPeriodMicros,
                measuredSeconds,
                intervals,
                warmupSeconds,
                rounds,
                sessions,
                idleSessions,
                outstanding,
                valueBytes,
                keys,
                furtherZnodes,
                watches,
                readRatio,
                linearizableReads,
                levels,
                halfLoad,
                stages,
                jvmOptions,
                serverConfig,
                disks,
                serverLib,
                serverMain,
                dataParent,
                output,
                keepDirectories,
                maxStealShare,
                maxOtherCores);
    }
}
