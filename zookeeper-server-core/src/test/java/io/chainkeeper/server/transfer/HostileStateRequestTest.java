package io.chainkeeper.server.transfer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A member asks for anything at all. It gets a bounded answer or an error, and the files stay as they are. */
public class HostileStateRequestTest {
    private static final long SEED = 20261121;
    private static final int REQUESTS = 5_000;
    private static final int REQUEST_BYTES = 25;
    private static final long[] NUMBERS = {0, 1, -1, 40, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, 1L << 32};

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Map<Path, Long> lengths() throws IOException {
        Map<Path, Long> lengths = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder.getRoot().toPath())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                lengths.put(file, Files.size(file));
            }
        }
        return lengths;
    }

    private static byte[] request(Random random) {
        if (random.nextInt(4) == 0) {
            byte[] noise = new byte[random.nextInt(2 * REQUEST_BYTES)];
            random.nextBytes(noise);
            return noise;
        }
        ByteBuffer bytes = ByteBuffer.allocate(REQUEST_BYTES);
        bytes.put((byte) (random.nextInt(5) - 1)).putLong(number(random)).putInt((int) number(random));
        return bytes.putLong(number(random)).putInt((int) number(random)).array();
    }

    private static long number(Random random) {
        return random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextInt(50);
    }

    @Test(timeout = 120_000)
    public void anythingIsAsked_answerIsBoundedAndFilesStay() throws Exception {
        MemberFiles member = new MemberFiles(folder.getRoot().toPath(), 1);
        member.execute(40);
        member.snapshot(10);
        Map<Path, Long> before = lengths();
        Random random = new Random(SEED);
        int answers = 0;
        try (SnapshotSender source = member.source(4096)) {
            for (int i = 0; i < REQUESTS; i++) {
                try {
                    ByteSlice answer = source.answer(
                            1 + random.nextInt(6), ByteSlice.of(request(random)), () -> MemberFiles.PROMISE);
                    assertTrue(answer.length() <= StateChannel.MAX_ANSWER_BYTES);
                    answers++;
                } catch (IOException e) {
                    assertEquals(
                            "one line: " + e.getMessage(),
                            1,
                            e.getMessage().lines().count());
                }
            }
        }
        assertTrue("some of them are answered: " + answers, answers > 0);
        // What it may set off is one snapshot, and not another one soon.
        assertTrue("snapshots: " + member.snapshotsOnDemand, member.snapshotsOnDemand <= 1);
        Map<Path, Long> after = lengths();
        after.keySet().removeIf(file -> file.toString().endsWith(".32"));
        assertEquals(before, after);
        member.close();
    }
}
