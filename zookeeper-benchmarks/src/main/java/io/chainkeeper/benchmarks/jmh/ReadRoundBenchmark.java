package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.chain.ChainPaxosFactory;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What ChainPaxos does for one read barrier, which any number of reads shares: from asking for it to the answer that
 * releases it, without sockets and threads. The figure is the work of all replicas together, asking at each of them in
 * turn.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ReadRoundBenchmark {
    private static final int ROUNDS_PER_INVOCATION = 1024;

    /** Replicas of the chain. */
    @Param({"3", "7"})
    public int replicas;

    private ProtocolGroup chain;

    /** Starts the chain. */
    @Setup
    public void start() {
        chain = new ProtocolGroup(new ChainPaxosFactory(), replicas, true);
    }

    /** @return barriers reached so far */
    @Benchmark
    @OperationsPerInvocation(ROUNDS_PER_INVOCATION)
    public long readRound() {
        long before = chain.barriersReached();
        for (int i = 0; i < ROUNDS_PER_INVOCATION; i++) {
            chain.readBarrier(1 + i % chain.size());
            chain.settle();
        }
        if (chain.barriersReached() != before + ROUNDS_PER_INVOCATION) {
            throw new IllegalStateException("only " + (chain.barriersReached() - before) + " barriers were reached");
        }
        return chain.barriersReached();
    }
}
