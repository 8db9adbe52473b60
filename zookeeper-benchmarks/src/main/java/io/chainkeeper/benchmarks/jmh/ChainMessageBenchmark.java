package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.chain.ChainPaxosFactory;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
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

/** The Accept that carries a batch down the chain, into bytes and back; per message, whatever its batch. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ChainMessageBenchmark {
    private static final int REPLICAS = 3;

    /** Commands in the batch. */
    @Param({"1", "256"})
    public int batchCommands;

    private MessageCodec codec;
    private Message accept;
    private ByteSlice frame;

    /** Takes a real Accept out of a running chain. */
    @Setup
    public void takeAccept() {
        ChainPaxosFactory factory = new ChainPaxosFactory();
        codec = factory.codec();
        ProtocolGroup chain = new ProtocolGroup(factory, REPLICAS, true);
        ByteSlice command = Commands.command();
        for (int i = 0; i < batchCommands; i++) {
            chain.propose(chain.leader(), command);
        }
        chain.settle();
        accept = chain.largestMessage();
        frame = ProtocolGroup.join(codec.encode(accept));
        if (!accept.toString().startsWith("Accept(")) {
            throw new IllegalStateException("the largest message is " + accept);
        }
    }

    /** @return the parts of the encoded message; the value is one of them, not copied */
    @Benchmark
    public ByteSlice[] encode() {
        return codec.encode(accept);
    }

    /**
     * @return the decoded message
     * @throws MalformedMessageException never
     */
    @Benchmark
    public Message decode() throws MalformedMessageException {
        return codec.decode(frame);
    }
}
