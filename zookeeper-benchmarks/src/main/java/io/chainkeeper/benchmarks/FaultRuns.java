package io.chainkeeper.benchmarks;

import io.chainkeeper.benchmarks.faults.FaultResult;
import io.chainkeeper.benchmarks.faults.FaultRound;
import io.chainkeeper.benchmarks.host.Cleanup;
import io.chainkeeper.benchmarks.options.FaultOptions;
import io.chainkeeper.benchmarks.options.Scenario;
import io.chainkeeper.benchmarks.report.FaultReport;
import io.chainkeeper.benchmarks.rounds.Bench;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Measures what happens to clients when a server is stopped and comes back: the modes failover and join. */
final class FaultRuns {
    private FaultRuns() {}

    /**
     * Measures. Results are written after each round, so that a long run that is stopped leaves what it has.
     *
     * @param options the run
     * @param cleanup what must not outlive it
     * @param out told what is being done
     * @return the report
     * @throws Exception if the machine is not fit for the run
     */
    static FaultReport measure(FaultOptions options, Cleanup cleanup, PrintStream out) throws Exception {
        Bench bench = Bench.open(options.run(), cleanup, out);
        List<FaultResult> results = new ArrayList<>();
        FaultReport report = new FaultReport(options, bench.machine(), results);
        for (int round = 1; round <= options.run().rounds(); round++) {
            for (Scenario scenario : options.scenarios()) {
                out.println("round " + round + " of " + options.run().rounds() + ", " + scenario);
                for (FaultResult result : new FaultRound(bench, options, scenario, round).run()) {
                    result.voidReasons().forEach(reason -> out.println("  VOID " + reason));
                    if (result.failure() != null) {
                        out.println("  FAILED " + result.failure());
                    }
                    results.add(result);
                }
                if (options.run().output() != null) {
                    report.writeTo(options.run().output());
                }
            }
        }
        return report;
    }
}
