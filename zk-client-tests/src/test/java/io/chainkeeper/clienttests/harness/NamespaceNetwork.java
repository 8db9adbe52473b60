package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Each server in a network namespace of its own, all joined by a router in one more; clients reach them from where the
 * tests run. The router drops the packets of a direction that is cut, so also acknowledgements and those that open a
 * connection. Needs the right to administer networks, and the program {@code ip}.
 */
public final class NamespaceNetwork implements Network {
    /** A quarter of an address range that RFC 2544 keeps for tests; the process decides which. */
    private final String prefix = "198.18." + ProcessHandle.current().pid() % 256 + ".";

    private final String name = "ck" + ProcessHandle.current().pid();
    private final String router = name + "-router";
    private final List<Integer> servers = new ArrayList<>();
    private final List<String> namespaces = new ArrayList<>();
    private boolean builtUp;

    /** @param serverCount how many servers there are, with ids from 1 */
    public NamespaceNetwork(int serverCount) {
        for (int id = 1; id <= serverCount; id++) {
            servers.add(id);
        }
    }

    /**
     * Makes the namespaces.
     *
     * @return whether that is possible here; if not, nothing is left of the attempt
     */
    public boolean tryBuildUp() throws IOException, InterruptedException {
        if (!isAllowed()) {
            return false;
        }
        addNamespace(router);
        run("ip", "netns", "exec", router, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1");
        // Number 0 is the place where the tests run.
        run("ip", "link", "add", name, "type", "veth", "peer", "name", "to0", "netns", router);
        run("ip", "addr", "add", address(0) + "/30", "dev", name);
        run("ip", "link", "set", name, "up");
        run("ip", "route", "add", prefix + "0/24", "via", routerAddress(0));
        attachToRouter(0);
        for (int id : servers) {
            String namespace = namespace(id);
            addNamespace(namespace);
            run(
                    "ip", "-n", router, "link", "add", "to" + id, "type", "veth", "peer", "name", "eth0", "netns",
                    namespace);
            attachToRouter(id);
            run("ip", "-n", namespace, "addr", "add", address(id) + "/30", "dev", "eth0");
            run("ip", "-n", namespace, "link", "set", "eth0", "up");
            run("ip", "-n", namespace, "link", "set", "lo", "up");
            run("ip", "-n", namespace, "route", "add", "default", "via", routerAddress(id));
        }
        builtUp = true;
        return true;
    }

    private static boolean isAllowed() throws InterruptedException {
        String probe = "ck" + ProcessHandle.current().pid() + "-probe";
        try {
            run("ip", "netns", "add", probe);
            run("ip", "netns", "del", probe);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void addNamespace(String namespace) throws IOException, InterruptedException {
        run("ip", "netns", "add", namespace);
        namespaces.add(namespace);
    }

    private void attachToRouter(int id) throws IOException, InterruptedException {
        run("ip", "-n", router, "addr", "add", routerAddress(id) + "/30", "dev", "to" + id);
        run("ip", "-n", router, "link", "set", "to" + id, "up");
    }

    private String namespace(int server) {
        return name + "-" + server;
    }

    private String routerAddress(int id) {
        return prefix + (4 * id + 1);
    }

    private String address(int id) {
        return prefix + (4 * id + 2);
    }

    @Override
    public String memberHost(int server) {
        return address(server);
    }

    @Override
    public String clientHost(int server) {
        return address(server);
    }

    @Override
    public List<String> commandPrefix(int server) {
        return List.of("ip", "netns", "exec", namespace(server));
    }

    @Override
    public List<String> jvmFlags(int server, Path directory) {
        return List.of();
    }

    @Override
    public void open(int server, int port) {
        if (!builtUp) {
            throw new IllegalStateException("the namespaces have to be there before the servers");
        }
    }

    @Override
    public void cut(int from, int to) throws IOException, InterruptedException {
        run("ip", "-n", router, "rule", "add", "iif", "to" + from, "to", address(to), "blackhole");
    }

    @Override
    public void heal(int from, int to) throws IOException, InterruptedException {
        run("ip", "-n", router, "rule", "del", "iif", "to" + from, "to", address(to), "blackhole");
    }

    /** A namespace takes its interfaces with it, and a pair of interfaces its other end. */
    @Override
    public void close() throws IOException, InterruptedException {
        for (String namespace : namespaces) {
            run("ip", "netns", "del", namespace);
        }
        namespaces.clear();
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes()).trim();
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }
}
