package io.chainkeeper.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;

/**
 * Breaks a connection of ZooKeeper's client protocol with the first frame that is empty. ZooKeeper's Netty connections
 * notice such a frame only when the next bytes come; its NIO ones at once. Used by the I/O thread of the connection.
 */
final class EmptyFrames extends ChannelInboundHandlerAdapter {
    private int length;
    private int lengthBytes;
    private long restOfFrame;
    private boolean isOver;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws IOException {
        if (!isOver && message instanceof ByteBuf bytes && holdsEmptyFrame(bytes)) {
            isOver = true;
            ReferenceCountUtil.release(message);
            throw new IOException("it sent a request of no bytes");
        }
        context.fireChannelRead(message);
    }

    private boolean holdsEmptyFrame(ByteBuf bytes) {
        int at = bytes.readerIndex();
        int end = bytes.writerIndex();
        while (at < end) {
            if (restOfFrame > 0) {
                long part = Math.min(restOfFrame, end - at);
                restOfFrame -= part;
                at += (int) part;
                continue;
            }
            length = length << Byte.SIZE | bytes.getUnsignedByte(at++);
            if (++lengthBytes == Integer.BYTES) {
                if (length == 0) {
                    return true;
                }
                // A four-letter word is no length: as a number it is larger than any. Neither is what is negative.
                restOfFrame = length < 0 ? Long.MAX_VALUE : length;
                length = 0;
                lengthBytes = 0;
            }
        }
        return false;
    }
}
