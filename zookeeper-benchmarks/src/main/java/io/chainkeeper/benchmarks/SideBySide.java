package io.chainkeeper.benchmarks;

import io.chainkeeper.benchmarks.host.Cleanup;
import io.chainkeeper.benchmarks.options.RunOptions;
import io.chainkeeper.benchmarks.report.Report;
import io.chainkeeper.benchmarks.rounds.Bench;
import io.chainkeeper.benchmarks.rounds.Round;
import io.chainkeeper.benchmarks.rounds.RoundResult;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Measures ensembles of several protocols side by side. */
final class SideBySide {
    private SideBySide() {}

    /**
     * Measures.
     *
     * @param options the run
     * @param cleanup what must not outlive it
     * @param out told what is being done
     * @return the report
     * @throws Exception if a server or a client fails
     */
    static Report measure(RunOptions options, Cleanup cleanup, PrintStream out) throws Exception {
        Bench bench = Bench.open(options, cleanup, out);
        Round round = new Round(bench);
        List<RoundResult> results = new ArrayList<>();
        for (int i = 1; i <= options.rounds(); i++) {
            for (String protocol : bench.options().protocols()) {
                out.println("round " + i + " of " + options.rounds() + ", " + protocol);
                RoundResult result = round.run(protocol, i);
                result.voidReasons().forEach(reason -> out.println("  VOID " + reason));
                results.add(result);
            }
        }
        return new Report(bench.options(), bench.machine(), results);
    }
}
