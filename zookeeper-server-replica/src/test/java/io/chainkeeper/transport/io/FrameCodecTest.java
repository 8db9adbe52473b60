package io.chainkeeper.transport.io;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.Test;

public class FrameCodecTest {
    private static final int MAX_FRAME_BYTES = 100_000;

    private final List<ByteSlice> taken = new ArrayList<>();
    private final FrameReader reader = new FrameReader(MAX_FRAME_BYTES);

    private boolean take(ByteSlice frame) {
        taken.add(frame);
        return true;
    }

    private static ByteBuf prefix(int length) {
        return Unpooled.buffer().writeInt(length);
    }

    private static byte[] drain(FrameWriter writer, Random random) {
        ByteBuf all = Unpooled.buffer();
        while (writer.remainingBytes() > 0) {
            int capacity = Math.max(4, random.nextInt(200));
            ByteBuf chunk = Unpooled.buffer(capacity, capacity);
            int before = chunk.writerIndex();
            writer.fill(chunk);
            assertTrue("no progress", chunk.writerIndex() > before);
            all.writeBytes(chunk);
        }
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        return bytes;
    }

    @Test
    public void framesInPartsCutAnywhere_arriveWholeAndInOrder() throws Exception {
        Random random = new Random(1);
        FrameWriter writer = new FrameWriter();
        List<ByteSlice> sent = new ArrayList<>();
        List<ByteSlice[]> batch = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            byte[] body = new byte[random.nextInt(random.nextInt(400) + 1)];
            random.nextBytes(body);
            int cut = random.nextInt(body.length + 1);
            ByteSlice whole = ByteSlice.of(body);
            batch.add(new ByteSlice[] {
                whole.slice(0, cut), ByteSlice.EMPTY, whole.slice(cut, body.length - cut), ByteSlice.EMPTY
            });
            sent.add(whole);
        }
        writer.add(batch);
        byte[] bytes = drain(writer, random);

        for (int at = 0; at < bytes.length; ) {
            int size = Math.min(bytes.length - at, 1 + random.nextInt(50));
            reader.read(Unpooled.wrappedBuffer(bytes, at, size), this::take);
            at += size;
        }

        assertEquals(sent, taken);
        assertEquals(300, writer.finishedFrames());
        assertEquals(bytes.length - 4L * 300, writer.finishedBytes());
    }

    @Test
    public void emptyFrame_isDeliveredAtOnce() throws Exception {
        reader.read(prefix(0), this::take);

        assertEquals(List.of(ByteSlice.EMPTY), taken);
    }

    @Test
    public void pingBetweenFramesByteByByte_isNoFrame() throws Exception {
        ByteBuf in = Unpooled.buffer();
        in.writeInt(1).writeByte(7).writeInt(FrameReader.PING).writeInt(FrameReader.PING);
        in.writeInt(2).writeShort(9);
        while (in.isReadable()) {
            reader.read(in.readSlice(1), this::take);
        }

        assertEquals(List.of(ByteSlice.of(new byte[] {7}), ByteSlice.of(new byte[] {0, 9})), taken);
    }

    @Test
    public void lengthOverTheBound_isRefusedBeforeAnythingIsAllocated() {
        for (int length : new int[] {MAX_FRAME_BYTES + 1, Integer.MAX_VALUE, -2, Integer.MIN_VALUE}) {
            MalformedMessageException refused = assertThrows(
                    MalformedMessageException.class,
                    () -> new FrameReader(MAX_FRAME_BYTES).read(prefix(length), this::take));
            assertTrue(refused.getMessage(), refused.getMessage().contains(Integer.toUnsignedString(length)));
        }
        assertEquals(List.of(), taken);
    }

    @Test
    public void sinkWantsNoMore_restIsLeft() throws Exception {
        ByteBuf in = Unpooled.buffer().writeInt(0).writeInt(0);

        reader.read(in, frame -> {
            take(frame);
            return false;
        });

        assertEquals(1, taken.size());
        assertEquals(4, in.readableBytes());
    }
}
