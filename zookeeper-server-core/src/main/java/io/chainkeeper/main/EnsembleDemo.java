package io.chainkeeper.main;

import io.chainkeeper.config.OrderingConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.Stat;

/**
 * Shows on three real server processes, through ZooKeeper's own client, what an ensemble promises. Started by {@code
 * zkEnsemble.sh demo}, which writes the configurations and removes the directory.
 */
public final class EnsembleDemo {
    private static final int SESSION_TIMEOUT_MILLIS = 10_000;

    /** Short, since its end is waited for, but not so short that a busy machine ends it before. */
    private static final int SHORT_SESSION_TIMEOUT_MILLIS = 4_000;

    private static final int READ_ROUNDS = 20;
    private static final int SEQUENCE_NODES_PER_CLIENT = 20;
    private static final int WRITES_BEFORE_KILL = 500;
    private static final String ROOT = "/demo";
    private static final String LOAD = ROOT + "/load";

    private final List<String> addresses;
    private final boolean syncBeforeRead;
    private final DemoServers servers;
    private final List<DemoClient> clients = new ArrayList<>();

    private EnsembleDemo(String protocol, DemoServers servers, List<String> addresses) {
        // the stock server's reads may be behind unless a sync comes first
        this.syncBeforeRead = protocol.equals(OrderingConfig.ZAB);
        this.servers = servers;
        this.addresses = addresses;
    }

    /**
     * Runs the demo and ends the process: code 0 if every step succeeded, else 1.
     *
     * @param args protocol, directory of the servers' directories, directory of the scripts, client addresses with
     *     commas; if the servers share disks, paths of these with commas
     */
    public static void main(String[] args) {
        if (args.length < 4 || args.length > 5) {
            System.err.println("Usage: EnsembleDemo protocol directory bin host:port,host:port,host:port [disk,...];"
                    + " better: bin/zkEnsemble.sh demo");
            System.exit(2);
        }
        Path directory = Path.of(args[1]);
        Path scripts = Path.of(args[2]);
        List<String> addresses = List.of(args[3].split(","));
        DemoServers servers = new DemoServers(directory, scripts.resolve("zkServer.sh"), addresses);
        if (args.length == 4) {
            System.out.printf("Three servers on this machine, ordering.protocol=%s%n%n", args[0]);
            System.exit(run(servers, new EnsembleDemo(args[0], servers, addresses)::runSteps));
        }
        List<Path> disks = Stream.of(args[4].split(",")).map(Path::of).toList();
        System.out.printf("Two servers and three disks on this machine, ordering.protocol=%s%n%n", args[0]);
        var demo = new SharedDiskDemo(servers, addresses, disks, scripts.resolve("zkDisk.sh"), directory);
        System.exit(run(servers, demo::runSteps));
    }

    /** All that a demo shows. */
    private interface Steps {
        void run(DemoTable table) throws Exception;
    }

