package io.chainkeeper.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ConnectResponse;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.server.ByteBufferInputStream;

/** A client that speaks ZooKeeper's protocol without any thread: it can fall silent and send nonsense. */
public final class RawClient implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final ConnectResponse session = new ConnectResponse();

    public RawClient(int port, int timeoutMillis) throws IOException {
        this(port, timeoutMillis, 0, new byte[16]);
    }

    public RawClient(int port, int timeoutMillis, long sessionId, byte[] password) throws IOException {
        this(new Socket("127.0.0.1", port), timeoutMillis, sessionId, password);
    }

    /** Over a connection that is open already, and closed with this client. */
    public RawClient(Socket connected, int timeoutMillis, long sessionId, byte[] password) throws IOException {
        socket = connected;
        socket.setSoTimeout(TestEnsemble.DEADLINE_SECONDS * 1000);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
        send(new ConnectRequest(0, 0, timeoutMillis, sessionId, password, false));
        ByteBufferInputStream.byteBuffer2Record(receive(), session);
    }

    /** Its id, 0 if the server refused it. */
    long sessionId() {
        return session.getSessionId();
    }

    byte[] password() {
        return session.getPasswd();
    }

    public void request(int xid, int opcode, Record record) throws IOException {
        send(new RequestHeader(xid, opcode), record);
    }

    /** Many requests that the server may get with one read; each a frame of {@link #frame}. */
    public void frames(byte[] frames) throws IOException {
        out.write(frames);
        out.flush();
    }

    /** A request as its bytes. */
    public static byte[] frame(int xid, int opcode, Record record) throws IOException {
        byte[] header = bytes(new RequestHeader(xid, opcode));
        byte[] body = bytes(record);
        return ByteBuffer.allocate(Integer.BYTES + header.length + body.length)
                .putInt(header.length + body.length)
                .put(header)
                .put(body)
                .array();
    }

    void requestBytes(int xid, int opcode, byte[] body) throws IOException {
        byte[] header = bytes(new RequestHeader(xid, opcode));
        out.writeInt(header.length + body.length);
        out.write(header);
        out.write(body);
        out.flush();
    }

    /** The next reply's header; its body is left unread. */
    public ReplyHeader reply() throws IOException {
        ReplyHeader header = new ReplyHeader();
        ByteBufferInputStream.byteBuffer2Record(receive(), header);
        return header;
    }

    /** Whether the server closes the connection before it sends anything more. */
    public boolean closedByServer() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    private ByteBuffer receive() throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        return ByteBuffer.wrap(frame);
    }

    private void send(Record... records) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        for (Record record : records) {
            if (record != null) {
                frame.write(bytes(record));
            }
        }
        out.writeInt(frame.size());
        out.write(frame.toByteArray());
        out.flush();
    }

    private static byte[] bytes(Record record) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        record.serialize(BinaryOutputArchive.getArchive(bytes), "record");
        return bytes.toByteArray();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
