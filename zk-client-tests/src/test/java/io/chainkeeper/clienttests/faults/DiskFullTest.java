package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.FourLetterWord;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.After;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/**
 * The devices of the replicas' logs become full. Each is a small tmpfs, so the test needs the right to mount; where it
 * is absent, the test says so and is skipped.
 */
public class DiskFullTest {
    private static final String DEVICE_SIZE = "96m";
    private static final int WRITES_BETWEEN_FAULTS = 300;
    private static final Duration END_LIMIT = Duration.ofSeconds(60);
    private static final int LAST_LOG_LINES = 200;
    private static final int SHORT_SESSION_MILLIS = 10_000;
    private static final String FILLER = "filler";

    /** The reserve is a tenth of so small a device. */
    private static final long BELOW_THE_RESERVE_BYTES = 8L << 20;

    private static final int LARGE_NODES = 40;
    private static final int LARGE_BYTES = 250_000;

    /** Above the reserve, but not by the size of the large nodes. */
    private static final long NO_ROOM_FOR_A_SNAPSHOT_BYTES = 17L << 20;

    private final Ensemble ensemble =
            Ensemble.named("disk-full").set("snapCount", "1000").build();
    private final ServerProcess victim = ensemble.server(3);
    private final Path device = device(victim);
    private final List<Path> mounted = new ArrayList<>();

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(240);

    @Before
    public void mountDevice() throws Exception {
        Assume.assumeFalse("the stock server does not end when its log cannot be written", ensemble.isStock());
        ensemble.writeConfigurations();
        for (ServerProcess server : ensemble.servers()) {
            boolean done = run(
                    "mount",
                    "-t",
                    "tmpfs",
                    "-o",
                    "size=" + DEVICE_SIZE,
                    "tmpfs",
                    device(server).toString());
            if (!done) {
                System.out.println("DiskFullTest is skipped: this user may not mount a tmpfs");
            }
            Assume.assumeTrue("this user may not mount a tmpfs", done);
            mounted.add(device(server));
            Files.writeString(device(server).resolve("myid"), server.id() + "\n");
        }
        ensemble.startAll();
    }

    @After
    public void unmountDevices() throws Exception {
        ensemble.killAll();
        for (Path path : mounted) {
            assertTrue("umount " + path, run("umount", path.toString()));
        }
    }

    private static Path device(ServerProcess server) {
        return server.directory().resolve("data");
    }

