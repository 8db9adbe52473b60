package io.chainkeeper.clienttests.harness;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ConnectResponse;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;

/**
 * A connection to one server that speaks ZooKeeper's client protocol and does nothing by itself: no pings, no
 * reconnection. What a client does that hangs, vanishes or is late.
 */
public final class RawConnection implements AutoCloseable {
    private static final int READ_LIMIT_MILLIS = 20_000;

    private final Socket socket = new Socket();
    private final DataInputStream input;
    private final ConnectResponse session = new ConnectResponse();
    private int xid;

    private RawConnection(ServerProcess server, int sessionTimeoutMillis, long sessionId, byte[] password)
            throws IOException {
        socket.setSoTimeout(READ_LIMIT_MILLIS);
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(server.clientHost(), server.clientPort()), READ_LIMIT_MILLIS);
        input = new DataInputStream(socket.getInputStream());
        send(new ConnectRequest(0, 0, sessionTimeoutMillis, sessionId, password, false));
        session.deserialize(BinaryInputArchive.getArchive(receive()), "connect");
    }

    /** Opens a session at a server. */
    public static RawConnection open(ServerProcess server, int sessionTimeoutMillis) throws IOException {
        return new RawConnection(server, sessionTimeoutMillis, 0, new byte[16]);
    }

    /** Asks a server to continue a session; {@link #isAttached()} tells whether it does. */
    public static RawConnection attach(ServerProcess server, int sessionTimeoutMillis, long sessionId, byte[] password)
            throws IOException {
        return new RawConnection(server, sessionTimeoutMillis, sessionId, password);
    }

    /** Returns whether the server gave or continued a session; else it has said that there is none. */
    public boolean isAttached() {
        return session.getTimeOut() > 0;
    }

    /** Returns the session's id. */
    public long sessionId() {
        return session.getSessionId();
    }

    /** Returns what another connection needs to continue the session. */
    public byte[] password() {
        return session.getPasswd();
    }

    /**
     * Sends a request and waits for its answer; notifications of watches are skipped.
     *
     * @param type an operation code of {@code ZooDefs.OpCode}
     * @return the answer's header, with its error code
     * @throws EOFException if the server closed the connection instead
     */
    public ReplyHeader request(int type, Record request) throws IOException {
        ReplyHeader reply = new ReplyHeader();
        reply.deserialize(BinaryInputArchive.getArchive(answer(type, request)), "header");
        return reply;
    }

    /**
     * As {@link #request}.
     *
     * @return the whole answer, header first
     * @throws EOFException if the server closed the connection instead
     */
    public ByteArrayInputStream answer(int type, Record request) throws IOException {
        RequestHeader header = new RequestHeader(++xid, type);
        send(header, request);
        ByteArrayInputStream answer = receive();
        ReplyHeader reply = new ReplyHeader();
        reply.deserialize(BinaryInputArchive.getArchive(answer), "header");
        while (reply.getXid() != header.getXid()) {
            answer = receive();
            reply.deserialize(BinaryInputArchive.getArchive(answer), "header");
        }
        answer.reset();
        return answer;
    }

    /** Sends a request of which nobody waits for the answer. Waits for as long as the server takes no more. */
    public void ask(int type, Record request) throws IOException {
        send(new RequestHeader(++xid, type), request);
    }

    /**
     * Waits until the server closes the connection.
     *
     * @throws java.net.SocketTimeoutException if it does not within twenty seconds
     */
    public void awaitClosedByServer() throws IOException {
        try {
            while (true) {
                receive();
            }
        } catch (EOFException | SocketException e) {
            socket.close();
        }
    }

    /** Closes the connection; the session stays until it expires. */
    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void send(Record... records) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryOutputArchive archive = BinaryOutputArchive.getArchive(bytes);
        for (Record record : records) {
            record.serialize(archive, "record");
        }
        byte[] packet = ByteBuffer.allocate(4 + bytes.size())
                .putInt(bytes.size())
                .put(bytes.toByteArray())
                .array();
        socket.getOutputStream().write(packet);
    }

    private ByteArrayInputStream receive() throws IOException {
        byte[] packet = new byte[input.readInt()];
        input.readFully(packet);
        return new ByteArrayInputStream(packet);
    }
}
