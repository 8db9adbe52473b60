package io.chainkeeper.server.connection;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.Test;

/** Frames pass untouched, however they are cut, until one is empty. */
public final class EmptyFramesTest {
    private static final int MANY = 1 << 20;

    private static ByteBuf frames(int... lengths) {
        ByteBuf bytes = Unpooled.buffer();
        for (int length : lengths) {
            // Zeros: they must not be taken for a length.
            bytes.writeInt(length).writeZero(length);
        }
        return bytes;
    }

    private static int passed(EmbeddedChannel channel) {
        int bytes = 0;
        for (ByteBuf part = channel.readInbound(); part != null; part = channel.readInbound()) {
            bytes += part.readableBytes();
            part.release();
        }
        return bytes;
    }

    private static void write(EmbeddedChannel channel, ByteBuf bytes, int pieceBytes) {
        while (bytes.isReadable()) {
            channel.writeInbound(bytes.readBytes(Math.min(pieceBytes, bytes.readableBytes())));
        }
        bytes.release();
    }

    @Test
    public void frames_pass() {
        for (int pieceBytes : new int[] {1, 3, 4, 7, MANY}) {
            EmbeddedChannel channel = new EmbeddedChannel(new EmptyFrames());
            ByteBuf bytes = frames(5, 1, 4, 300);
            int length = bytes.readableBytes();
            write(channel, bytes, pieceBytes);
            assertEquals(length, passed(channel));
            channel.finishAndReleaseAll();
        }
    }

    @Test
    public void emptyFrame_breaksTheConnection() {
        for (int pieceBytes : new int[] {1, 3, 4, 7, MANY}) {
            EmbeddedChannel channel = new EmbeddedChannel(new EmptyFrames());
            assertThrows(IOException.class, () -> write(channel, frames(5, 0), pieceBytes));
            channel.finishAndReleaseAll();
        }
    }

    @Test
    public void whatIsNoLength_isLeftToZooKeeper() {
        EmbeddedChannel words = new EmbeddedChannel(new EmptyFrames());
        write(words, Unpooled.copiedBuffer("ruok\0\0\0\0", StandardCharsets.US_ASCII), MANY);
        assertEquals(8, passed(words));
        EmbeddedChannel negative = new EmbeddedChannel(new EmptyFrames());
        write(negative, Unpooled.buffer().writeInt(-1).writeInt(0), MANY);
        assertEquals(8, passed(negative));
        assertNull(negative.readInbound());
    }
}
