package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.AcceptorLogFiles;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** A bit of one replica's acceptor log has changed on the disk. */
public class CorruptLogTest {
    private static final int WRITES = 500;

    private final Ensemble ensemble = Ensemble.named("corrupt-log").build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(240);

    @Before
    public void hasAnAcceptorLog() {
        Assume.assumeFalse("the stock server has no acceptor log", ensemble.isStock());
        Assume.assumeFalse("with shared disks the order is not in the servers' logs", ensemble.hasDisks());
    }

    @Test
    public void bitFlipsInTheMiddle_serverRefusesToStartAndChangesNothing() throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble)) {
            load.start();
            load.awaitProgress(WRITES);
            load.stop();
            ServerProcess victim = ensemble.server(2);
            victim.kill();
            AcceptorLogFiles.Flipped flipped = AcceptorLogFiles.of(victim).flipBit();
            Map<String, Integer> before = hashes(victim.directory().resolve("data"));

            Scripts.Result result = victim.script("start-foreground");

            assertNotEquals(result.toString(), 0, result.exitCode());
            assertTrue(
                    result.toString(), result.errors().contains(flipped.file().toString()));
            assertEquals(before, hashes(victim.directory().resolve("data")));

            flipped.repair();
            victim.start();
            victim.awaitServing();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
        }
    }

    private static Map<String, Integer> hashes(Path directory) throws IOException {
        Map<String, Integer> hashes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                hashes.put(file.toString(), Arrays.hashCode(Files.readAllBytes(file)));
            }
        }
        return hashes;
    }
}
