package io.chainkeeper.server.storage;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.ImportedState;
import io.chainkeeper.command.ImportedState.Kind;
import io.chainkeeper.replica.ThreadScheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ImportedDirectoryTest {
    private static final long ZXID = 0x500000001L;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path data;
    private Path ordering;
    private LoggedFiles files;
    private ZKDatabase database;

    @Before
    public void openFiles() throws IOException {
        data = folder.newFolder("data").toPath();
        ordering = folder.newFolder("ordering").toPath();
        files = new LoggedFiles(data, data, ThreadScheduler.INSTANCE, "transaction-log", LoggedFiles.LARGE_WRITE_BYTES);
        database = new ZKDatabase(files);
    }

    private ImportedDirectory imported() {
        return new ImportedDirectory(ordering, files);
    }

    private void create(String path) throws Exception {
        TxnHeader header = new TxnHeader(1, 1, ZXID, 77, OpCode.create);
        database.processTxn(header, new CreateTxn(path, new byte[3], Ids.OPEN_ACL_UNSAFE, false, 1), null);
    }

    @Test
    public void nothing_isEmpty() throws Exception {
        imported().note();
        assertEquals(ImportedState.EMPTY, imported().state(database));
    }

    @Test
    public void epochFileThatAppearsLater_makesNoMember() throws Exception {
        imported().note();
        Files.writeString(files.getSnapDir().toPath().resolve("currentEpoch"), "5");
        imported().note();
        create("/a");
        assertEquals(Kind.STANDALONE, imported().state(database).kind());
    }

    @Test
    public void member_isKnownByItsEpoch() throws Exception {
        Files.writeString(files.getSnapDir().toPath().resolve("currentEpoch"), "6");
        imported().note();
        create("/a");
        ImportedState state = imported().state(database);
        assertEquals(new ImportedState(Kind.MEMBER, 6, ZXID, state.digest()), state);
    }

    @Test
    public void digest_coversZnodesAclsAndSessions() throws Exception {
        imported().note();
        create("/a");
        long before = imported().state(database).digest();
        assertEquals(before, imported().state(database).digest());
        database.getSessionWithTimeOuts().put(3L, 4_000);
        long withSession = imported().state(database).digest();
        assertNotEquals(before, withSession);
        database.getDataTree().setACL("/a", Ids.READ_ACL_UNSAFE, 1);
        assertNotEquals(withSession, imported().state(database).digest());
    }

    @Test
    public void digest_leavesOutWhatEachServerWritesForItself() throws Exception {
        imported().note();
        create("/a");
        database.getDataTree().addConfigNode();
        long before = imported().state(database).digest();
        database.getDataTree().setData("/zookeeper/config", new byte[9], -1, ZXID, 78);
        assertEquals(before, imported().state(database).digest());
    }

    @Test
    public void tornLog_isCopiedBeforeItIsCut() throws Exception {
        TxnHeader header = new TxnHeader(1, 1, ZXID, 77, OpCode.create);
        Request request =
                new Request(1, 1, OpCode.create, header, new CreateTxn("/a", null, List.of(), false, 1), ZXID);
        files.append(request);
        files.commit();
        files.close();
        Path log = files.getDataLogDir().toPath().resolve("log." + Long.toHexString(ZXID));
        byte[] whole = Files.readAllBytes(log);
        imported().note();
        assertFalse(Files.exists(ordering.resolve("uncut")));
        try (TxnLogScanner scanner = new TxnLogScanner(log)) {
            scanner.next();
            byte[] torn = Arrays.copyOf(whole, (int) scanner.goodBytes() - 1);
            Files.write(log, torn);
            imported().note();
            TxnLogTail.cut(files.logDirectory(), 0, -1);
            assertTrue(Files.size(log) < torn.length);
            assertArrayEquals(torn, Files.readAllBytes(ordering.resolve("uncut").resolve(log.getFileName())));
        }
    }
}
