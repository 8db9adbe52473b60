package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Backups of a member that works, by processes that are killed; what they bring back is compared with what was. */
public class BackupTest {
    private static final long SCRIPT_LIMIT_SECONDS = 60;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int WRITES = 400;
    private static final int KILLS = 4;
    private static final String CONFIG = "/zookeeper/config";

    private final Ensemble ensemble =
            Ensemble.named("backup").set("autopurge.snapRetainCount", "100").build();
    private final Ensemble restored = Ensemble.named("backup-restored").build();

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule restoredServers = restored.startedByTheTest();

    @Rule(order = 2)
    public final TestRule limit = ensemble.testLimit(240);

    private Path backup;

    /** One write of the recorded history. */
    private record Written(long zxid, String path, String data) {}

    @Before
    public void start() throws Exception {
        Assume.assumeFalse("the stock server has its own ways", ensemble.isStock());
        ensemble.start();
        backup = ensemble.server(1).directory().resolveSibling("backup");
    }

    private Scripts.Result run(String... arguments) throws Exception {
        return Scripts.run(SCRIPT_LIMIT_SECONDS, ensemble.server(1).directory(), "zkBackup.sh", arguments);
    }

    private Scripts.Result takeBackup() throws Exception {
        return run("backup", "--to", backup.toString(), config());
    }

    private String config() {
        return ensemble.server(1).configFile().toString();
    }

    private static void assertDone(Scripts.Result result) {
        assertEquals(result.toString(), 0, result.exitCode());
    }

    @Test
    public void takenUnderLoadAndKilled_bringsBackEveryStateThatThereWas() throws Exception {
        List<Written> history = new ArrayList<>();
        List<String> calm;
        long calmZxid;
        try (ZooKeeper client = Clients.connect(ensemble.server(2).connectString())) {
            try (LoadGenerator load = new LoadGenerator(ensemble)) {
                load.start();
                assertDone(takeBackup());
                record(client, history, 0);
                killBackups();
                load.stop();
            }
            ensemble.awaitCaughtUp();
            calmZxid = zxid(ensemble.server(1));
            calm = TreeDump.of(ensemble.server(1)).lines();
            record(client, history, 1);
        }
        ensemble.awaitCaughtUp();
        assertDone(takeBackup());
        Scripts.Result proof = run("verify", backup.toString());
        assertDone(proof);
        assertTrue(proof.toString(), proof.output().startsWith("Whole: "));

        restore("--to-zxid", "0x" + Long.toHexString(calmZxid));
        assertEquals(calm, TreeDump.of(restored.server(2)).lines());
        TreeDump.ofAllEqual(restored);
        try (ZooKeeper client = Clients.connect(restored.connectString())) {
            client.create("/goes-on", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        restored.killAll();

        Written middle = history.get(WRITES / 2);
        restore("--to-zxid", "0x" + Long.toHexString(middle.zxid()));
        assertIsHistoryUpTo(history, middle.zxid());
        TreeDump.ofAllEqual(restored);
    }

    private static void record(ZooKeeper client, List<Written> history, int part) throws Exception {
        for (int i = 0; i < WRITES; i++) {
            String path = "/history-" + part + "-" + i % 10;
            String data = "part " + part + " write " + i;
            byte[] bytes = data.getBytes(StandardCharsets.UTF_8);
            Stat stat = new Stat();
            if (i < 10) {
                client.create(path, bytes, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT, stat);
            } else {
                stat = client.setData(path, bytes, -1);
            }
            history.add(new Written(stat.getMzxid(), path, data));
        }
    }

    /** A server that is slow to answer has a zxid all the same. */
    private static long zxid(ServerProcess server) throws Exception {
        long[] zxid = new long[1];
        Await.until("server " + server.id() + " tells its zxid", LIMIT, () -> {
            zxid[0] = server.zxid();
            return zxid[0] >= 0;
        });
        return zxid[0];
    }

    /** At moments that differ; what a killed run leaves must neither be taken for a backup nor spoil one. */
    private void killBackups() throws Exception {
        for (int i = 0; i < KILLS; i++) {
            Path output = backup.resolveSibling("killed.out");
            Process process = Scripts.command(
                            ensemble.server(1).directory(),
                            "zkBackup.sh",
                            "backup",
                            "--every",
                            "1s",
                            "--to",
                            backup.toString(),
                            config())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(1200 + 311 * i, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
            Scripts.Result proof = run("verify", backup.toString());
            assertDone(proof);
        }
    }

    private void restore(String... how) throws Exception {
        restored.writeConfigurations();
        List<String> directories = new ArrayList<>();
        for (ServerProcess server : restored.servers()) {
            directories.add(server.directory().resolve("data").toString());
        }
        List<String> arguments =
                new ArrayList<>(List.of("restore", backup.toString(), "--into", String.join(",", directories)));
        arguments.addAll(List.of(how));
        assertDone(run(arguments.toArray(String[]::new)));
        restored.startAll();
    }

    private void assertIsHistoryUpTo(List<Written> history, long zxid) throws Exception {
        Map<String, Written> last = new HashMap<>();
        history.stream()
                .filter(written -> written.zxid() <= zxid)
                .forEach(written -> last.put(written.path(), written));
        Map<String, String> found = new HashMap<>();
        TreeDump.of(restored.server(1)).nodes().forEach((path, node) -> {
            if (path.startsWith("/history-")) {
                assertEquals(path, last.get(path).zxid(), node.stat().getMzxid());
                found.put(path, node.data());
            }
            assertTrue(path + " is of a later time", node.stat().getMzxid() <= zxid || path.equals(CONFIG));
        });
        assertEquals(last.values().stream().collect(Collectors.toMap(Written::path, Written::data)), found);
    }
}
