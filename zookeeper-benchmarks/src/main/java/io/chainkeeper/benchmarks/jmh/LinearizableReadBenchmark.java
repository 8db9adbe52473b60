package io.chainkeeper.benchmarks.jmh;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.GetDataRequest;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a server does for linearizable reads besides the read round: getData of 128 bytes from the connection's parser
 * to its place behind the barrier, and from the barrier's end to the encoded answer. Per group of reads that share a
 * barrier, so divide by its size.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LinearizableReadBenchmark {
    private static final int VALUE_BYTES = 128;

    /** Reads that share a barrier. */
    @Param({"1", "64"})
    public int reads;

    private DrivenReplica replica;
    private List<byte[]> requests;

    /**
     * Starts the server.
     *
     * @throws IOException if its files cannot be written
     */
    @Setup
    public void start() throws IOException {
        replica = DrivenReplica.open(VALUE_BYTES);
        requests = new ArrayList<>();
        for (int i = 0; i < reads; i++) {
            requests.add(DrivenReplica.bytes(new GetDataRequest(DrivenReplica.path(i), false)));
        }
    }

    /**
     * Lets reads wait, and answers them.
     *
     * @return answers so far
     * @throws IOException never
     */
    @Benchmark
    public long readBehindBarrier() throws IOException {
        long before = replica.replies();
        for (byte[] body : requests) {
            replica.packet(OpCode.getData, body);
        }
        if (replica.replies() != before) {
            throw new IllegalStateException("a read was answered in front of its barrier");
        }
        replica.releaseReads();
        if (replica.replies() != before + reads) {
            throw new IllegalStateException(reads + " reads have got " + (replica.replies() - before) + " answers");
        }
        return replica.replies();
    }

    /**
     * Stops the server.
     *
     * @throws IOException if something stays behind
     */
    @TearDown
    public void close() throws IOException {
        replica.close();
    }
}