    private static int run(DemoServers servers, Steps steps) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                servers.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        try {
            steps.run(new DemoTable(System.out));
            System.out.printf("%nEvery step succeeded; processes and data are gone.%n");
            return 0;
        } catch (Exception e) {
            System.out.printf("%nA step failed: %s%n", e.getMessage() == null ? e.toString() : e.getMessage());
            return 1;
        }
    }

    private void runSteps(DemoTable table) throws Exception {
        String read = syncBeforeRead ? "sync and read" : "read";
        table.printHead();
        table.run("start three server processes", () -> {
            servers.startAll();
            return servers.modes();
        });
        table.run("connect a client to each server", this::connect);
        table.run("write at each server, " + read + " at the two others at once", this::writeAndReadElsewhere);
        table.run("watch a znode at server 2, change it at server 3", this::watch);
        table.run("create an ephemeral znode at server 1, cut its client off", this::expireEphemeral);
        table.run("create sequence nodes from three clients at the same time", this::createSequence);
        table.run("multi at server 2, and one of which a part must fail", this::multi);
        DemoWriters[] writers = new DemoWriters[1];
        table.run("write at all servers, kill all three with SIGKILL meanwhile", () -> {
            writers[0] = writeAndKill();
            return writers[0].awaitEnd().size() + " writes answered before the end";
        });
        table.run("start the three again", () -> {
            clients.forEach(DemoClient::vanish);
            clients.clear();
            servers.startAll();
            return servers.modes();
        });
        table.run("look for every answered write at each server", () -> findAll(writers[0].awaitEnd()));
        table.run("stop the three", () -> {
            for (DemoClient client : clients) {
                client.close();
            }
            servers.stopAll();
            return "all processes have ended";
        });
    }

    private String connect() throws IOException, InterruptedException {
        for (String address : addresses) {
            clients.add(DemoClient.connect(address, SESSION_TIMEOUT_MILLIS, syncBeforeRead));
        }
        return clients.size() + " sessions";
    }

    private String writeAndReadElsewhere() throws Exception {
        clients.get(0).create(ROOT, "", CreateMode.PERSISTENT);
        String path = ROOT + "/register";
        clients.get(0).create(path, "", CreateMode.PERSISTENT);
        int reads = 0;
        for (int round = 0; round < READ_ROUNDS; round++) {
            for (int writer = 0; writer < clients.size(); writer++) {
                String value = "round " + round + " from server " + (writer + 1);
                clients.get(writer).write(path, value);
                for (int reader = 0; reader < clients.size(); reader++) {
                    if (reader != writer) {
                        DemoTable.require(
                                clients.get(reader).read(path).equals(value),
                                "server %d missed '%s'",
                                reader + 1,
                                value);
                        reads++;
                    }
                }
            }
        }
        return reads + " of " + reads + " reads saw the write before them";
    }

    private String watch() throws Exception {
        String path = ROOT + "/watched";
        clients.get(0).create(path, "old", CreateMode.PERSISTENT);
        CountDownLatch fired = clients.get(1).watch(path, EventType.NodeDataChanged);
        clients.get(2).write(path, "new");
        await(fired, "the watch at server 2");
        DemoTable.require(clients.get(1).read(path).equals("new"), "server 2 has the event and not the data");
        return "the watch fired";
    }

    private String expireEphemeral() throws Exception {
        String path = ROOT + "/ephemeral";
        DemoClient owner = DemoClient.connect(addresses.get(0), SHORT_SESSION_TIMEOUT_MILLIS, syncBeforeRead);
        owner.create(path, "", CreateMode.EPHEMERAL);
        List<CountDownLatch> deleted = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            DemoTable.require(clients.get(i).exists(path), "server %d does not know the ephemeral znode", i + 1);
            deleted.add(clients.get(i).watch(path, EventType.NodeDeleted));
        }
        long cutNanos = System.nanoTime();
        owner.vanish();
        for (int i = 0; i < clients.size(); i++) {
            await(deleted.get(i), "the end of the ephemeral znode at server " + (i + 1));
            DemoTable.require(!clients.get(i).exists(path), "server %d still has the ephemeral znode", i + 1);
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - cutNanos);
        return "gone at each server " + millis + " ms after the cut";
    }

    private String createSequence() throws Exception {
        String parent = ROOT + "/sequence";
        clients.get(0).create(parent, "", CreateMode.PERSISTENT);
        ExecutorService executor = Executors.newFixedThreadPool(clients.size());
        TreeSet<String> names = new TreeSet<>();
        try {
            List<Future<List<String>>> created = new ArrayList<>();
            for (DemoClient client : clients) {
                created.add(executor.submit(() -> createSequence(client, parent + "/n-")));
            }
            for (Future<List<String>> future : created) {
                names.addAll(future.get());
            }
        } finally {
            executor.shutdownNow();
        }
        int count = clients.size() * SEQUENCE_NODES_PER_CLIENT;
        String last = String.format("%s/n-%010d", parent, count - 1);
        DemoTable.require(names.size() == count && names.last().equals(last), "the names are %s", names);
        return count + " different names without a gap";
    }

    private static List<String> createSequence(DemoClient client, String prefix)
            throws KeeperException, InterruptedException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < SEQUENCE_NODES_PER_CLIENT; i++) {
            names.add(client.create(prefix, "", CreateMode.PERSISTENT_SEQUENTIAL));
        }
        return names;
    }

    private String multi() throws Exception {
        String path = ROOT + "/multi";
        DemoClient client = clients.get(1);
        client.multi(List.of(
                Op.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                Op.create(path + "/child", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                Op.check(path, 0),
                Op.setData(path, new byte[1], 0)));
        try {
            client.multi(List.of(
                    Op.create(path + "/other", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                    Op.setData(path, new byte[2], 0)));
            throw new IOException("a multi with a wrong version succeeded");
        } catch (KeeperException.BadVersionException expected) {
            for (int i = 0; i < clients.size(); i++) {
                DemoTable.require(
                        !clients.get(i).exists(path + "/other"), "server %d has a part of the failed multi", i + 1);
                Stat stat = clients.get(i).exists(path, null);
                DemoTable.require(
                        stat.getVersion() == 1 && stat.getNumChildren() == 1, "server %d has %s", i + 1, stat);
            }
        }
        return "all of the first, nothing of the second";
    }

    private DemoWriters writeAndKill() throws Exception {
        clients.get(0).create(LOAD, "", CreateMode.PERSISTENT);
        DemoWriters writers = new DemoWriters(clients, LOAD);
        writers.awaitAcknowledged(WRITES_BEFORE_KILL);
        servers.killAll();
        return writers;
    }

    private String findAll(Map<String, String> acknowledged) throws Exception {
        connect();
        for (int i = 0; i < clients.size(); i++) {
            clients.get(i).findAll(acknowledged, i + 1);
            DemoTable.require(
                    clients.get(i).read(ROOT + "/watched").equals("new"), "server %d has lost a change", i + 1);
        }
        return clients.stream()
                .map(client -> "" + acknowledged.size())
                .collect(Collectors.joining(", ", "", " of " + acknowledged.size() + " found"));
    }

    private static void await(CountDownLatch latch, String awaited) throws IOException, InterruptedException {
        Deadline deadline = new Deadline(awaited);
        deadline.require(latch.await(deadline.remainingMillis(), TimeUnit.MILLISECONDS));
    }
}
