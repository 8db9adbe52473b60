package io.chainkeeper.benchmarks.host;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that are about to be started. They lie below the range from which the kernel takes ports of
 * outgoing connections, so that no client gets one between now and the server's start. Single-threaded.
 */
public final class FreePorts {
    private static final int LOWEST = 15_000;
    private static final int HIGHEST = 32_000;
    private static final int ATTEMPTS = 10_000;

    private final Set<Integer> given = new HashSet<>();

    /**
     * @return a port on loopback that is free now and was not returned before
     * @throws IOException if none is found
     */
    public int next() throws IOException {
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (!given.contains(port) && isFree(port)) {
                given.add(port);
                return port;
            }
        }
        throw new IOException("no free port on 127.0.0.1 from " + LOWEST + " to " + HIGHEST);
    }

    private static boolean isFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
            return true;
        } catch (BindException e) {
            return false;
        }
    }
}
