package io.chainkeeper.clienttests.compat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ConnectResponse;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.proto.WatcherEvent;

/**
 * Speaks the client protocol and nothing by itself: no check of what it sends, no ping, no reconnection. Descriptions
 * of answers name what the records hold that does not differ between two runs.
 */
final class WireClient implements AutoCloseable {
    private static final int READ_LIMIT_MILLIS = 10_000;
    private static final int NOTIFICATION_XID = -1;

    private final Socket socket = new Socket();
    private final DataInputStream input;
    private final ConnectResponse session = new ConnectResponse();
    private int xid;
    private long lastZxid;

    WireClient(int port) throws IOException {
        socket.setSoTimeout(READ_LIMIT_MILLIS);
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress("127.0.0.1", port), READ_LIMIT_MILLIS);
        input = new DataInputStream(socket.getInputStream());
    }

    /** Asks for a session, or to go on with one; says what came of it. */
    String connect(ConnectRequest request) throws IOException {
        sendFrame(bytes(request));
        try {
            session.deserialize(archive(receive()), "connect");
        } catch (EOFException | SocketException e) {
            return "closed";
        }
        return session.getTimeOut() > 0 ? "session, timeout " + session.getTimeOut() : "no session";
    }

    /** Opens a session. */
    WireClient open(int timeoutMillis) throws IOException {
        String answer = connect(new ConnectRequest(0, 0, timeoutMillis, 0, new byte[16], false));
        if (session.getTimeOut() <= 0) {
            throw new IOException("a new session was refused: " + answer);
        }
        return this;
    }

    /** Returns the zxid of the last reply that was described. */
    long lastZxid() {
        return lastZxid;
    }

    long sessionId() {
        return session.getSessionId();
    }

    byte[] password() {
        return session.getPasswd();
    }

    /** Sends a request without waiting; returns its xid. */
    int send(int type, Record... records) throws IOException {
        xid++;
        sendAs(xid, type, records);
        return xid;
    }

    /** Sends a request with an xid of its own. */
    void sendAs(int ownXid, int type, Record... records) throws IOException {
        sendFrame(bytes(prepend(new RequestHeader(ownXid, type), records)));
    }

    /** Sends requests in one piece, without waiting for any answer. */
    void sendTogether(List<Request> requests) throws IOException {
        ByteArrayOutputStream together = new ByteArrayOutputStream();
        for (Request request : requests) {
            xid++;
            byte[] frame = bytes(prepend(new RequestHeader(xid, request.type()), request.record()));
            together.write(
                    ByteBuffer.allocate(Integer.BYTES).putInt(frame.length).array());
            together.write(frame);
        }
        socket.getOutputStream().write(together.toByteArray());
    }

    /**
     * A request to be sent.
     *
     * @param type operation code
     * @param record its record
     */
    record Request(int type, Record record) {}

    private static Record[] prepend(Record header, Record... records) {
        Record[] all = new Record[records.length + 1];
        all[0] = header;
        System.arraycopy(records, 0, all, 1, records.length);
        return all;
    }

    /** Sends bytes as one frame. */
    void sendFrame(byte[] frame) throws IOException {
        sendBytes(ByteBuffer.allocate(Integer.BYTES + frame.length)
                .putInt(frame.length)
                .put(frame)
                .array());
    }

    /** Sends bytes as they are. */
    void sendBytes(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Sends a request; returns its answer and the events before it in words. */
    String ask(int type, Record... records) throws IOException {
        return answerTo(send(type, records));
    }

    /** Sends a request; returns its answer without the xid. */
    String askWithoutXid(int type, Record... records) throws IOException {
        return ask(type, records).replaceAll("xid -?[0-9]+ ", "");
    }

    /** Returns the answer to the request with this xid, and the events before it, in words. */
    String answerTo(int requestXid) throws IOException {
        List<String> seen = new ArrayList<>();
        try {
            while (true) {
                byte[] frame = receive();
                seen.add(describe(frame));
                if (xidOf(frame) == requestXid) {
                    return String.join("; ", seen);
                }
            }
        } catch (EOFException | SocketException e) {
            seen.add("closed");
            return String.join("; ", seen);
        }
    }

    /** Returns the next frame in words. */
    String next() throws IOException {
        try {
            return describe(receive());
        } catch (EOFException | SocketException e) {
            return "closed";
        }
    }

    private static int xidOf(byte[] frame) {
        return ByteBuffer.wrap(frame).getInt();
    }

    private String describe(byte[] frame) throws IOException {
        ReplyHeader header = new ReplyHeader();
        BinaryInputArchive archive = archive(frame);
        header.deserialize(archive, "header");
        if (header.getXid() == NOTIFICATION_XID) {
            WatcherEvent event = new WatcherEvent();
            event.deserialize(archive, "event");
            return "event " + event.getType() + " " + event.getPath();
        }
        lastZxid = header.getZxid();
        Code code = Code.get(header.getErr());
        int bodyBytes = frame.length - Integer.BYTES - Long.BYTES - Integer.BYTES;
        return "xid " + header.getXid() + " " + (code == null ? header.getErr() : code) + ", " + bodyBytes + " bytes";
    }

    /** Returns the records of an answer's body, without its header. */
    static byte[] body(byte[] frame) {
        return Arrays.copyOfRange(frame, Integer.BYTES + Long.BYTES + Integer.BYTES, frame.length);
    }

    byte[] receive() throws IOException {
        byte[] packet = new byte[input.readInt()];
        input.readFully(packet);
        return packet;
    }

    static BinaryInputArchive archive(byte[] bytes) {
        return BinaryInputArchive.getArchive(new ByteArrayInputStream(bytes));
    }

    static byte[] bytes(Record... records) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryOutputArchive archive = BinaryOutputArchive.getArchive(bytes);
        for (Record record : records) {
            record.serialize(archive, "record");
        }
        return bytes.toByteArray();
    }

    /** Closes the connection; the session stays until it expires. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
