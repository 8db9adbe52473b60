package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.command.AuthId;
import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.SetDataRequest;
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

/** A client's setData as a command: into bytes at its own replica, and back at every replica. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CommandCodecBenchmark {
    /** Data of the znode. */
    @Param({"128", "1024", "65536"})
    public int valueBytes;

    private Command.ClientRequest request;
    private ByteSlice encoded;

    /** Makes the request. */
    @Setup
    public void makeRequest() {
        request = request(1, DrivenReplica.bytes(new SetDataRequest(DrivenReplica.path(0), new byte[valueBytes], -1)));
        encoded = CommandCodec.encode(request);
    }

    /**
     * @param sessionId of the client
     * @param body of a setData
     * @return the command as the client's replica proposes it
     */
    static Command.ClientRequest request(long sessionId, byte[] body) {
        return new Command.ClientRequest(
                System.currentTimeMillis(),
                sessionId,
                1,
                OpCode.setData,
                List.of(new AuthId("ip", "127.0.0.1")),
                ByteSlice.of(body),
                Command.ClientRequest.QUOTA_KEPT);
    }

    /** @return the encoded command */
    @Benchmark
    public ByteSlice encode() {
        return CommandCodec.encode(request);
    }

    /**
     * @return the decoded command; its payload is a slice of the bytes
     * @throws MalformedMessageException never
     */
    @Benchmark
    public Command decode() throws MalformedMessageException {
        return CommandCodec.decode(encoded);
    }
}
