package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.main.ReplicaStarter;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long one client's read waits while another client keeps the executor busy: getData of 128 bytes over a connection
 * to a real server of one member that forgets everything, one read at a time. The figure to look at is the longest
 * ({@code p1.00}); everything runs in one JVM, so the scheduler has its part in it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class ReadsBesideWritesBenchmark {
    private static final int SESSION_TIMEOUT_MILLIS = 30_000;
    private static final int VALUE_BYTES = 128;
    private static final int WRITES_IN_FLIGHT = 2_000;
    private static final int OPERATIONS_IN_FLIGHT = 100_000;

    /** What the server's {@code reads} says. */
    @Param({"sequential", "linearizable"})
    public String reads;

    /** Operations in each write of the other client: more than one make a multi. */
    @Param({"1", "100", "2000"})
    public int operations;

    private Path directory;
    private ChainkeeperServer server;
    private ZooKeeper reader;
    private ZooKeeper writer;
    private Thread writing;
    private volatile boolean ending;

    /**
     * Starts server and load.
     *
     * @throws Exception if one of them does not start
     */
    @Setup
    public void start() throws Exception {
        directory = Files.createTempDirectory("reads-beside-writes");
        int clientPort = freePort();
        Path data = Files.createDirectories(directory.resolve("data"));
        Files.writeString(data.resolve("myid"), "1\n");
        Path file = directory.resolve("zoo.cfg");
        Files.write(
                file,
                List.of(
                        "ordering.durability=memory",
                        "reads=" + reads,
                        "standaloneEnabled=false",
                        "admin.enableServer=false",
                        "tickTime=2000",
                        "initLimit=10",
                        "syncLimit=5",
                        "dataDir=" + data,
                        "clientPort=" + clientPort,
                        "server.1=127.0.0.1:" + freePort() + ":" + freePort()));
        server = ReplicaStarter.startReplica(new OrderingConfigParser(ServiceLoader.load(OrderingProtocolFactory.class))
                .parse(file)
                .orElseThrow());
        reader = connect(clientPort);
        writer = connect(clientPort);
        writer.create("/read", new byte[VALUE_BYTES], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        writer.create("/written", new byte[VALUE_BYTES], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        writing = new Thread(this::write, "writer");
        writing.start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static ZooKeeper connect(int port) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper("127.0.0.1:" + port, SESSION_TIMEOUT_MILLIS, event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        if (!connected.await(SESSION_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("the server at port " + port + " gives no session");
        }
        return client;
    }

    private void write() {
        byte[] value = new byte[VALUE_BYTES];
        List<Op> multi = new ArrayList<>();
        for (int i = 0; i < operations; i++) {
            multi.add(Op.setData("/written", value, -1));
        }
        Semaphore inFlight = new Semaphore(Math.max(8, Math.min(WRITES_IN_FLIGHT, OPERATIONS_IN_FLIGHT / operations)));
        while (!ending) {
            inFlight.acquireUninterruptibly();
            if (operations == 1) {
                writer.setData("/written", value, -1, (rc, path, context, stat) -> inFlight.release(), null);
            } else {
                writer.multi(multi, (rc, path, context, results) -> inFlight.release(), null);
            }
        }
    }

    /**
     * Reads once.
     *
     * @return the data
     * @throws InterruptedException never
     * @throws KeeperException if the server fails
     */
    @Benchmark
    public byte[] read() throws InterruptedException, KeeperException {
        return reader.getData("/read", false, null);
    }

    /**
     * Ends server and load.
     *
     * @throws Exception if something stays behind
     */
    @TearDown
    public void close() throws Exception {
        ending = true;
        writing.join();
        reader.close();
        writer.close();
        server.shutdown();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
