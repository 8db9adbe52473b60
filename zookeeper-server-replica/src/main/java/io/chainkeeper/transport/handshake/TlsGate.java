package io.chainkeeper.transport.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;

/**
 * First handler of an accepted connection when TLS is on: puts TLS in its own place, unless the first byte shows a peer
 * that was started without TLS. Such a peer is let in if that is allowed; if not, it is refused, in plain text, which
 * is the only language it speaks.
 */
public final class TlsGate extends ChannelInboundHandlerAdapter {
    private static final int FIRST_BYTE_OF_PLAIN_HELLO = HandshakeMessage.MAGIC >>> 24;

    private final SslHandler tls;
    private final HandshakeHandler handshake;
    private final boolean admitsPlain;

    /**
     * @param tls decrypts for the handshake
     * @param handshake told if the peer sends plain text but may not
     * @param admitsPlain whether a peer without TLS is let in
     */
    public TlsGate(SslHandler tls, HandshakeHandler handshake, boolean admitsPlain) {
        this.tls = tls;
        this.handshake = handshake;
        this.admitsPlain = admitsPlain;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (!in.isReadable()) {
            in.release();
            return;
        }
        if (in.getUnsignedByte(in.readerIndex()) == FIRST_BYTE_OF_PLAIN_HELLO) {
            if (!admitsPlain) {
                handshake.refuseForLackOfTls();
            }
            context.pipeline().remove(this);
        } else {
            context.pipeline().replace(this, "tls", tls);
        }
        context.pipeline().fireChannelRead(message);
    }
}
