package io.chainkeeper.server.backup;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.backup.BackupChain.Reach;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.server.storage.TxnLogScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Which states a backup has after several runs, between which the member has taken snapshots. */
public class BackupGapsTest {
    private static final int WRITES = 10;

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    /** A member when its first snapshot was new. */
    private static DataDirectories first;

    /** The same member when its second one was. */
    private static DataDirectories second;

    /** The same member, with transactions behind its third one. */
    private static DataDirectories third;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @BeforeClass
    public static void leaveMember() throws Exception {
        Path home = FOLDER.newFolder("member").toPath();
        try (TestEnsemble ensemble = new TestEnsemble(home, 1).startAll()) {
            ZooKeeper client = ensemble.client(1);
            client.create("/key", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            ensemble.server(1).takeSnapshot();
            first = copyOf(ensemble, "first");
            write(client);
            ensemble.server(1).takeSnapshot();
            second = copyOf(ensemble, "second");
            write(client);
            ensemble.server(1).takeSnapshot();
            write(client);
            third = new DataDirectories(ensemble.dataDirectory(1), ensemble.dataDirectory(1));
        }
    }

    private static void write(ZooKeeper client) throws Exception {
        for (int i = 0; i < WRITES; i++) {
            client.setData("/key", new byte[] {(byte) i}, -1);
        }
    }

    private static DataDirectories copyOf(TestEnsemble ensemble, String name) throws IOException {
        return copy(ensemble.dataDirectory(1), FOLDER.newFolder(name).toPath());
    }

    private static DataDirectories copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.skip(1).toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
        return new DataDirectories(to, to);
    }

    private static void backUp(DataDirectories member, Path to, int keep) throws IOException {
        new BackupRun(member, to, "9.9.9", keep).run(Instant.EPOCH);
    }

    private static List<Reach> reaches(Path backup) throws IOException {
        return BackupChain.reaches(BackupManifest.read(backup));
    }

    /** Nothing was written between a member's start, or a snapshot that was asked for, and the first run. */
    @Test
    public void nothingFollowsTheSnapshotYet_nextRunHasWhatFollowedIt() throws Exception {
        Path backup = folder.newFolder("backup").toPath();
        backUp(first, backup, BackupRun.KEEP_ALL);
        assertEquals(List.of(), BackupManifest.read(backup).pieces());
        backUp(third, backup, BackupRun.KEEP_ALL);
        List<Reach> reaches = reaches(backup);
        assertEquals(reaches.toString(), 2, reaches.size());
        assertEquals(reaches.toString(), reaches.get(1).to(), reaches.get(0).to());
        assertBringsBack(backup, reaches.get(0).from() + WRITES / 2);
    }

    private void assertBringsBack(Path backup, long zxid) throws IOException {
        Path data = folder.newFolder().toPath();
        BackupRestore restore = new BackupRestore(backup);
        String said = restore.restore(restore.at(zxid), List.of(new DataDirectories(data, data)));
        assertTrue(said, said.startsWith("Restored 0x" + Long.toHexString(zxid) + " "));
    }

    /** Whoever proves a backup that goes on meanwhile must not hear that it is incomplete. */
    @Test
    public void fileIsDeletedByALaterRun_thatIsWhatIsSaid() throws Exception {
        Path backup = folder.newFolder("backup").toPath();
        backUp(first, backup, 1);
        BackupManifest.Snapshot snapshot =
                BackupManifest.read(backup).snapshots().get(0);
        backUp(third, backup, 1);
        IOException failure = assertThrows(
                IOException.class, () -> BackupVerification.check(backup, snapshot.fileName(), snapshot.content()));
        assertTrue(failure.getMessage(), failure.getMessage().contains("deleted by another zkBackup.sh"));
    }

    /** A member that has got a state from elsewhere has no transactions behind it until there is another one. */
    @Test
    public void snapshotIsBehindAGap_nextRunHasWhatFollowedIt() throws Exception {
        Path backup = folder.newFolder("backup").toPath();
        backUp(first, backup, BackupRun.KEEP_ALL);
        backUp(withoutLogBefore(second), backup, BackupRun.KEEP_ALL);
        backUp(withoutLogBefore(third), backup, BackupRun.KEEP_ALL);
        List<Reach> reaches = reaches(backup);
        assertEquals(reaches.toString(), 3, reaches.size());
        assertEquals(reaches.toString(), reaches.get(0).from(), reaches.get(0).to());
        assertEquals(reaches.toString(), reaches.get(2).to(), reaches.get(1).to());
        assertBringsBack(backup, reaches.get(1).from() + WRITES / 2);
    }

    /** Leaves what a member has that has got the state of {@code second} from elsewhere. */
    private DataDirectories withoutLogBefore(DataDirectories member) throws IOException {
        DataDirectories copy = copy(member.dataDirectory(), folder.newFolder().toPath());
        long newest =
                DataFiles.snapshotZxid(DataFiles.snapshots(second.snapshots()).get(0));
        for (Path log : DataFiles.logs(copy.transactions(), 0)) {
            byte[] content = Files.readAllBytes(log);
            int from = TxnLogScanner.HEADER_BYTES;
            try (TxnLogScanner scanner = new TxnLogScanner(log)) {
                for (long zxid = scanner.next(); zxid != 0 && zxid <= newest; zxid = scanner.next()) {
                    from = (int) scanner.goodBytes();
                }
                if (scanner.lastZxid() <= newest) {
                    Files.delete(log);
                } else if (from > TxnLogScanner.HEADER_BYTES) {
                    System.arraycopy(
                            content, 0, content, from - TxnLogScanner.HEADER_BYTES, TxnLogScanner.HEADER_BYTES);
                    Files.delete(log);
                    Files.write(
                            log.resolveSibling("log." + Long.toHexString(newest + 1)),
                            Arrays.copyOfRange(content, from - TxnLogScanner.HEADER_BYTES, content.length));
                }
            }
        }
        return copy;
    }
}
