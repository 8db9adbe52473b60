package io.chainkeeper.benchmarks.relay;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The links of an ensemble whose servers stand in several regions: for each server a relay to each port of each other
 * one that stands elsewhere. Without regions there are none.
 */
public final class RelayedLinks implements AutoCloseable {
    private final List<Region> regions;
    private final List<Relay> relays = new ArrayList<>();

    /** @param regions of the servers, in the order of their ids; empty if all stand beside each other */
    public RelayedLinks(List<Region> regions) {
        this.regions = List.copyOf(regions);
    }

    /**
     * Where a server reaches a port of another one.
     *
     * @param from index of the server that connects, from 0
     * @param to index of the other
     * @param host of the other
     * @param port of the other
     * @return a port on 127.0.0.1 that delays if they stand apart, else the same port
     * @throws IOException if no relay can be opened
     */
    public int port(int from, int to, String host, int port) throws IOException {
        if (regions.isEmpty() || regions.get(from) == regions.get(to)) {
            return port;
        }
        Relay relay =
                Relay.open(new InetSocketAddress(host, port), regions.get(from).oneWayNanos(regions.get(to)));
        relays.add(relay);
        return relay.port();
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (Relay relay : relays) {
            try {
                relay.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String toString() {
        return relays.size() + " relays";
    }
}
