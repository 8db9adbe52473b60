package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.prefix.PrefixHashes;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
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

/** What a decided batch costs to be hashed into the prefix (every replica); per batch, so divide by its size. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PrefixHashBenchmark {
    /** Commands in a batch. */
    @Param({"1", "100"})
    public int batchCommands;

    private ByteSlice value;
    private final PrefixHashes hashes = new PrefixHashes();

    /** Makes the batch. */
    @Setup
    public void makeBatch() {
        value = BatchCodec.encode(Commands.batch(batchCommands));
    }

    /** @return hash of the prefix with the batch */
    @Benchmark
    public long append() {
        return hashes.append(value);
    }

    /** @return for comparison: 32 bits, of the batch alone */
    @Benchmark
    public long crc32c() {
        CRC32C crc = new CRC32C();
        crc.update(value.array(), value.offset(), value.length());
        return crc.getValue();
    }
}
