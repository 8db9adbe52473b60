package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.chain.ChainPaxosFactory;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.transport.io.FrameWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
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

/** What it costs to send commands to the leader, up to the buffer that the socket writes from. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ForwardedCommandsBenchmark {
    private static final byte REDIRECT_REQUEST = 14;
    private static final int COMMANDS = 4;

    /** Of each command. */
    @Param({"128", "2048", "4096", "65536"})
    public int commandBytes;

    private final MessageCodec codec = new ChainPaxosFactory().codec();
    private final FrameWriter writer = new FrameWriter();
    private final ByteBuf chunk = Unpooled.directBuffer(FrameWriter.CHUNK_BYTES, FrameWriter.CHUNK_BYTES);
    private Message message;

    /**
     * Makes the message.
     *
     * @throws MalformedMessageException never
     */
    @Setup
    public void decodeMessage() throws MalformedMessageException {
        List<ProposedCommand> commands = new ArrayList<>();
        for (int i = 1; i <= COMMANDS; i++) {
            commands.add(new ProposedCommand(2, 1, 0, i, ByteSlice.of(new byte[commandBytes])));
        }
        ByteSlice batch = BatchCodec.encode(commands); // the message goes on as a batch does
        ByteBuffer frame = ByteBuffer.allocate(1 + Long.BYTES + Integer.BYTES + Long.BYTES + batch.length());
        frame.put(REDIRECT_REQUEST).putLong(1).putInt(1).putLong(1).put(batch.asByteBuffer());
        message = codec.decode(ByteSlice.of(frame.array()));
    }

    /** @return bytes left, 0 */
    @Benchmark
    public long sendToLeader() {
        writer.add(List.<ByteSlice[]>of(codec.encode(message)));
        while (writer.remainingBytes() > 0) {
            writer.fill(chunk.clear());
        }
        return writer.remainingBytes();
    }
}
