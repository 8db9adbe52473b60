package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.chain.ChainPaxosFactory;
import io.chainkeeper.ordering.ByteSlice;
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
 * What ordering costs per command: ChainPaxos without sockets, files, threads and execution. The figure is the work of
 * all replicas together, proposing at each of them in turn; a replica's share is about a third at three replicas.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class OrderingBenchmark {
    private static final int COMMANDS_PER_INVOCATION = 1024;

    /** Replicas of the chain. */
    @Param({"3", "7"})
    public int replicas;

    /** Commands that are waiting each time the loop comes round. */
    @Param({"1", "16", "256"})
    public int batchCommands;

    /** Whether messages are encoded and decoded on the way. */
    @Param({"true", "false"})
    public boolean throughCodec;

    private ProtocolGroup chain;
    private ByteSlice command;

    /** Starts the chain. */
    @Setup
    public void start() {
        chain = new ProtocolGroup(new ChainPaxosFactory(), replicas, throughCodec);
        command = Commands.command();
    }

    /** @return position delivered at every replica */
    @Benchmark
    @OperationsPerInvocation(COMMANDS_PER_INVOCATION)
    public long order() {
        long before = chain.delivered(1);
        for (int i = 0; i < COMMANDS_PER_INVOCATION; i += batchCommands) {
            for (int k = 0; k < batchCommands; k++) {
                chain.propose(1 + (i + k) % chain.size(), command);
            }
            chain.settle();
        }
        long delivered = chain.delivered(1);
        if (delivered == before) {
            throw new IllegalStateException("nothing was delivered after position " + before);
        }
        for (int id = 2; id <= chain.size(); id++) {
            if (chain.delivered(id) != delivered) {
                throw new IllegalStateException(
                        "replica " + id + " delivered " + chain.delivered(id) + " positions, replica 1 " + delivered);
            }
        }
        return delivered;
    }
}
