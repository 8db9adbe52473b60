package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** {@code zkAcceptorLog.sh} beside a running server, and on what a stopped one has left. */
public class AcceptorLogScriptTest {
    private static final long SCRIPT_LIMIT_SECONDS = 60;
    private static final int RUNS_UNDER_LOAD = 3;

    private final Ensemble ensemble = Ensemble.named("acceptor-log-script").build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(180);

    @Before
    public void notForTheStockServer() {
        Assume.assumeFalse("the stock server has no acceptor log", ensemble.isStock());
    }

    private Scripts.Result run(String... arguments) throws Exception {
        return Scripts.run(SCRIPT_LIMIT_SECONDS, ensemble.server(1).directory(), "zkAcceptorLog.sh", arguments);
    }

    private static void assertPrints(Scripts.Result result, int exitCode, String... words) {
        assertEquals(result.toString(), exitCode, result.exitCode());
        for (String word : words) {
            assertTrue(result.toString(), (result.output() + result.errors()).contains(word));
        }
    }

    @Test
    public void runningServersLogIsRead_andDamageInAStoppedOnesIsFound() throws Exception {
        ServerProcess server = ensemble.server(1);
        String config = server.configFile().toString();
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            client.create("/printed", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            AtomicBoolean enough = new AtomicBoolean();
            AtomicReference<Exception> failure = new AtomicReference<>();
            Thread load = new Thread(() -> {
                try {
                    for (int i = 0; !enough.get(); i++) {
                        client.create("/printed/" + i, new byte[i % 2000], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                    }
                } catch (Exception e) {
                    failure.set(e);
                }
            });
            load.start();
            for (int i = 0; i < RUNS_UNDER_LOAD; i++) {
                assertPrints(run("--verify", config), 0, "Whole: ");
            }
            enough.set(true);
            load.join();
            assertEquals(null, failure.get());
            assertPrints(run(config), 0, "create /printed, session 0x", "identity: ", "checkpoint.0: ");
        }
        server.kill();
        Path ordering =
                Path.of(run(config).output().lines().findFirst().orElseThrow().replaceAll("/[^/]*: segment.*", ""));
        Path segment = ordering.resolve("0000000001.log");
        byte[] content = Files.readAllBytes(segment);
        content[indexOf(content, "/printed")] ^= 1;
        Files.write(segment, content);
        assertPrints(run("--verify", config), 1, segment + ", byte ", "the checksum of what the record of position ");
        assertPrints(run("--help"), 0, "--verify");
        assertPrints(run("--unknown"), 2, "--unknown");
    }

    private static int indexOf(byte[] content, String text) {
        byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
        int at = 0;
        while (!Arrays.equals(Arrays.copyOfRange(content, at, at + wanted.length), wanted)) {
            at++;
        }
        return at;
    }
}
