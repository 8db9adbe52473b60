package io.chainkeeper.clienttests;

import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.After;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/**
 * The device of one replica's logs becomes full. The device is a small tmpfs, so the test needs the right to mount;
 * where it is absent, the test says so and is skipped.
 */
public class DiskFullTest {
    private static final String DEVICE_SIZE = "96m";
    private static final int WRITES_BETWEEN_FAULTS = 300;
    private static final Duration END_LIMIT = Duration.ofSeconds(60);
    private static final int LAST_LOG_LINES = 200;

    private final Ensemble ensemble = Ensemble.named("disk-full").build();
    private final ServerProcess victim = ensemble.server(3);
    private final Path device = victim.directory().resolve("data");
    private boolean mounted;

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(180);

    @Before
    public void mountDevice() throws Exception {
        Assume.assumeFalse("the stock server does not end when its log cannot be written", ensemble.isStock());
        ensemble.writeConfigurations();
        mounted = run("mount", "-t", "tmpfs", "-o", "size=" + DEVICE_SIZE, "tmpfs", device.toString());
        if (!mounted) {
            System.out.println("DiskFullTest is skipped: this user may not mount a tmpfs");
        }
        Assume.assumeTrue("this user may not mount a tmpfs", mounted);
        Files.writeString(device.resolve("myid"), victim.id() + "\n");
        ensemble.startAll();
    }

    @After
    public void unmountDevice() throws Exception {
        ensemble.killAll();
        if (mounted) {
            assertTrue("umount " + device, run("umount", device.toString()));
        }
    }

    @Test
    public void logCannotBeWritten_serverEndsWithAReasonAndNothingAcknowledgedIsLost() throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble)) {
            load.start();
            load.awaitProgress(WRITES_BETWEEN_FAULTS);
            Path filler = device.resolve("filler");
            fillUp(filler);
            Await.until("server " + victim.id() + " ends", END_LIMIT, () -> !victim.isRunning());

            assertNotEquals(0, victim.awaitExit());
            List<String> log = victim.lastLogLines(LAST_LOG_LINES);
            assertTrue(
                    "no line says what happened where: " + String.join("\n", log),
                    log.stream()
                            .anyMatch(line ->
                                    line.contains("No space left on device") && line.contains(device.toString())));
            load.awaitProgress(WRITES_BETWEEN_FAULTS);

            Files.delete(filler);
            victim.start();
            victim.awaitServing();
            load.awaitProgress(WRITES_BETWEEN_FAULTS);
            load.stop();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
        }
    }

    private static void fillUp(Path filler) throws IOException {
        byte[] block = new byte[4096];
        try (OutputStream output = Files.newOutputStream(filler)) {
            while (true) {
                output.write(block);
            }
        } catch (IOException e) {
            if (!e.getMessage().contains("No space left")) {
                throw e;
            }
        }
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(List.of(command)).inheritIO().start().waitFor() == 0;
    }
}
