package io.chainkeeper.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.proto.ConnectRequest;

/** A socket that says anything to the client port. That the server has closed it already is no error. */
final class HostileClient implements AutoCloseable {
    private final Socket socket;
    private final DataOutputStream out;

    HostileClient(int port) throws IOException {
        socket = new Socket("127.0.0.1", port);
        socket.setSoTimeout(TestEnsemble.DEADLINE_SECONDS * 1000);
        out = new DataOutputStream(socket.getOutputStream());
    }

    int localPort() {
        return socket.getLocalPort();
    }

    void openSession(int timeoutMillis) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ConnectRequest(0, 0, timeoutMillis, 0, new byte[16], false)
                .serialize(BinaryOutputArchive.getArchive(bytes), "connect");
        sayFrame(bytes.toByteArray());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.readFully(new byte[in.readInt()]);
    }

    void say(byte[] bytes) throws IOException {
        try {
            out.write(bytes);
            out.flush();
        } catch (SocketException e) {
            // Closed by the server while this was on its way.
        }
    }

    void sayInt(int value) throws IOException {
        say(new byte[] {(byte) (value >>> 24), (byte) (value >>> 16), (byte) (value >>> 8), (byte) value});
    }

    void sayFrame(byte[] body) throws IOException {
        sayInt(body.length);
        say(body);
    }

    /** Says nothing more. */
    void finish() throws IOException {
        try {
            socket.shutdownOutput();
        } catch (SocketException e) {
            // Closed by the server while this was on its way.
        }
    }

    /** Reads until the server closes; fails if it neither says anything nor closes for long. */
    void awaitClosed() throws IOException {
        byte[] ignored = new byte[8192];
        try {
            while (socket.getInputStream().read(ignored) >= 0) {
                continue;
            }
        } catch (SocketException e) {
            // A reset is a way to close too.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
