package io.chainkeeper.simulation.link;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.TreeMap;

/** A machine: it answers for its ports as long as it has power, whether processes run there or not. */
final class Host {
    private static final int FIRST_PORT = 40_000;
    private static final int PORTS = 20_000;

    private final int id;
    private final InetAddress address;
    private final Map<Integer, VirtualServerChannel> listening = new TreeMap<>();
    private VirtualProcess process;
    private boolean up = true;
    private long boot;
    private int lastPort;

    Host(int id) {
        this.id = id;
        try {
            this.address = InetAddress.getByAddress(
                    VirtualNetwork.hostName(id), new byte[] {10, 0, (byte) (id >>> Byte.SIZE), (byte) id});
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("no address for host " + id, e);
        }
    }

    int id() {
        return id;
    }

    InetAddress address() {
        return address;
    }

    boolean isUp() {
        return up;
    }

    /** How often the machine has started. */
    long boot() {
        return boot;
    }

    VirtualProcess process() {
        return process;
    }

    /** @param next runs here from now on, null for none */
    void process(VirtualProcess next) {
        process = next;
        if (next != null && !up) {
            up = true;
            boot++;
        }
    }

    void losePower() {
        up = false;
        listening.clear();
    }

    InetSocketAddress nextLocal() {
        lastPort = (lastPort + 1) % PORTS;
        return new InetSocketAddress(address, FIRST_PORT + lastPort);
    }

    Map<Integer, VirtualServerChannel> listening() {
        return listening;
    }
}
