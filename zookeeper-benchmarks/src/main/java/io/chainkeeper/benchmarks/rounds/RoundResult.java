package io.chainkeeper.benchmarks.rounds;

import java.util.List;

/**
 * One measurement of one protocol.
 *
 * @param protocol value of {@code ordering.protocol}
 * @param round 1, 2, 3, ...
 * @param secondsToServe from the start of the servers' processes until all of them served
 * @param heapBytesPerZnode by how much the live heap of the largest server grew for each of the further znodes; null if
 *     there were none
 * @param phases what was measured
 * @param voidReasons what disturbed which interval; empty if nothing did
 */
public record RoundResult(
        String protocol,
        int round,
        double secondsToServe,
        Double heapBytesPerZnode,
        List<Phase> phases,
        List<String> voidReasons) {}
