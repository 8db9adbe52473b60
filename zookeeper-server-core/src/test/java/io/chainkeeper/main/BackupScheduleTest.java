package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.TestEnsemble;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Backups that are taken again and again: which states they outlast, and which end them. */
public class BackupScheduleTest {
    private static final int CANNOT_START = 1;
    private static final int MAX_LINES = 10;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final List<String> lines = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private Path data;
    private Path identity;
    private Path backup;

    /** What happens between two runs. */
    private interface Step {
        void happen() throws IOException;
    }

    /** Calls a step after each line. */
    private final class Lines extends PrintStream {
        private Lines() {
            super(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        }

        @Override
        public void println(String line) {
            lines.add(line);
            assertTrue("the schedule does not end: " + lines, lines.size() <= MAX_LINES);
            try {
                if (lines.size() <= steps.size()) {
                    steps.get(lines.size() - 1).happen();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** It is always late, so that nobody waits. */
    private static final class HastyClock extends Clock {
        private Instant now = Instant.EPOCH;

        @Override
        public Instant instant() {
            now = now.plus(Duration.ofDays(1));
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    @Before
    public void leaveMember() throws Exception {
        try (TestEnsemble member = new TestEnsemble(folder.newFolder("member").toPath(), 1).startAll()) {
            data = member.dataDirectory(1);
            TestEnsemble.await("the member has a name", () -> {
                try {
                    return Files.readString(data.resolve("ordering").resolve("identity"))
                            .contains("clusterId=");
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
        }
        identity = data.resolve("ordering").resolve("identity");
        backup = folder.getRoot().toPath().resolve("backup");
    }

    private int run() throws IOException {
        Path zooCfg = folder.newFile("zoo.cfg").toPath();
        Files.writeString(zooCfg, "dataDir=" + data + "\n");
        PrintStream to = new Lines();
        return new BackupCommand(to, to, new HastyClock(), "9.9.9")
                .run(zooCfg.toString(), "backup", "--to", backup.toString(), "--every", "1s");
    }

    private static void moveAway(Path file) throws IOException {
        Files.move(file, file.resolveSibling(file.getFileName() + ".away"));
    }

    private static void moveBack(Path file) throws IOException {
        Files.move(file.resolveSibling(file.getFileName() + ".away"), file);
    }

    private void becomeAnotherCluster() throws IOException {
        Files.writeString(
                identity, Files.readString(identity).replaceFirst("clusterId=[0-9a-f]{8}", "clusterId=01234567"));
    }

    private void assertLines(String... words) {
        assertEquals(lines.toString(), words.length, lines.size());
        for (int i = 0; i < words.length; i++) {
            assertTrue(lines.toString(), lines.get(i).contains(words[i]));
        }
    }

    @Test
    public void statesThatPass_areSaidAndOutlasted() throws Exception {
        Path checkpoints = data.resolve("ordering").resolve("checkpoints");
        Path manifest = backup.resolve("manifest");
        steps.add(() -> moveAway(checkpoints));
        steps.add(() -> {
            moveBack(checkpoints);
            moveAway(identity);
        });
        steps.add(() -> {
            moveBack(identity);
            Files.move(manifest, data.resolve("manifest"));
        });
        steps.add(() -> Files.move(data.resolve("manifest"), manifest));
        steps.add(this::becomeAnotherCluster);
        assertEquals(CANNOT_START, run());
        assertLines(
                "the backup reaches",
                "holds no snapshot with its checkpoint",
                "belongs to no cluster yet",
                "is not empty and holds no backup",
                "nothing new",
                "of cluster 01234567");
        for (String line : lines.subList(1, 4)) {
            assertTrue(line, line.contains("Not backed up: "));
            assertTrue(line, line.contains("; trying again at "));
        }
    }

    /** One that is damaged so that it is no text any more, too. */
    @Test
    public void damagedManifest_endsTheSchedule() throws Exception {
        Path manifest = backup.resolve("manifest");
        steps.add(() -> {
            byte[] content = Files.readAllBytes(manifest);
            content[content.length / 2] ^= (byte) 0x80;
            Files.write(manifest, content);
        });
        assertEquals(CANNOT_START, run());
        assertLines("the backup reaches", manifest + " is damaged");
    }
}
