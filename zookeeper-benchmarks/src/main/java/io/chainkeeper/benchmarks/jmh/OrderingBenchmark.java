package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.chain.ChainPaxosFactory;
import io.chainkeeper.iss.IssFactory;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.OrderingProtocolFactory;
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
 * What ordering costs per command: a protocol without sockets, files, threads and execution. The figure is the work of
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

    /** Which protocol. */
    @Param({"chain", "iss"})
    public String protocol;

    /** Replicas of the ensemble. */
    @Param({"3", "7"})
    public int replicas;

    /** Commands that are waiting each time the loop comes round. */
    @Param({"1", "16", "256"})
    public int batchCommands;

    /** Whether messages are encoded and decoded on the way. */
    @Param({"true", "false"})
    public boolean throughCodec;

    private ProtocolGroup group;
    private ByteSlice command;

    /** Starts the ensemble. */
    @Setup
    public void start() {
        OrderingProtocolFactory factory = protocol.equals("chain") ? new ChainPaxosFactory() : new IssFactory();
        group = new ProtocolGroup(factory, replicas, throughCodec);
        command = Commands.command();
    }

    /** @return position delivered at every replica */
    @Benchmark
    @OperationsPerInvocation(COMMANDS_PER_INVOCATION)
    public long order() {
        long before = group.delivered(1);
        for (int i = 0; i < COMMANDS_PER_INVOCATION; i += batchCommands) {
            for (int k = 0; k < batchCommands; k++) {
                group.propose(1 + (i + k) % group.size(), command);
            }
            group.settle();
        }
        long delivered = group.delivered(1);
        if (delivered == before) {
            throw new IllegalStateException("nothing was delivered after position " + before);
        }
        for (int id = 2; id <= group.size(); id++) {
            if (group.delivered(id) != delivered) {
                throw new IllegalStateException(
                        "replica " + id + " delivered " + group.delivered(id) + " positions, replica 1 " + delivered);
            }
        }
        return delivered;
    }
}
