package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.MoveInRequest;
import io.chainkeeper.server.storage.StopMarker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import org.apache.jute.BinaryInputArchive;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What the user is told about data of Apache ZooKeeper, and what is written. */
public class MoveInTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private ServerFiles files;
    private Path version2;
    private Path ordering;

    @Before
    public void writeFiles() throws IOException {
        files = new ServerFiles(folder.getRoot().toPath());
        version2 = files.dataDirectory.resolve("version-2");
        ordering = files.dataDirectory.resolve("ordering");
        append(0x500000007L);
        Files.writeString(version2.resolve("currentEpoch"), "5");
    }

    private void append(long zxid) throws IOException {
        try (FileTxnLog log = new FileTxnLog(version2.toFile())) {
            append(log, zxid, 3);
        }
    }

    private static void append(FileTxnLog log, long zxid, int bytes) throws IOException {
        TxnHeader header = new TxnHeader(1, 1, zxid, 1, OpCode.setData);
        log.append(new Request(1, 1, OpCode.setData, header, new SetDataTxn("/a", new byte[bytes], 1), zxid));
        log.commit();
    }

    private int run(String... args) {
        out.reset();
        err.reset();
        return new MoveIn(
                        List.of(new NamedProtocol("chain")),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8))
                .run(args);
    }

    private static void assertPrinted(ByteArrayOutputStream stream, String... expected) {
        String text = stream.toString(StandardCharsets.UTF_8);
        for (String part : expected) {
            assertTrue(text, text.contains(part));
        }
    }

    @Test
    public void position_saysHowFarTheFilesReach() throws Exception {
        assertEquals(0, run(files.zooCfg.toString()));
        assertPrinted(out, "Server 1: last transaction 0x500000007, epoch 5 of Apache ZooKeeper");
        Files.delete(version2.resolve("currentEpoch"));
        assertEquals(0, run(files.zooCfg.toString()));
        assertPrinted(out, "of no ensemble");
        new ClusterIdentity(1, new UUID(3, 4), "chain").write(ordering);
        assertEquals(0, run(files.zooCfg.toString()));
        assertPrinted(out, "cluster " + new UUID(3, 4));
    }

    /** The servers may have been given a larger jute.maxbuffer, of which this command knows nothing. */
    @Test
    public void entryLongerThanZooKeepersReaderTakes_positionIsThatBehindIt() throws Exception {
        try (FileTxnLog log = new FileTxnLog(version2.toFile())) {
            append(log, 0x500000008L, 3);
            append(log, 0x500000009L, 3 * BinaryInputArchive.maxBuffer);
            append(log, 0x50000000aL, 3);
        }
        assertEquals(0, run(files.zooCfg.toString()));
        assertPrinted(out, "last transaction 0x50000000a, ");
        assertEquals(1, run("--without", "2,3", files.zooCfg.toString()));
        assertPrinted(out, "here up to 0x50000000a");
    }

    @Test
    public void zooKeeperHasGoneOn_positionSaysWhatAStartWouldRefuse() throws Exception {
        new ClusterIdentity(1, new UUID(3, 4), "chain").write(ordering);
        StopMarker.forceAndWrite(ordering, version2, 0, 9);
        assertEquals(0, run(files.zooCfg.toString()));
        assertPrinted(out, "last transaction 0x500000007, cluster " + new UUID(3, 4) + System.lineSeparator());
        append(0x600000001L);
        SortedMap<String, String> before = files.contents();
        assertEquals(0, run(files.zooCfg.toString()));
        assertPrinted(
                out,
                "last transaction 0x600000001, not of cluster " + new UUID(3, 4),
                "left at 0x500000007",
                "probably by Apache ZooKeeper",
                "delete the ordering directory of every server");
        assertEquals(1, out.toString(StandardCharsets.UTF_8).lines().count());
        assertEquals(before, files.contents());
    }

    @Test
    public void withoutConsent_isExplainedAndNotDone() throws Exception {
        assertEquals(1, run("--without", "2,3", files.zooCfg.toString()));
        assertPrinted(
                out, "here up to 0x500000007", "every write that only server.2, server.3 held", "Nothing has been");
        assertNull(MoveInRequest.read(ordering));
    }

    @Test
    public void listOfNobody_isRefused() throws Exception {
        for (String nobody : List.of(",", "")) {
            assertEquals(2, run("--without", nobody, "--yes", files.zooCfg.toString()));
            assertPrinted(err, "--without: '" + nobody + "' is no list of server ids such as 2,3");
            assertNull(MoveInRequest.read(ordering));
        }
    }

    @Test
    public void withConsent_isWritten() throws Exception {
        assertEquals(0, run("--without", "3,2", "--yes", files.zooCfg.toString()));
        assertEquals(new MoveInRequest(List.of(2, 3)), MoveInRequest.read(ordering));
        MoveInRequest.delete(ordering);
        assertNull(MoveInRequest.read(ordering));
    }

    @Test
    public void senselessRequests_areRefusedInOneLine() throws Exception {
        assertEquals(2, run("--without", "two", files.zooCfg.toString()));
        assertPrinted(err, "'two' is no list of server ids");
        assertEquals(2, run("--without", "1", files.zooCfg.toString()));
        assertPrinted(err, "server.1 is not one of the other servers");
        assertEquals(2, run("--yes", files.zooCfg.toString()));
        assertPrinted(err, "Usage:");
        new ClusterIdentity(1, new UUID(3, 4), "chain").write(ordering);
        assertEquals(1, run("--without", "2", "--yes", files.zooCfg.toString()));
        assertPrinted(err, "moved in already");
    }

    @Test
    public void damagedRequest_namesTheFile() throws Exception {
        Files.writeString(ordering.resolve(MoveInRequest.FILE_NAME), "formatVersion=1\nwithout=x\n");
        IOException refusal = assertThrows(IOException.class, () -> MoveInRequest.read(ordering));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains(MoveInRequest.FILE_NAME));
    }
}
