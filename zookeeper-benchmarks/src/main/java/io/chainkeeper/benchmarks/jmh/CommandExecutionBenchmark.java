package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.SetDataRequest;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
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
 * What a server does for writes besides ordering them: setData of 128 bytes, by the server's own executor, into
 * ZooKeeper's data tree and transaction log. Per batch, so divide by its size.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class CommandExecutionBenchmark {
    private static final int VALUE_BYTES = 128;

    /** Commands in the batch. */
    @Param({"1", "16", "256"})
    public int batchCommands;

    private DrivenReplica replica;
    private List<byte[]> requests;
    private List<ByteSlice> batch;

    /**
     * Starts the server.
     *
     * @throws IOException if its files cannot be written
     */
    @Setup
    public void start() throws IOException {
        replica = DrivenReplica.open(VALUE_BYTES);
        requests = new ArrayList<>();
        List<ProposedCommand> commands = new ArrayList<>();
        for (int i = 0; i < batchCommands; i++) {
            byte[] body = DrivenReplica.bytes(new SetDataRequest(DrivenReplica.path(i), new byte[VALUE_BYTES], -1));
            requests.add(body);
            commands.add(new ProposedCommand(
                    1, 1, 0, i + 1, CommandCodec.encode(CommandCodecBenchmark.request(replica.sessionId(), body))));
        }
        batch = List.of(BatchCodec.encode(commands));
    }

    /**
     * A batch that other replicas have proposed: decoded, checked, prepared, logged, applied.
     *
     * @throws MalformedMessageException never
     */
    @Benchmark
    public void executeForeignBatch() throws MalformedMessageException {
        replica.executeForeign(batch);
    }

    /**
     * The requests of this server's own client, from the connection's parser to the encoded answers: checked, encoded,
     * proposed, executed as above, answered.
     *
     * @return answers so far
     * @throws IOException never
     */
    @Benchmark
    public long serveOwnRequests() throws IOException {
        long before = replica.replies();
        for (byte[] body : requests) {
            replica.packet(OpCode.setData, body);
        }
        replica.execute();
        if (replica.replies() != before + batchCommands) {
            throw new IllegalStateException(
                    batchCommands + " requests have got " + (replica.replies() - before) + " answers");
        }
        return replica.replies();
    }

    /**
     * Keeps the disk from filling up.
     *
     * @throws IOException if an old file cannot be deleted
     */
    @TearDown(Level.Iteration)
    public void dropOldLogs() throws IOException {
        replica.dropOldLogs();
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
