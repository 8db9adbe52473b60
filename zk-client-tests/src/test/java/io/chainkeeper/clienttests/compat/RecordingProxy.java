package io.chainkeeper.clienttests.compat;

import io.chainkeeper.clienttests.harness.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Stands between one client and a server, forwards bytes as they come and keeps all frames. Frames are kept before they
 * are forwarded: who has seen a reply finds it in the recording.
 */
final class RecordingProxy implements AutoCloseable {
    private static final int CONNECT_LIMIT_MILLIS = 10_000;

    /**
     * One connection.
     *
     * @param requests what the client sent
     * @param replies what the server sent
     */
    record Recording(FrameLog requests, FrameLog replies) {}

    private final ServerSocket listening;
    private final List<Recording> recordings = new ArrayList<>();
    private final List<Socket> open = new ArrayList<>();
    private ServerProcess server;
    private boolean refusing;

    /** Listens at a port of 127.0.0.1 for a client of this server. */
    RecordingProxy(ServerProcess server) throws IOException {
        this.server = server;
        this.listening = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        start("accept", this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Returns the connections so far, in their order. */
    synchronized List<Recording> recordings() {
        return List.copyOf(recordings);
    }

    /** Breaks the open connections; new ones go to another server. */
    synchronized void moveTo(ServerProcess other) throws IOException {
        server = other;
        refusing = false;
        breakConnections();
    }

    /** Breaks the open connections and every new one until {@link #moveTo}. */
    synchronized void cutOff() throws IOException {
        refusing = true;
        breakConnections();
    }

    private void breakConnections() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
        open.clear();
    }

    private static void start(String name, Runnable run) {
        Thread thread = new Thread(run, "recording-proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (true) {
            try {
                forward(listening.accept());
            } catch (IOException e) {
                // Closed, or the server does not listen: the client sees a broken connection, as without the proxy.
                if (listening.isClosed()) {
                    return;
                }
            }
        }
    }

    private synchronized void forward(Socket client) throws IOException {
        if (refusing) {
            client.close();
            return;
        }
        Socket upstream = new Socket();
        open.add(client);
        open.add(upstream);
        try {
            upstream.connect(new InetSocketAddress(server.clientHost(), server.clientPort()), CONNECT_LIMIT_MILLIS);
        } catch (IOException e) {
            client.close();
            throw e;
        }
        client.setTcpNoDelay(true);
        upstream.setTcpNoDelay(true);
        Recording recording = new Recording(new FrameLog(), new FrameLog());
        recordings.add(recording);
        start("requests", () -> copy(client, upstream, recording.requests()));
        start("replies", () -> copy(upstream, client, recording.replies()));
    }

    private static void copy(Socket from, Socket to, FrameLog log) {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                log.add(buffer, count);
                out.write(buffer, 0, count);
            }
        } catch (IOException e) {
            // One side is gone; closing both is all there is to forward.
        }
    }

    @Override
    public synchronized void close() throws IOException {
        listening.close();
        breakConnections();
    }
}
