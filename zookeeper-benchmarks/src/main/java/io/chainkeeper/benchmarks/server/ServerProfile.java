package io.chainkeeper.benchmarks.server;

import io.chainkeeper.benchmarks.host.ProcFiles;
import io.chainkeeper.benchmarks.host.ThreadCpu;
import io.chainkeeper.benchmarks.server.StageTotals.Stage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Where a server's time went in an interval.
 *
 * @param id of the server
 * @param stages what it measured itself, by name
 * @param threads CPU by the threads' name without its number
 */
public record ServerProfile(int id, Map<String, Stage> stages, Map<String, ThreadCpu> threads) {
    /**
     * Totals of one server at one moment.
     *
     * @param id of the server
     * @param stages since its start
     * @param threads since theirs, by thread id
     */
    public record Sample(int id, StageTotals stages, Map<Long, ThreadCpu.Named> threads) {}

    /**
     * Asks all servers.
     *
     * @param ensemble the servers
     * @param proc where threads are found
     * @return in the order of their ids
     * @throws IOException if one does not answer
     */
    public static List<Sample> sample(Ensemble ensemble, ProcFiles proc) throws IOException {
        List<Sample> samples = new ArrayList<>();
        for (ServerProcess server : ensemble.servers()) {
            samples.add(
                    new Sample(server.id(), StageTotals.parse(ensemble.monitor(server)), proc.threadCpu(server.pid())));
        }
        return samples;
    }

    /**
     * The difference of two samples.
     *
     * @param before the earlier
     * @param after the later, of the same servers
     * @return in the order of their ids
     */
    public static List<ServerProfile> between(List<Sample> before, List<Sample> after) {
        List<ServerProfile> profiles = new ArrayList<>();
        for (int i = 0; i < before.size(); i++) {
            Sample begin = before.get(i);
            Sample end = after.get(i);
            profiles.add(new ServerProfile(
                    begin.id(), begin.stages().until(end.stages()), ThreadCpu.byGroup(begin.threads(), end.threads())));
        }
        return profiles;
    }
}
