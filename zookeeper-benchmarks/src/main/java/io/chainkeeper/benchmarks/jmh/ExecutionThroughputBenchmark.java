package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.command.AuthId;
import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.jute.Record;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.SetDataRequest;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How many writes a server's apply thread executes in a second while nothing keeps it waiting: decided batches from
 * memory, as large as the order makes them, by the server's own executor, into ZooKeeper's data tree and transaction
 * log. With {@code -jvmArgsAppend -Djava.io.tmpdir=/dev/shm} the log lies in memory. With {@code -t 2} two servers
 * execute at the same time and share nothing: no way to execute one order on two cores can be faster.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(ExecutionThroughputBenchmark.COMMANDS)
@Warmup(iterations = 12, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class ExecutionThroughputBenchmark {
    /** Commands that one invocation executes. */
    static final int COMMANDS = 64;

    /** As {@code chain.maxBatchBytes} and {@code chain.windowInstances} are by default. */
    private static final int BATCH_BYTES = 256 << 10;

    private static final int BATCHES_AT_HAND = 4;

    /** Writes of clients. */
    public enum Write {
        /** setData of 128 bytes. */
        SET_128_B(1, 128),
        /** setData of 4 kB. */
        SET_4_KB(1, 4 << 10),
        /** setData of 64 kB. */
        SET_64_KB(1, 64 << 10),
        /** setData of 512 kB. */
        SET_512_KB(1, 512 << 10),
        /** A multi of ten setData of 128 bytes. */
        MULTI_OF_10(10, 128);

        private final int operations;
        private final int valueBytes;

        Write(int operations, int valueBytes) {
            this.operations = operations;
            this.valueBytes = valueBytes;
        }

        private int opcode() {
            return operations == 1 ? OpCode.setData : OpCode.multi;
        }

        private byte[] body(int index) {
            if (operations == 1) {
                return DrivenReplica.bytes(new SetDataRequest(DrivenReplica.path(index), new byte[valueBytes], -1));
            }
            List<Op> parts = new ArrayList<>();
            for (int part = 0; part < operations; part++) {
                parts.add(Op.setData(DrivenReplica.path(index * operations + part), new byte[valueBytes], -1));
            }
            Record multi = new MultiOperationRecord(parts);
            return DrivenReplica.bytes(multi);
        }
    }

    /** What is executed. */
    @Param
    public Write write;

    private DrivenReplica replica;
    private final List<List<ByteSlice>> batches = new ArrayList<>();

    /**
     * Starts the server.
     *
     * @throws IOException if its files cannot be written
     */
    @Setup
    public void start() throws IOException {
        replica = DrivenReplica.open(write.valueBytes);
        List<ProposedCommand> batch = new ArrayList<>();
        int bytes = 0;
        for (int i = 0; i < COMMANDS; i++) {
            byte[] body = write.body(i);
            ByteSlice command = CommandCodec.encode(new Command.ClientRequest(
                    System.currentTimeMillis(),
                    replica.sessionId(),
                    1,
                    write.opcode(),
                    List.of(new AuthId("ip", "127.0.0.1")),
                    ByteSlice.of(body),
                    Command.ClientRequest.QUOTA_KEPT));
            if (bytes + command.length() > BATCH_BYTES) {
                add(batch);
                batch = new ArrayList<>();
                bytes = 0;
            }
            batch.add(new ProposedCommand(1, 1, 0, i + 1, command));
            bytes += command.length();
        }
        add(batch);
    }

    private void add(List<ProposedCommand> batch) {
        if (batches.isEmpty() || batches.get(batches.size() - 1).size() == BATCHES_AT_HAND) {
            batches.add(new ArrayList<>());
        }
        batches.get(batches.size() - 1).add(BatchCodec.encode(batch));
    }

    /**
     * What other replicas have proposed: decoded, checked, prepared, logged, applied.
     *
     * @throws MalformedMessageException never
     */
    @Benchmark
    public void executeOthers() throws MalformedMessageException {
        for (List<ByteSlice> atHand : batches) {
            replica.executeForeign(atHand);
        }
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
