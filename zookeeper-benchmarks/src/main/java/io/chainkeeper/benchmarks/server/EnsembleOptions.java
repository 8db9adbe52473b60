package io.chainkeeper.benchmarks.server;

import java.util.Map;

/**
 * What the servers of one ensemble are told.
 *
 * @param replicas how many servers
 * @param linearizableReads whether protocols other than zab answer reads linearizably
 * @param serverConfig further lines of every zoo.cfg
 */
public record EnsembleOptions(int replicas, boolean linearizableReads, Map<String, String> serverConfig) {}
