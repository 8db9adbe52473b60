package io.chainkeeper.clienttests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
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
    private static final int TORN_BYTES = 5;

    private final Ensemble ensemble = Ensemble.named("corrupt-log").build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(90);

    @Before
    public void hasAnAcceptorLog() {
        Assume.assumeFalse("the stock server has no acceptor log", ensemble.isStock());
    }

    @Test
    public void bitFlipsInTheMiddle_serverRefusesToStartAndChangesNothing() throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble)) {
            load.start();
            load.awaitProgress(WRITES);
            load.stop();
            ServerProcess victim = ensemble.server(2);
            victim.kill();
            Path file = largestFile(victim.directory().resolve("data/ordering"));
            byte[] sound = Files.readAllBytes(file);
            byte[] corrupt = sound.clone();
            corrupt[usedBytes(sound) / 2] ^= 4;
            Files.write(file, corrupt);
            Map<String, Integer> before = hashes(victim.directory().resolve("data"));

            Scripts.Result result = victim.script("start-foreground");

            assertNotEquals(result.toString(), 0, result.exitCode());
            assertTrue(result.toString(), result.errors().contains(file.toString()));
            assertEquals(before, hashes(victim.directory().resolve("data")));

            Files.write(file, sound);
            victim.start();
            victim.awaitServing();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
        }
    }

    /** As after a power failure in the middle of a write. */
    @Test
    public void lastRecordIsTorn_itIsCutAndTheServerComesBack() throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble)) {
            load.start();
            load.awaitProgress(WRITES);
            ServerProcess victim = ensemble.server(2);
            victim.kill();
            Path file = newestSegment(victim.directory().resolve("data/ordering"));
            byte[] content = Files.readAllBytes(file);
            int end = usedBytes(content);
            Arrays.fill(content, end - TORN_BYTES, end, (byte) 0);
            Files.write(file, content);

            victim.start();
            victim.awaitServing();
            ensemble.awaitCaughtUp();
            load.awaitProgress(WRITES);
            load.stop();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
        }
    }

    private static Path newestSegment(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    private static Path largestFile(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .max(Comparator.comparingLong((Path file) -> file.toFile().length()))
                    .orElseThrow();
        }
    }

    /** Without the zeros that wait for records. */
    private static int usedBytes(byte[] content) {
        int end = content.length;
        while (end > 0 && content[end - 1] == 0) {
            end--;
        }
        return end;
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
