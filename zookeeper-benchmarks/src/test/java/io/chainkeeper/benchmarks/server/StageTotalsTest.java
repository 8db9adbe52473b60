package io.chainkeeper.benchmarks.server;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.benchmarks.server.StageTotals.Stage;
import java.util.Map;
import org.junit.Test;

/** Means of an interval out of totals since the start, from answers of servers of both kinds. */
public final class StageTotalsTest {
    @Test
    public void twoAnswersOfChainkeeper_meanOfWhatLiesBetweenThem() {
        StageTotals before = StageTotals.parse("""
                zk_version\t3.9.5
                zk_ordering_fsync_micros_avg\t700
                zk_ordering_fsync_micros_count\t100
                zk_ordering_fsync_micros_sum\t90000
                zk_ordering_execute_micros_count\t5
                zk_ordering_execute_micros_sum\t50
                """);
        StageTotals after = StageTotals.parse("""
                zk_version\t3.9.5
                zk_ordering_fsync_micros_avg\t600
                zk_ordering_fsync_micros_count\t300
                zk_ordering_fsync_micros_sum\t190000
                zk_ordering_execute_micros_count\t5
                zk_ordering_execute_micros_sum\t50
                """);
        assertEquals(Map.of("ordering_fsync_micros", new Stage(200, 500)), before.until(after));
    }

    @Test
    public void summariesOfZooKeeper_countAndSumAreFoundByTheirPrefix() {
        StageTotals start = StageTotals.parse("");
        StageTotals after = StageTotals.parse("""
                zk_avg_fsynctime\t1.5
                zk_cnt_fsynctime\t4
                zk_sum_fsynctime\t6
                zk_cnt_without_a_sum\t3
                zk_cnt_no_number\tthree
                zk_sum_no_number\t3
                This line is no metric
                """);
        assertEquals(Map.of("fsynctime", new Stage(4, 1.5)), start.until(after));
    }
}
