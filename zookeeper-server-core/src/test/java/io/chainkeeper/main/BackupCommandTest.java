package io.chainkeeper.main;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.storage.DataFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.Adler32;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Backups of a running member: what they bring back, and what is refused without a change. */
public class BackupCommandTest {
    private static final int WRITES = 40;
    private static final int REFUSED = 1;
    private static final int MISTAKE = 2;

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TestEnsemble member;
    private static ZooKeeper client;

    /** What each write has set, in the order of their zxids. */
    private static final List<Stat> WRITTEN = new ArrayList<>();

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private Path backup;

    @BeforeClass
    public static void startMember() throws Exception {
        member = new TestEnsemble(FOLDER.newFolder("member").toPath(), 1).startAll();
        client = member.client(1);
        client.create("/key", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        write();
    }

    @AfterClass
    public static void stopMember() throws Exception {
        member.close();
    }

    private static void write() throws Exception {
        for (int i = 0; i < WRITES; i++) {
            WRITTEN.add(client.setData("/key", ("value " + WRITTEN.size()).getBytes(StandardCharsets.UTF_8), -1));
        }
    }

    @Before
    public void takeBackup() throws Exception {
        backup = folder.getRoot().toPath().resolve("backup");
        assertEquals(said.toString(), 0, run("backup", "--to", backup.toString()));
    }

    /** An answer may be there a moment before its transaction is in the file. */
    private void backUpAll(String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("backup", "--to", backup.toString()));
        arguments.addAll(List.of(options));
        String end = "reaches " + hex(WRITTEN.get(WRITTEN.size() - 1).getMzxid());
        TestEnsemble.await("the last write is in the backup", () -> {
            try {
                assertEquals(0, run(arguments.toArray(String[]::new)));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return said.toString().contains(end);
        });
    }

    private Path zooCfg(Path data) throws IOException {
        Path file = Files.createTempFile(folder.getRoot().toPath(), "zoo", ".cfg");
        Files.writeString(file, "dataDir=" + data + "\n");
        return file;
    }

    private int run(String... arguments) throws IOException {
        said.reset();
        PrintStream to = new PrintStream(said, true, StandardCharsets.UTF_8);
        List<String> all =
                new ArrayList<>(List.of(zooCfg(member.dataDirectory(1)).toString()));
        all.addAll(List.of(arguments));
        return new BackupCommand(to, to, Clock.systemUTC(), "9.9.9").run(all.toArray(String[]::new));
    }

    private static SortedMap<String, byte[]> contents(Path directory) throws IOException {
        SortedMap<String, byte[]> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(file.toString(), Files.readAllBytes(file));
            }
        }
        return contents;
    }

    /** Refused in one line that has these words; nothing in the backup has changed. */
    private void assertRefused(int exitCode, List<String> arguments, String... words) throws IOException {
        SortedMap<String, byte[]> before = contents(backup);
        int code = run(arguments.toArray(String[]::new));
        String line = said.toString(StandardCharsets.UTF_8);
        assertEquals(line, exitCode, code);
        assertEquals("one line: " + line, 1, line.lines().count());
        for (String word : words) {
            assertTrue(line, line.contains(word));
        }
        assertSame(before, contents(backup));
    }

    private static void assertSame(SortedMap<String, byte[]> before, SortedMap<String, byte[]> after) {
        assertEquals(before.keySet(), after.keySet());
        before.forEach((name, content) -> assertArrayEquals(name, content, after.get(name)));
    }

    private Path file(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(backup)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String hex(long zxid) {
        return "0x" + Long.toHexString(zxid);
    }

    /** Starts a server of its own from the restored directory. */
    private void assertRestored(int written, String... how) throws Exception {
        try (TestEnsemble restored =
                new TestEnsemble(folder.newFolder("restored").toPath(), 1)) {
            Path data = restored.dataDirectory(1);
            Files.createDirectories(data);
            List<String> arguments = new ArrayList<>(List.of("restore", backup.toString(), "--into", data.toString()));
            arguments.addAll(List.of(how));
            assertEquals(said.toString(), 0, run(arguments.toArray(String[]::new)));
            assertTrue(said.toString(), said.toString().contains("dataLogDir"));
            restored.startAll();
            Stat stat = new Stat();
            byte[] value = restored.client(1).getData("/key", false, stat);
            assertEquals("value " + written, new String(value, StandardCharsets.UTF_8));
            assertEquals(WRITTEN.get(written), stat);
        }
    }

    @Test
    public void transactionInTheMiddle_isBroughtBackWithItsStat() throws Exception {
        assertRestored(17, "--to-zxid", hex(WRITTEN.get(17).getMzxid()));
    }

    @Test
    public void time_isThatOfTheLastTransactionBefore() throws Exception {
        int last = WRITTEN.size() - 1;
        while (WRITTEN.get(last).getMtime() == WRITTEN.get(WRITTEN.size() - 1).getMtime()) {
            last--;
        }
        assertRestored(
                last,
                "--to-time",
                Instant.ofEpochMilli(WRITTEN.get(last).getMtime()).toString());
    }

    /** The member may have been stopped, or behind the others: it is not known that nothing was written. */
    @Test
    public void timeBehindTheLastTransaction_isRefusedAlsoIfTheBackupWasTakenLater() throws Exception {
        Stat last = WRITTEN.get(WRITTEN.size() - 1);
        backUpAll();
        TestEnsemble.await("a backup is taken later than the last write", () -> taken() > last.getMtime());
        assertRestoreRefused(
                REFUSED,
                List.of("--to-time", Instant.ofEpochMilli(taken()).toString()),
                "the last transaction that it holds is " + hex(last.getMzxid()) + " of "
                        + Instant.ofEpochMilli(last.getMtime()));
        assertRestored(
                WRITTEN.size() - 1,
                "--to-time",
                Instant.ofEpochMilli(last.getMtime()).toString());
    }

    private long taken() {
        try {
            assertEquals(0, run("backup", "--to", backup.toString()));
            return Long.parseLong(
                    Files.readString(backup.resolve("manifest")).replaceFirst("(?s).* taken=([0-9]+).*", "$1"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void nextRun_addsOnlyWhatIsNew() throws Exception {
        SortedMap<String, byte[]> before = contents(backup);
        write();
        backUpAll();
        SortedMap<String, byte[]> after = contents(backup);
        for (String name : before.keySet()) {
            if (!name.endsWith("manifest")) {
                assertArrayEquals(name, before.get(name), after.get(name));
            }
        }
        assertTrue("more pieces", after.size() > before.size());
        assertEquals(said.toString(), 0, run("verify", backup.toString()));
        assertTrue(said.toString(), said.toString().startsWith("Whole: "));
        String compared = said.toString().replaceFirst("(?s).*digest at ([0-9]+) transactions.*", "$1");
        assertTrue(said.toString(), Integer.parseInt(compared) >= WRITES);
        assertEquals(0, run("list", backup.toString()));
        assertTrue(said.toString(), said.toString().contains("any state from"));
        assertRestored(WRITTEN.size() - 1);
    }

    @Test
    public void keptSnapshots_bringTheirLogsWithThem() throws Exception {
        String before = file("snapshot.").getFileName().toString();
        write();
        member.server(1).takeSnapshot();
        write();
        backUpAll("--keep", "1");
        assertFalse(Files.exists(backup.resolve(before)));
        assertEquals(said.toString(), 0, run("verify", backup.toString()));
        assertRestored(WRITTEN.size() - 1);
    }

    @Test
    public void runThatWasCutShort_leavesNothingToTheNext() throws Exception {
        Files.writeString(backup.resolve("snapshot.ff.tmp"), "half");
        Files.writeString(backup.resolve("log.ffff"), "not in the manifest");
        assertEquals(said.toString(), 0, run("backup", "--to", backup.toString()));
        assertFalse(Files.exists(backup.resolve("snapshot.ff.tmp")));
        assertFalse(Files.exists(backup.resolve("log.ffff")));
        assertEquals(said.toString(), 0, run("verify", backup.toString()));
    }

    @Test
    public void damage_isFoundInEveryFile() throws Exception {
        for (String prefix : List.of("snapshot.", "log.", "manifest")) {
            Path file = file(prefix);
            byte[] content = Files.readAllBytes(file);
            for (long offset : List.of(0L, content.length / 2L, content.length - 2L)) {
                try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
                    out.seek(offset);
                    out.write(content[(int) offset] ^ 0x40);
                }
                assertRefused(REFUSED, List.of("verify", backup.toString()), file.toString(), "damaged");
                assertRestoreRefused(REFUSED, List.of(), "damaged");
                Files.write(file, content);
            }
        }
        Files.delete(file("log."));
        assertRefused(REFUSED, List.of("verify", backup.toString()), "log.", "is missing", "incomplete");
        assertRestoreRefused(REFUSED, List.of(), "is missing");
    }

    @Test
    public void damagedSnapshot_isPassedOverWhereAnOlderOneLeadsToTheSameState() throws Exception {
        Path older = file("snapshot.");
        write();
        member.server(1).takeSnapshot();
        write();
        backUpAll();
        List<Path> snapshots = DataFiles.snapshots(backup);
        Path newer = snapshots.get(0);
        assertEquals(List.of(newer, older), snapshots);
        damage(newer);
        String goal = hex(WRITTEN.get(WRITTEN.size() - 1).getMzxid());
        assertRestored(WRITTEN.size() - 1, "--to-zxid", goal);
        String line = said.toString().lines().findFirst().orElseThrow();
        assertTrue(line, line.contains("from snapshot " + hex(DataFiles.snapshotZxid(older))));
        assertTrue(line, line.contains(newer + " is damaged"));
        assertRefused(REFUSED, List.of("verify", backup.toString()), newer.toString(), "damaged");
        damage(older);
        assertRestoreRefused(REFUSED, List.of(), newer + " is damaged", older + " is damaged");
        Files.delete(newer);
        assertRestoreRefused(REFUSED, List.of(), newer + " is missing", older + " is damaged");
    }

    private static void damage(Path file) throws IOException {
        byte[] content = Files.readAllBytes(file);
        content[content.length / 2] ^= 1;
        Files.write(file, content);
    }

    private void assertRestoreRefused(int exitCode, List<String> how, String... words) throws IOException {
        Path data = folder.getRoot().toPath().resolve("nothing-restored");
        List<String> arguments = new ArrayList<>(List.of("restore", backup.toString(), "--into", data.toString()));
        arguments.addAll(how);
        assertRefused(exitCode, arguments, words);
        assertFalse(Files.exists(data));
    }

    /** Whoever can write a file can write its checksum, but not the digests that the member has written. */
    @Test
    public void digestOfTheTree_isComparedWithTheMembers() throws Exception {
        String text = "value " + (WRITTEN.size() + WRITES / 2);
        write();
        assertEquals(0, run("backup", "--to", backup.toString()));
        Path log = backup.resolve(
                "log." + Long.toHexString(WRITTEN.get(WRITTEN.size() - WRITES).getMzxid()));
        byte[] content = Files.readAllBytes(log);
        int at = new String(content, StandardCharsets.ISO_8859_1).indexOf(text);
        assertTrue("the log holds the value", at > 0);
        content[at] ^= 1;
        int length = 0;
        int entry = 16;
        while (entry + 12 + length < at) {
            entry += length == 0 ? 0 : 13 + length;
            length = ByteBuffer.wrap(content).getInt(entry + 8);
        }
        Adler32 checksum = new Adler32();
        checksum.update(content, entry + 12, length);
        ByteBuffer.wrap(content).putLong(entry, checksum.getValue());
        String before = sha256(Files.readAllBytes(log));
        Files.write(log, content);
        sign(Files.readString(backup.resolve("manifest")).replace(before, sha256(content)));
        assertRefused(REFUSED, List.of("verify", backup.toString()), log.toString(), "another digest");
        assertRestoreRefused(REFUSED, List.of(), "another digest");
    }

    private static String sha256(byte[] content) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    }

    private void sign(String manifest) throws Exception {
        String lines = manifest.substring(0, manifest.lastIndexOf("sha256="));
        Files.writeString(
                backup.resolve("manifest"), lines + "sha256=" + sha256(lines.getBytes(StandardCharsets.UTF_8)) + "\n");
    }

    @Test
    public void backupOfANewerRelease_isRefusedByName() throws Exception {
        sign(Files.readString(backup.resolve("manifest")).replace("chainkeeper-backup 1 ", "chainkeeper-backup 2 "));
        for (String command : List.of("verify", "list")) {
            assertRefused(REFUSED, List.of(command, backup.toString()), "release 9.9.9", "format 2");
        }
        assertRefused(REFUSED, List.of("backup", "--to", backup.toString()), "release 9.9.9");
        assertRestoreRefused(REFUSED, List.of(), "release 9.9.9");
    }

    @Test
    public void backupOfAnotherCluster_isNotContinued() throws Exception {
        String manifest = Files.readString(backup.resolve("manifest"));
        sign(manifest.replaceFirst("cluster=[0-9a-f]{8}", "cluster=01234567"));
        assertRefused(
                REFUSED, List.of("backup", "--to", backup.toString()), "of cluster 01234567", "another directory");
    }

    @Test
    public void anotherHistory_isNotContinued() throws Exception {
        String manifest = Files.readString(backup.resolve("manifest"));
        sign(manifest.replaceAll("lastTime=[0-9]+", "lastTime=5"));
        assertRefused(REFUSED, List.of("backup", "--to", backup.toString()), "histories differ");
    }

    @Test
    public void statesThatTheBackupDoesNotHave_areRefused() throws Exception {
        assertRestoreRefused(
                REFUSED, List.of("--to-time", "2001-01-01T00:00:00Z"), "2001-01-01T00:00:00Z", "it goes from 0x");
        assertRestoreRefused(
                REFUSED, List.of("--to-time", "2101-01-01T00:00:00Z"), "2101-01-01T00:00:00Z", "later ones");
        assertRestoreRefused(REFUSED, List.of("--to-zxid", "0x7fffffff"), "cannot bring back 0x7fffffff");
        assertRestoreRefused(MISTAKE, List.of("--to-zxid", "12"), "as in 0x1c2f3");
        assertRestoreRefused(MISTAKE, List.of("--to-time", "yesterday"), "as in 2026-");
        assertRestoreRefused(MISTAKE, List.of("--to-time", "x", "--to-zxid", "y"), "not both");
    }

    @Test
    public void directoriesWithOtherThings_areNotTouched() throws Exception {
        Path data = folder.newFolder("data").toPath();
        Files.writeString(data.resolve("myid"), "1\n");
        Files.writeString(data.resolve("kept"), "kept");
        Path empty = folder.getRoot().toPath().resolve("empty");
        assertRefused(
                REFUSED,
                List.of("restore", backup.toString(), "--into", empty + "," + data),
                data + " holds data (kept)",
                "nothing was changed");
        assertFalse(Files.exists(empty));
        assertRefused(REFUSED, List.of("backup", "--to", data.toString()), "is not empty and holds no backup");
        assertRefused(REFUSED, List.of("verify", data.toString()), "holds no backup");
        assertEquals(2, contents(data).size());
    }

    /** Their names are those of a backup's own files. */
    @Test
    public void filesOfServersWithoutAManifest_areNoBackupToBeContinued() throws Exception {
        Path saved = folder.newFolder("saved").toPath();
        Files.writeString(saved.resolve("snapshot.1c2f3"), "of the AdminServer");
        assertNotTakenFor(saved, "snapshot.1c2f3");
        Path logs = folder.newFolder("logs").toPath().resolve("version-2");
        copy(member.dataDirectory(1).resolve("version-2"), logs);
        for (Path file : DataFiles.all(logs)) {
            if (DataFiles.logZxid(file) < 0) {
                Files.delete(file);
            }
        }
        assertNotTakenFor(logs, "log.");
        Files.delete(backup.resolve("manifest"));
        assertNotTakenFor(backup, "log.");
        Path temporary = folder.newFolder("temporary").toPath();
        Files.writeString(temporary.resolve("notes.tmp"), "of somebody else");
        assertNotTakenFor(temporary, "notes.tmp");
    }

    private void assertNotTakenFor(Path directory, String name) throws IOException {
        SortedMap<String, byte[]> before = contents(directory);
        int code = run("backup", "--to", directory.toString());
        assertSame(before, contents(directory));
        assertEquals(said.toString(), REFUSED, code);
        assertTrue(said.toString(), said.toString().contains(directory + " is not empty and holds no backup"));
        assertTrue(said.toString(), said.toString().contains(name));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    @Test
    public void firstRunThatWasCutShort_isGoneOnWith() throws Exception {
        Path data = folder.getRoot().toPath().resolve("copied-member");
        copy(member.dataDirectory(1), data);
        Path checkpoints = data.resolve("ordering").resolve("checkpoints");
        Path away = Files.move(checkpoints, folder.getRoot().toPath().resolve("away"));
        backup = folder.newFolder("begun").toPath();
        String to = backup.toString();
        String cfg = zooCfg(data).toString();
        assertEquals(said.toString(), REFUSED, run("backup", "--to", to, cfg));
        Files.writeString(backup.resolve("log.ffff"), "a piece");
        Files.writeString(backup.resolve("snapshot.ff.tmp"), "half");
        assertRefused(REFUSED, List.of("verify", to), "holds no backup");
        assertRestoreRefused(REFUSED, List.of(), "holds no backup");
        Files.move(away, checkpoints);
        assertEquals(said.toString(), 0, run("backup", "--to", to, cfg));
        assertFalse(Files.exists(backup.resolve("log.ffff")));
        assertFalse(Files.exists(backup.resolve("snapshot.ff.tmp")));
        assertEquals(said.toString(), 0, run("verify", to));
    }

    @Test
    public void memberThatBelongsToNoCluster_isNotBackedUp() throws Exception {
        Path nobody = folder.newFolder("nobody").toPath();
        Path to = folder.getRoot().toPath().resolve("other-backup");
        assertRefused(
                REFUSED,
                List.of("backup", "--to", to.toString(), zooCfg(nobody).toString()),
                "belongs to no cluster yet");
        assertNull(to.toFile().list());
    }

    @Test
    public void wrongCommandLines_sayWhatIsWrong() throws Exception {
        assertRefused(MISTAKE, List.of("copy"), "unknown command");
        assertRefused(MISTAKE, List.of("backup"), "needs --to");
        assertRefused(MISTAKE, List.of("backup", "--to"), "--to needs one value");
        assertRefused(MISTAKE, List.of("backup", "--to", "a", "--keep", "0"), "--keep 0", "1 to");
        assertRefused(MISTAKE, List.of("backup", "--to", "a", "--every", "soon"), "as in 15m");
        assertRefused(MISTAKE, List.of("verify"), "one backup directory");
        assertRefused(MISTAKE, List.of("verify", backup.toString(), "--keep", "1"), "unknown option");
    }
}