    @Test
    public void deviceFillsUp_serverRefusesWritesThenEndsAndNothingAcknowledgedIsLost() throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble)) {
            load.start();
            load.awaitProgress(WRITES_BETWEEN_FAULTS);
            fillUp(device, BELOW_THE_RESERVE_BYTES);
            try (ZooKeeper there = Clients.connect(victim.connectString())) {
                awaitRefusal(there, LoadGenerator.ROOT);
                assertEquals(0, there.getData(LoadGenerator.ROOT, false, null).length);
                assertTrue(FourLetterWord.ask(victim, "mntr").contains("zk_ordering_disk_low\t1"));
                load.awaitProgress(WRITES_BETWEEN_FAULTS);
                free(device);
                awaitAcceptance(there, LoadGenerator.ROOT);
            }
            fillUp(device, 0);
            Await.until("server " + victim.id() + " ends", END_LIMIT, () -> !victim.isRunning());

            assertNotEquals(0, victim.awaitExit());
            List<String> log = victim.lastLogLines(LAST_LOG_LINES);
            assertTrue(
                    "no line says that writes were refused: " + String.join("\n", log),
                    log.stream().anyMatch(line -> line.contains("Refusing client writes: " + device)));
            assertTrue(
                    "no line says what happened where, and what to do: " + String.join("\n", log),
                    log.stream()
                            .anyMatch(line -> line.contains("No space left on device")
                                    && line.contains(device.toString())
                                    && line.contains("check the disk and its free space, then start again")));
            load.awaitProgress(WRITES_BETWEEN_FAULTS);

            // what its end has given back
            fillUp(device, 0);
            Scripts.Result refused = victim.script("start");
            assertEquals(refused.toString(), 1, refused.exitCode());
            assertTrue(refused.toString(), refused.output().contains("FAILED TO START"));
            assertTrue(refused.toString(), refused.errors().contains(device + "/version-2 has 0 bytes left"));
            assertTrue(victim.background().isEmpty());

            free(device);
            victim.start();
            victim.awaitServing();
            load.awaitProgress(WRITES_BETWEEN_FAULTS);
            load.stop();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
        }
    }

    @Test
    public void allReplicasRunLow_readsAndSessionsGoOnAndWritesComeBack() throws Exception {
        List<ZooKeeper> clients = new ArrayList<>();
        try {
            for (ServerProcess server : ensemble.servers()) {
                clients.add(Clients.connect(server.connectString(), SHORT_SESSION_MILLIS));
            }
            ZooKeeper leaving = Clients.connect(ensemble.server(1).connectString());
            leaving.create("/leaving", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            clients.get(0).create("/low", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            for (Path path : mounted) {
                fillUp(path, BELOW_THE_RESERVE_BYTES);
            }
            for (ZooKeeper client : clients) {
                awaitRefusal(client, "/low");
            }
            leaving.close();
            long start = System.nanoTime();
            Await.until("two session timeouts pass while all read", END_LIMIT, () -> {
                for (ZooKeeper client : clients) {
                    client.getData("/low", false, null);
                }
                return Duration.ofNanos(System.nanoTime() - start).toMillis() > 2 * SHORT_SESSION_MILLIS;
            });
            for (ZooKeeper client : clients) {
                assertNull("the closed session's node", client.exists("/leaving", false));
                assertThrows(KeeperException.ThrottledOpException.class, () -> client.delete("/low", -1));
            }
            for (Path path : mounted) {
                free(path);
            }
            for (ZooKeeper client : clients) {
                awaitAcceptance(client, "/low");
            }
        } finally {
            for (ZooKeeper client : clients) {
                client.close();
            }
        }
        TreeDump.ofAllEqual(ensemble);
    }

    @Test
    public void noRoomForASnapshot_serverGoesOnWithoutIt() throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble);
                ZooKeeper client = Clients.connect(ensemble.server(1).connectString())) {
            for (int i = 0; i < LARGE_NODES; i++) {
                client.create("/large" + i, new byte[LARGE_BYTES], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
            load.start();
            load.awaitProgress(WRITES_BETWEEN_FAULTS);
            fillUp(device, NO_ROOM_FOR_A_SNAPSHOT_BYTES);
            Await.until(
                    "server " + victim.id() + " says that there is no snapshot",
                    END_LIMIT,
                    () -> victim.lastLogLines(LAST_LOG_LINES).stream()
                            .anyMatch(line -> line.contains("Snapshot not taken: " + device)));
            load.awaitProgress(WRITES_BETWEEN_FAULTS);
            free(device);
            load.awaitProgress(WRITES_BETWEEN_FAULTS);
            victim.kill();
            victim.start();
            victim.awaitServing();
            load.awaitProgress(WRITES_BETWEEN_FAULTS);
            load.stop();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
        }
    }

    private static void awaitRefusal(ZooKeeper client, String path) throws Exception {
        Await.until("writes are refused", END_LIMIT, () -> {
            try {
                client.setData(path, new byte[0], -1);
                return false;
            } catch (KeeperException.ThrottledOpException e) {
                return true;
            }
        });
    }

    private static void awaitAcceptance(ZooKeeper client, String path) throws Exception {
        Await.until("writes are accepted again", END_LIMIT, () -> {
            try {
                client.setData(path, new byte[0], -1);
                return true;
            } catch (KeeperException.ThrottledOpException e) {
                return false;
            }
        });
    }

    private static void fillUp(Path directory, long leaveBytes) throws IOException {
        byte[] block = new byte[4096];
        FileStore store = Files.getFileStore(directory);
        try (OutputStream output = Files.newOutputStream(directory.resolve(FILLER))) {
            while (leaveBytes == 0 || store.getUsableSpace() > leaveBytes) {
                output.write(block);
            }
        } catch (IOException e) {
            if (!e.getMessage().contains("No space left")) {
                throw e;
            }
        }
    }

    private static void free(Path directory) throws IOException {
        Files.delete(directory.resolve(FILLER));
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(List.of(command)).inheritIO().start().waitFor() == 0;
    }
}
