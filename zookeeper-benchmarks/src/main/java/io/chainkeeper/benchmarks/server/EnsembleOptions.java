package io.chainkeeper.benchmarks.server;

import io.chainkeeper.benchmarks.relay.Region;
import java.util.List;
import java.util.Map;

/**
 * What the servers of one ensemble are told.
 *
 * @param replicas how many servers
 * @param regions where they stand, in the order of their ids; empty if all stand beside each other
 * @param linearizableReads whether protocols other than zab answer reads linearizably
 * @param serverConfig further lines of every zoo.cfg; those that begin with {@code disk.} only where servers have disks
 * @param disks what servers share that order on disks
 */
public record EnsembleOptions(
        int replicas,
        List<Region> regions,
        boolean linearizableReads,
        Map<String, String> serverConfig,
        SharedDisks disks) {}
