package io.chainkeeper.benchmarks.options;

import io.chainkeeper.benchmarks.server.EnsembleOptions;
import io.chainkeeper.benchmarks.server.ServerCommand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A run in which servers are stopped, as the user asked for it, complete and checked. Every combination of protocol,
 * replicas, tree and victim is measured in every round.
 *
 * @param run what it has in common with other runs; its replicas are the most of all ensembles
 * @param replicas servers of an ensemble
 * @param treeMegabytes sizes of the tree before the fault, in 10^6 bytes of data; 0 for none
 * @param victims which server is stopped
 * @param sessionsPerReplica writers connected to each server
 * @param writesPerSecond of all writers together, at most; 0 for as many as succeed
 * @param suspicionMillis {@code suspicionTimeoutMillis} of the protocol, in milliseconds
 * @param downSeconds how long the victim is left dead
 * @param rejoinSeconds bound of the time that the victim takes to come back
 * @param faultsPerRound how often the victim is stopped and comes back in each ensemble
 */
public record FaultOptions(
        RunOptions run,
        List<Integer> replicas,
        List<Integer> treeMegabytes,
        List<Victim> victims,
        int sessionsPerReplica,
        int writesPerSecond,
        int suspicionMillis,
        int downSeconds,
        int rejoinSeconds,
        int faultsPerRound) {
    private static final String SUSPICION_KEY = ".suspicionTimeoutMillis";

    /**
     * What the servers of one ensemble are told.
     *
     * @param scenario chooses protocol and replicas
     * @return the options; lines that the user gave win
     */
    public EnsembleOptions ensemble(Scenario scenario) {
        Map<String, String> config = new LinkedHashMap<>();
        if (!scenario.protocol().equals(ServerCommand.ZAB)) {
            config.put(scenario.protocol() + SUSPICION_KEY, Integer.toString(suspicionMillis));
        }
        config.putAll(run.serverConfig());
        return new EnsembleOptions(scenario.replicas(), List.of(), run.linearizableReads(), config, run.disks());
    }

    /** @return the scenarios of one round, in the order in which they are measured */
    public List<Scenario> scenarios() {
        return replicas.stream()
                .flatMap(count -> treeMegabytes.stream()
                        .flatMap(tree -> victims.stream()
                                .flatMap(victim -> run.protocols().stream()
                                        .map(protocol -> new Scenario(protocol, count, tree, victim)))))
                .toList();
    }
}
