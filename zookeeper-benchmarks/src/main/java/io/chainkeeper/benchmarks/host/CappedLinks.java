package io.chainkeeper.benchmarks.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Each server in a network namespace of its own, with one link to a switch that carries so many bits per second in each
 * direction and no more: a machine's network card. The clients' link is not limited. Made with the programs {@code ip}
 * and {@code tc}, which need the right to administer networks.
 */
public final class CappedLinks implements ServerNetwork {
    /** What a server may send at once after it was silent; below it the limit would cost packets of full size. */
    private static final int BURST_KILOBYTES = 256;

    /** What has to wait longer is lost, as at a card whose queue is full. */
    private static final int LONGEST_WAIT_MILLIS = 100;

    private static final int FIRST_SERVER_ADDRESS = 10;
    private static final String INTERFACE = "eth0";

    /** A part of an address range that RFC 2544 keeps for tests; the process decides which. */
    private final String prefix = "198.18." + ProcessHandle.current().pid() % 256 + ".";

    private final String name = "cb" + ProcessHandle.current().pid();
    private final String hub = name + "-switch";
    private final List<String> namespaces = new ArrayList<>();

    private CappedLinks() {}

    /**
     * Makes the network.
     *
     * @param servers how many
     * @param megabits 10^6 bits per second of each server's link, in each direction; positive
     * @return the network
     * @throws IOException if it cannot be made; nothing is left of it then
     */
    public static CappedLinks open(int servers, int megabits) throws IOException {
        CappedLinks links = new CappedLinks();
        try {
            links.makeSwitch();
            for (int id = 1; id <= servers; id++) {
                links.attach(id, megabits);
            }
            return links;
        } catch (IOException e) {
            links.close();
            throw new IOException(
                    "cannot make network namespaces for --link-mbit (are ip and tc there, and the right to use them?): "
                            + e.getMessage(),
                    e);
        }
    }

    private void makeSwitch() throws IOException {
        add(hub);
        run("ip", "-n", hub, "link", "add", "br0", "type", "bridge");
        run("ip", "-n", hub, "link", "set", "br0", "up");
        run("ip", "link", "add", name, "type", "veth", "peer", "name", "clients", "netns", hub);
        run("ip", "-n", hub, "link", "set", "clients", "master", "br0", "up");
        run("ip", "addr", "add", prefix + "1/24", "dev", name);
        run("ip", "link", "set", name, "up");
    }

    private void attach(int id, int megabits) throws IOException {
        String port = "port" + id;
        String namespace = namespace(id);
        add(namespace);
        run("ip", "-n", hub, "link", "add", port, "type", "veth", "peer", "name", INTERFACE, "netns", namespace);
        run("ip", "-n", hub, "link", "set", port, "master", "br0", "up");
        run("ip", "-n", namespace, "addr", "add", host(id) + "/24", "dev", INTERFACE);
        run("ip", "-n", namespace, "link", "set", INTERFACE, "up");
        run("ip", "-n", namespace, "link", "set", "lo", "up");
        limit(namespace, INTERFACE, megabits);
        limit(hub, port, megabits);
    }

    private static void limit(String namespace, String device, int megabits) throws IOException {
        run(
                "tc",
                "-n",
                namespace,
                "qdisc",
                "add",
                "dev",
                device,
                "root",
                "tbf",
                "rate",
                megabits + "mbit",
                "burst",
                BURST_KILOBYTES + "kb",
                "latency",
                LONGEST_WAIT_MILLIS + "ms");
    }

    private void add(String namespace) throws IOException {
        run("ip", "netns", "add", namespace);
        namespaces.add(namespace);
    }

    private String namespace(int id) {
        return name + "-" + id;
    }

    @Override
    public String host(int id) {
        return prefix + (FIRST_SERVER_ADDRESS + id);
    }

    @Override
    public List<String> commandPrefix(int id) {
        return List.of("ip", "netns", "exec", namespace(id));
    }

    /** A namespace takes its interfaces with it, and a pair of interfaces its other end. */
    @Override
    public void close() throws IOException {
        while (!namespaces.isEmpty()) {
            run("ip", "netns", "del", namespaces.remove(namespaces.size() - 1));
        }
    }

    @Override
    public String toString() {
        return "network namespaces " + name + "-*";
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted during " + String.join(" ", command), e);
        }
    }
}
