package io.chainkeeper.test;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;

/** A client that opens a session and then goes without closing it, as one whose process ends does. */
final class LostClient implements AutoCloseable {
    private static final int PASSWORD_BYTES = 16;

    private final Socket socket;
    private final long sessionId;

    private LostClient(Socket socket, long sessionId) {
        this.socket = socket;
        this.sessionId = sessionId;
    }

    static LostClient connect(TestServer server, int timeoutMillis) throws IOException {
        Socket socket = new Socket("127.0.0.1", server.clientPort());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(Integer.BYTES + Long.BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES + PASSWORD_BYTES);
        out.writeInt(0); // version of the protocol
        out.writeLong(0); // zxid seen last
        out.writeInt(timeoutMillis);
        out.writeLong(0); // a new session
        out.writeInt(PASSWORD_BYTES);
        out.write(new byte[PASSWORD_BYTES]);
        out.flush();
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.readInt(); // length
        in.readInt(); // version of the protocol
        in.readInt(); // timeout
        return new LostClient(socket, in.readLong());
    }

    long sessionId() {
        return sessionId;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
