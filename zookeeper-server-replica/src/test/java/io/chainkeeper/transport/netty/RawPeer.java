package io.chainkeeper.transport.netty;

import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.transport.handshake.HandshakeMessage;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A socket that says what a test wants, byte by byte. */
public final class RawPeer implements Closeable {
    private static final int READ_LIMIT_MILLIS = 60_000;

    public final Socket socket;

    public RawPeer(InetSocketAddress target) throws IOException {
        this(new Socket(target.getAddress(), target.getPort()));
    }

    public RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(READ_LIMIT_MILLIS);
        socket.setTcpNoDelay(true);
    }

    public static Hello hello(int sender, int receiver) {
        return hello(sender, receiver, Purpose.LINK);
    }

    public static Hello hello(int sender, int receiver, Purpose purpose) {
        return new Hello(sender, receiver, 0, 0, 0, purpose, "chain");
    }

    public static byte[] encode(HandshakeMessage message) {
        ByteBuf out = Unpooled.buffer();
        HandshakeMessage.encode(message, out);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    public RawPeer say(HandshakeMessage message) throws IOException {
        return say(encode(message));
    }

    public RawPeer say(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    public static byte[] frame(String text) {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Integer.BYTES + body.length)
                .putInt(body.length)
                .put(body)
                .array();
    }

    public RawPeer sayFrame(String text) throws IOException {
        return say(frame(text));
    }

    /** In one piece: the other side may close after any part of it, and then nothing more can be written. */
    public RawPeer sayAtOnce(byte[]... parts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return say(all.toByteArray());
    }

    /** Says nothing more. */
    public RawPeer finish() throws IOException {
        try {
            socket.shutdownOutput();
        } catch (SocketException e) {
            // The other side was faster: it has closed the connection.
        }
        return this;
    }

    public HandshakeMessage hear() throws IOException, MalformedMessageException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] envelope = new byte[HandshakeMessage.ENVELOPE_BYTES];
        in.readFully(envelope);
        int bodyBytes = Byte.toUnsignedInt(envelope[7]) << 8 | Byte.toUnsignedInt(envelope[8]);
        byte[] body = new byte[bodyBytes];
        in.readFully(body);
        return HandshakeMessage.decode(Unpooled.wrappedBuffer(envelope, body));
    }

    /** Reads until the other side closes. */
    public void awaitClosed() throws IOException {
        byte[] ignored = new byte[4096];
        try {
            while (socket.getInputStream().read(ignored) >= 0) {
                continue;
            }
        } catch (SocketException | EOFException e) {
            // A reset is a way to close too.
        }
    }

    /** Runs the whole handshake as a member with a larger id would. */
    public RawPeer join(int sender, int receiver) throws IOException, MalformedMessageException {
        return join(sender, receiver, Purpose.LINK);
    }

    /** The same for either purpose. */
    public RawPeer join(int sender, int receiver, Purpose purpose) throws IOException, MalformedMessageException {
        say(hello(sender, receiver, purpose));
        HandshakeMessage answer = hear();
        if (!(answer instanceof Hello)) {
            throw new AssertionError("expected a hello but got " + answer);
        }
        return say(new HandshakeMessage.Accepted());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
