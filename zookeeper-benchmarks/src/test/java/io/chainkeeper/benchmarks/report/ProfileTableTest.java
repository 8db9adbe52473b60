package io.chainkeeper.benchmarks.report;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.benchmarks.host.ThreadCpu;
import io.chainkeeper.benchmarks.rounds.Phase;
import io.chainkeeper.benchmarks.server.ServerProfile;
import io.chainkeeper.benchmarks.server.StageTotals.Stage;
import io.chainkeeper.benchmarks.server.UsageSample;
import io.chainkeeper.benchmarks.server.UsageSample.ServerUse;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** Where the servers' time went, as a reader sees it. */
public final class ProfileTableTest {
    private static Phase phase(String roleOf1, String roleOf2, List<ServerProfile> profiles) {
        UsageSample.Use use = new UsageSample.Use(
                10, 1000, List.of(new ServerUse(3000, 3000, 0, 0, 0), new ServerUse(9000, 9000, 0, 0, 0)), 0, 0, 0, 0);
        return new Phase(
                Phase.SATURATION,
                Phase.ALL_REPLICAS,
                List.of(roleOf1, roleOf2),
                use,
                null,
                true,
                0,
                Collections.emptySortedMap(),
                null,
                profiles);
    }

    private static ServerProfile profile(int id, double count, double mean, double user, double system) {
        return new ServerProfile(
                id,
                Map.of("ordering_fsync_micros", new Stage(count, mean), "bytes_received_count", new Stage(1, 1)),
                Map.of("executor", new ThreadCpu(user, system), "NIOWorkerThread", new ThreadCpu(1000, 2000)));
    }

    private static String line(String table, String begin) {
        return table.lines()
                .filter(l -> l.trim().startsWith(begin))
                .findFirst()
                .orElse("")
                .trim()
                .replaceAll(" +", " ");
    }

    @Test
    public void leaderChangesBetweenRounds_stagesAreGatheredByRoleAndWeighted() {
        String table = ProfileTable.of(
                "chain",
                List.of(
                        phase("leader", "follower", List.of(profile(1, 10, 100, 0, 0), profile(2, 1, 7, 0, 0))),
                        phase("follower", "leader", List.of(profile(1, 1, 9, 0, 0), profile(2, 30, 200, 0, 0)))));
        assertEquals("chain: mean of what servers measure leader follower", line(table, "chain: mean"));
        assertEquals("ordering_fsync_micros 175.0 8.0", line(table, "ordering_fsync_micros"));
        assertEquals("only in the result file", "", line(table, "bytes_received"));
    }

    @Test
    public void threads_userAndSystemTimePerOperationOfTheBusiestReplicaAndOfAll() {
        String table = ProfileTable.of(
                "chain",
                List.of(phase("leader", "follower", List.of(profile(1, 1, 1, 4000, 0), profile(2, 1, 1, 8000, 500)))));
        assertEquals("executor 8.00 0.50 12.00 0.50", line(table, "executor"));
        assertEquals("NIOWorkerThread 1.00 2.00 2.00 4.00", line(table, "NIOWorkerThread"));
        assertTrue(table, table.indexOf("executor") < table.indexOf("NIOWorkerThread"));
    }

    @Test
    public void nobodyAsked_nothingIsSaid() {
        assertEquals("", ProfileTable.of("zab", List.of(phase("leader", "follower", List.of()))));
    }

    @Test
    public void zookeepersPipeline_isShownWhereThereAreNoStagesOfTheOrder() {
        Map<String, Stage> stock = Map.of("fsynctime", new Stage(2, 3), "updatelatency", new Stage(2, 5));
        Map<String, Stage> both = new TreeMap<>(stock);
        both.put("ordering_fsync_micros", new Stage(2, 7));
        ServerProfile none = new ServerProfile(2, Map.of(), Map.of());
        String zab = ProfileTable.of(
                "zab", List.of(phase("leader", "follower", List.of(new ServerProfile(1, stock, Map.of()), none))));
        assertEquals("fsynctime 3.0 -", line(zab, "fsynctime"));
        assertEquals("updatelatency 5.0 -", line(zab, "updatelatency"));
        String chain = ProfileTable.of(
                "chain", List.of(phase("leader", "follower", List.of(new ServerProfile(1, both, Map.of()), none))));
        assertEquals("a stage of another pipeline", "", line(chain, "fsynctime"));
        assertEquals("updatelatency 5.0 -", line(chain, "updatelatency"));
        assertEquals("ordering_fsync_micros 7.0 -", line(chain, "ordering_fsync_micros"));
    }
}
