package io.chainkeeper.server.backup;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.main.BackupCommand;
import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.server.storage.TxnLogScanner;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What becomes of a backup, and what is said, where directories and disks are not as they should be. */
public class BackupFailuresTest {
    private static final Path FULL = Path.of("/dev/full");

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static DataDirectories member;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    /** Leaves a member with two snapshots, and a file of the log behind each. */
    @BeforeClass
    public static void leaveMember() throws Exception {
        Path home = FOLDER.newFolder("member").toPath();
        try (TestEnsemble ensemble = new TestEnsemble(home, 1).startAll()) {
            ZooKeeper client = ensemble.client(1);
            client.create("/key", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            ensemble.server(1).takeSnapshot();
            for (int i = 0; i < 10; i++) {
                client.setData("/key", new byte[] {1}, -1);
            }
            member = new DataDirectories(ensemble.dataDirectory(1), ensemble.dataDirectory(1));
        }
    }

    private String backUp(Path to) throws IOException {
        return new BackupRun(member, to, "9.9.9", BackupRun.KEEP_ALL).run(Instant.EPOCH);
    }

    private String restore(Path backup, Path into) throws IOException {
        BackupRestore restore = new BackupRestore(backup);
        return restore.restore(restore.last(), List.of(new DataDirectories(into, into)));
    }

    private void assertManifestIsDamaged(Path backup, String content) throws IOException {
        Path manifest = backup.resolve("manifest");
        Files.writeString(manifest, content);
        IOException refused = assertThrows(UnusableBackupException.class, () -> BackupManifest.read(backup));
        assertTrue(refused.getMessage(), refused.getMessage().contains(manifest + " is damaged"));
    }

    @Test
    public void manifestOfEmptyLines_isDamaged() throws Exception {
        Path backup = folder.getRoot().toPath();
        for (String content : List.of("", "\n", "\n\n\n")) {
            assertManifestIsDamaged(backup, content);
        }
    }

    @Test
    public void diskOfTheBackupIsFull_itIsTheOneThatIsNamed() throws Exception {
        Assume.assumeTrue("there is a disk that is full", Files.exists(FULL));
        Path file = folder.getRoot().toPath().resolve("log.5");
        Path temporary = Files.createSymbolicLink(folder.getRoot().toPath().resolve("log.5.tmp"), FULL);
        byte[] content = "a piece".getBytes(StandardCharsets.UTF_8);
        IOException failure = assertThrows(
                IOException.class,
                () -> BackupFiles.write(
                        file, out -> BackupFiles.copy(new ByteArrayInputStream(content), out, content.length)));
        assertTrue(failure.getMessage(), failure.getMessage().startsWith(temporary + " cannot be written: "));
        assertFalse(Files.exists(temporary));
    }

    /** This device takes what is written, and cannot be forced. */
    @Test
    public void storageFailsOnlyWhenItIsForced_theFileIsNamed() throws Exception {
        Path file = folder.getRoot().toPath().resolve("log.5");
        Path temporary = Files.createSymbolicLink(folder.getRoot().toPath().resolve("log.5.tmp"), Path.of("/dev/null"));
        IOException failure = assertThrows(IOException.class, () -> BackupFiles.write(file, out -> out.write(1)));
        assertTrue(failure.getMessage(), failure.getMessage().startsWith(temporary + " cannot be written: "));
        assertFalse(Files.exists(temporary, LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    public void manifestCannotBeWritten_itIsNamed() throws Exception {
        Path backup = folder.newFolder("backup").toPath();
        backUp(backup);
        BackupManifest manifest = BackupManifest.read(backup);
        Files.createDirectories(backup.resolve("manifest.tmp").resolve("in the way"));
        IOException failure = assertThrows(IOException.class, () -> manifest.write(backup));
        assertTrue(failure.getMessage(), failure.getMessage().startsWith(backup.resolve("manifest") + " cannot be"));
    }

    @Test
    public void diskIsFullAtTheEndOfARestore_snapshotIsNamed() throws Exception {
        Assume.assumeTrue("there is a disk that is full", Files.exists(FULL));
        Path backup = folder.newFolder("backup").toPath();
        backUp(backup);
        BackupManifest manifest = BackupManifest.read(backup);
        ReplayedTree tree = ReplayedTree.load(backup, manifest.snapshots().get(0));
        Path snapshot = folder.getRoot().toPath().resolve("snapshot");
        Files.createSymbolicLink(folder.getRoot().toPath().resolve("snapshot.tmp"), FULL);
        IOException failure = assertThrows(IOException.class, () -> BackupRestore.write(tree, snapshot));
        assertTrue(failure.getMessage(), failure.getMessage().startsWith(snapshot + " cannot be written: "));
    }

    /** The root of every file system of kind ext has one, and only root may move it away. */
    @Test
    public void directoryIsTheRootOfAFileSystem_itCountsAsEmpty() throws Exception {
        Path backup = folder.newFolder("backup").toPath();
        Files.createDirectory(backup.resolve("lost+found"));
        backUp(backup);
        backUp(backup);
        assertTrue(Files.exists(backup.resolve("lost+found")));
        Path data = folder.newFolder("data").toPath();
        Files.createDirectory(data.resolve("lost+found"));
        assertTrue(restore(backup, data).startsWith("Restored "));
    }

    /** {@code zkServer-initialize.sh} leaves this, and so does a restore that was killed before it had written. */
    @Test
    public void directoryIsPreparedForAServer_itCountsAsEmpty() throws Exception {
        Path backup = folder.newFolder("backup").toPath();
        backUp(backup);
        Path data = folder.newFolder("data").toPath();
        Files.createDirectory(data.resolve("version-2"));
        Files.createFile(data.resolve("initialize"));
        Files.writeString(data.resolve("myid"), "1\n");
        assertTrue(restore(backup, data).startsWith("Restored "));
        IOException refused = assertThrows(UserMistakeException.class, () -> restore(backup, data));
        assertTrue(refused.getMessage(), refused.getMessage().contains(data + " holds data (version-2)"));
    }

    /** Leaves a copy of the oldest snapshot, and the log from some later transaction on. */
    private DataDirectories memberWithoutTheFirstTransactions() throws IOException {
        Path copy = folder.newFolder("copy").toPath();
        DataDirectories directories = new DataDirectories(copy, copy);
        try (Stream<Path> files = Files.walk(member.dataDirectory())) {
            for (Path file : files.skip(1).toList()) {
                Files.copy(file, copy.resolve(member.dataDirectory().relativize(file)));
            }
        }
        List<Path> snapshots = DataFiles.snapshots(directories.snapshots());
        for (Path snapshot : snapshots.subList(0, snapshots.size() - 1)) {
            Files.delete(snapshot);
        }
        Path log = DataFiles.logs(directories.transactions(), 0).get(0);
        byte[] content = Files.readAllBytes(log);
        int from;
        try (TxnLogScanner scanner = new TxnLogScanner(log)) {
            scanner.next();
            scanner.next();
            from = (int) scanner.goodBytes();
        }
        System.arraycopy(content, 0, content, from - TxnLogScanner.HEADER_BYTES, TxnLogScanner.HEADER_BYTES);
        Files.delete(log);
        Files.write(
                directories.transactions().resolve("log.3"),
                Arrays.copyOfRange(content, from - TxnLogScanner.HEADER_BYTES, content.length));
        return directories;
    }

    /** A state that is just being replaced by another one looks the same. */
    @Test
    public void transactionsBehindTheSnapshotAreMissing_isSaidInsteadOfBackedUp() throws Exception {
        DataDirectories copy = memberWithoutTheFirstTransactions();
        Path backup = folder.newFolder("backup").toPath();
        BackupRun run = new BackupRun(copy, backup, "9.9.9", BackupRun.KEEP_ALL);
        IOException failure = assertThrows(IOException.class, () -> run.run(Instant.EPOCH));
        assertTrue(failure.getMessage(), failure.getMessage().contains("transactions are missing"));
        assertEquals(List.of(), BackupManifest.read(backup).pieces());
    }

    /** Forcing a file does not force the name of its directory, with which a loss of power could take it. */
    @Test
    public void directoriesAreNew_theirNamesAreForcedBeforeAFileInThemHasItsName() throws Exception {
        Path root = folder.getRoot().toPath().toRealPath();
        Path backup = root.resolve("of").resolve("member");
        assertForcedFirst(root, traced("backup", "--to", backup.toString()), "/manifest\"");
        Path data = root.resolve("new").resolve("data");
        assertForcedFirst(root, traced("restore", backup.toString(), "--into", data.toString()), "/snapshot.");
        Path other = root.resolve("other").resolve("data");
        String both = root.resolve("one").resolve("data") + "," + other;
        List<String> calls = traced("restore", backup.toString(), "--into", both);
        assertForcedFirst(root, calls, other + "/version-2/snapshot.");
        assertForcedFirst(other.getParent(), calls, other + "/version-2/snapshot.");
    }

    /** What is forced and renamed while the command runs, in that order. */
    private List<String> traced(String... arguments) throws Exception {
        Path calls = folder.getRoot().toPath().resolve("calls");
        Path zooCfg = folder.getRoot().toPath().resolve("zoo.cfg");
        Files.writeString(zooCfg, "dataDir=" + member.dataDirectory() + "\n");
        List<String> command = new ArrayList<>(List.of(
                "strace",
                "-f",
                "-y",
                "-s",
                "4096",
                "-o",
                calls.toString(),
                "-e",
                "trace=fsync,rename",
                "-e",
                "signal=none"));
        command.addAll(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), BackupCommand.class.getName()));
        command.add(zooCfg.toString());
        command.addAll(List.of(arguments));
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            Assume.assumeNoException("there is no strace here", e);
            throw e;
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Assume.assumeFalse("strace may look at processes here: " + said, said.contains("strace: "));
        assertEquals(said, 0, process.waitFor());
        return Files.readAllLines(calls);
    }

    private static void assertForcedFirst(Path directory, List<String> calls, String named) {
        int forced = -1;
        for (int i = 0; i < calls.size(); i++) {
            if (forced < 0 && calls.get(i).contains("fsync(") && calls.get(i).contains("<" + directory + ">")) {
                forced = i;
            }
            if (calls.get(i).contains("rename(") && calls.get(i).contains(named)) {
                assertTrue(directory + " is forced before " + calls.get(i) + ": " + calls, forced >= 0);
                return;
            }
        }
        throw new AssertionError(named + " got its name: " + calls);
    }
}
