package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A batch into bytes (the leader) and back (every replica); per batch, so divide by its size. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BatchCodecBenchmark {
    /** Commands in a batch. */
    @Param({"1", "16", "256"})
    public int batchCommands;

    private List<ProposedCommand> commands;
    private ByteSlice value;

    /** Makes the batch. */
    @Setup
    public void makeBatch() {
        commands = Commands.batch(batchCommands);
        value = BatchCodec.encode(commands);
    }

    /** @return the encoded batch */
    @Benchmark
    public ByteSlice encode() {
        return BatchCodec.encode(commands);
    }

    /**
     * @return the decoded batch
     * @throws MalformedMessageException never
     */
    @Benchmark
    public List<ProposedCommand> decode() throws MalformedMessageException {
        return BatchCodec.decode(value);
    }
}
