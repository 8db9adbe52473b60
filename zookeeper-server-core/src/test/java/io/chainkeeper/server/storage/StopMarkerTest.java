package io.chainkeeper.server.storage;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class StopMarkerTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path ordering;
    private Path marker;
    private File logs;

    @Before
    public void makeDirectories() throws IOException {
        ordering = folder.newFolder("ordering").toPath();
        marker = ordering.resolve(StopMarker.FILE_NAME);
        logs = folder.newFolder("version-2");
    }

    private void append(long... zxids) throws IOException {
        try (FileTxnLog log = new FileTxnLog(logs)) {
            for (long zxid : zxids) {
                TxnHeader header = new TxnHeader(7, 1, zxid, 1000, OpCode.setData);
                log.append(new Request(7, 1, OpCode.setData, header, new SetDataTxn("/a", new byte[20], 1), zxid));
            }
            log.commit();
        }
    }

    @Test
    public void nothingAdded_isCheckedOnceAndGone() throws IOException {
        StopMarker.write(ordering, logs.toPath(), 9);
        StopMarker.check(ordering, logs.toPath());
        append(1, 2, 3);
        StopMarker.write(ordering, logs.toPath(), 9);
        StopMarker.check(ordering, logs.toPath());
        assertFalse(Files.exists(marker));
        append(4);
        StopMarker.check(ordering, logs.toPath());
    }

    /** A stand-alone server of ZooKeeper goes on with the next number, an ensemble with the next epoch. */
    @Test
    public void somebodyElseHasWritten_isRefusedUntilTheUserActs() throws IOException {
        append(1, 2, 3);
        StopMarker.write(ordering, logs.toPath(), 9);
        append(4);
        for (int start = 1; start <= 2; start++) {
            IOException refusal = assertThrows(IOException.class, () -> StopMarker.check(ordering, logs.toPath()));
            assertTrue(refusal.getMessage(), refusal.getMessage().contains("ends at 0x4"));
            assertTrue(refusal.getMessage(), refusal.getMessage().contains("stopped at 0x3"));
            assertTrue(refusal.getMessage(), refusal.getMessage().contains("outside this cluster's order"));
        }
        StopMarker.write(ordering, logs.toPath(), 9);
        append(1L << 32 | 1);
        assertThrows(IOException.class, () -> StopMarker.check(ordering, logs.toPath()));
    }

    /** The name of a file that a crash left without a whole transaction says nothing. */
    @Test
    public void lastFileHoldsNoTransaction_theOneBeforeItCounts() throws IOException {
        append(1, 2, 3);
        byte[] content = Files.readAllBytes(new File(logs, "log.1").toPath());
        byte[] header = Arrays.copyOf(content, TxnLogScanner.HEADER_BYTES);
        StopMarker.write(ordering, logs.toPath(), 9);
        Files.write(new File(logs, "log.4").toPath(), header);
        StopMarker.check(ordering, logs.toPath());
        assertFalse(Files.exists(marker));
    }

    @Test
    public void damagedMarker_isNamed() throws IOException {
        Files.writeString(marker, "formatVersion=1\nzxid=0xyz\n");
        IOException refusal = assertThrows(IOException.class, () -> StopMarker.check(ordering, logs.toPath()));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains(marker + " is damaged"));
    }
}
