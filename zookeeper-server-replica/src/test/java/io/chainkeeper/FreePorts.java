package io.chainkeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * Ports of 127.0.0.1 on which nobody listens. They lie below the range from which Linux takes the ports of outgoing
 * connections: a port from that range can be gone, even to a client that tries to reach it, before its server starts or
 * while its server is down.
 */
public final class FreePorts {
    /** Test runs beside each other take theirs from different slices: {@code ensemble.portSlice}, from 1. */
    private static final int SLICES = 4;

    private static final int SLICE_PORTS = 5_500;
    private static final int LOWEST = 10_000 + (portSlice() - 1) % SLICES * SLICE_PORTS;
    private static final int HIGHEST = LOWEST + SLICE_PORTS;
    private static final int ATTEMPTS = 1_000;

    private static final Random RANDOM = new Random();
    private static final Set<Integer> GIVEN = new HashSet<>();

    private FreePorts() {}

    private static int portSlice() {
        // No default for an unreadable value: forks that share a slice take each other's ports once in many runs.
        return Integer.parseInt(System.getProperty("ensemble.portSlice", "1"));
    }

    /** Returns a port that no earlier call in this process returned. */
    public static synchronized int next() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = LOWEST + RANDOM.nextInt(SLICE_PORTS);
            if (!GIVEN.contains(port) && isFree(port)) {
                GIVEN.add(port);
                return port;
            }
        }
        throw new IllegalStateException("no free port between " + LOWEST + " and " + HIGHEST);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress("127.0.0.1", port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
