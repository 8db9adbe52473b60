package io.chainkeeper.server.storage;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.server.persistence.TxnLog.TxnIterator;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class TxnLogTailTest {
    private static final int FIRST_FILE_TXNS = 5;
    private static final int TXNS = 9;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private File directory;
    private File first;
    private File second;

    @Before
    public void writeTwoFiles() throws Exception {
        directory = folder.getRoot();
        try (FileTxnLog log = new FileTxnLog(directory)) {
            for (int zxid = 1; zxid <= TXNS; zxid++) {
                TxnHeader header = new TxnHeader(7, zxid, zxid, 1000 + zxid, OpCode.setData);
                log.append(new Request(7, zxid, OpCode.setData, header, new SetDataTxn("/a", new byte[20], 1), zxid));
                log.commit();
                if (zxid == FIRST_FILE_TXNS) {
                    log.rollLog();
                }
            }
        }
        first = new File(directory, "log.1");
        second = new File(directory, "log.6");
        for (File file : new File[] {first, second}) {
            Files.write(file.toPath(), withoutPadding(file));
        }
    }

    private static byte[] withoutPadding(File file) throws IOException {
        byte[] content = Files.readAllBytes(file.toPath());
        int end = content.length;
        while (content[end - 1] == 0) {
            end--;
        }
        return Arrays.copyOf(content, end);
    }

    private long lastReadable() throws IOException {
        long last = 0;
        try (FileTxnLog log = new FileTxnLog(directory);
                TxnIterator transactions = log.read(1)) {
            while (transactions.getHeader() != null) {
                assertEquals(last + 1, transactions.getHeader().getZxid());
                last = transactions.getHeader().getZxid();
                if (!transactions.next()) {
                    break;
                }
            }
        }
        return last;
    }

    @Test
    public void wholeLog_isLeftAlone() throws Exception {
        byte[] before = Files.readAllBytes(second.toPath());
        TxnLogTail.cut(directory.toPath(), 0, TXNS);
        assertArrayEquals(before, Files.readAllBytes(second.toPath()));
        assertEquals(TXNS, lastReadable());
    }

    @Test
    public void writingAgain_leavesFilesThatEndWithWhatWasForced() throws Exception {
        FileTime before = FileTime.fromMillis(1000);
        byte[] content = Files.readAllBytes(second.toPath());
        for (int forcedZxid = 0; forcedZxid <= TXNS; forcedZxid++) {
            for (File file : new File[] {first, second}) {
                Files.setLastModifiedTime(file.toPath(), before);
            }
            TxnLogTail.writeAgain(directory.toPath(), forcedZxid);
            boolean firstIsKept = Files.getLastModifiedTime(first.toPath()).equals(before);
            assertEquals("forced up to " + forcedZxid, forcedZxid >= FIRST_FILE_TXNS, firstIsKept);
            assertNotEquals(before, Files.getLastModifiedTime(second.toPath()));
        }
        assertArrayEquals(content, Files.readAllBytes(second.toPath()));
        assertEquals(TXNS, lastReadable());
    }

    @Test
    public void lastFileCutAtAnyByte_isReadableUpToTheCut() throws Exception {
        byte[] content = Files.readAllBytes(second.toPath());
        for (int length = content.length; length >= 0; length--) {
            Files.write(second.toPath(), Arrays.copyOf(content, length));
            TxnLogTail.cut(directory.toPath(), 0, FIRST_FILE_TXNS);
            long last = lastReadable();
            assertTrue("cut at " + length + " leaves " + last, last >= FIRST_FILE_TXNS && last <= TXNS);
            Files.write(second.toPath(), content);
        }
    }

    @Test
    public void anyBitFlippedBehindTheForcedPart_isCutAndTheRestReadable() throws Exception {
        byte[] content = Files.readAllBytes(second.toPath());
        for (int index = TxnLogScanner.HEADER_BYTES; index < content.length; index++) {
            byte[] flipped = content.clone();
            flipped[index] ^= 0x10;
            Files.write(second.toPath(), flipped);
            TxnLogTail.cut(directory.toPath(), 0, FIRST_FILE_TXNS);
            assertTrue(lastReadable() < TXNS);
        }
    }

    @Test
    public void damageInTheForcedPart_isRefusedAndNothingIsModified() throws Exception {
        byte[] content = Files.readAllBytes(first.toPath());
        content[40] ^= 1;
        Files.write(first.toPath(), content);
        IOException refusal =
                assertThrows(IOException.class, () -> TxnLogTail.cut(directory.toPath(), 0, FIRST_FILE_TXNS));
        assertTrue(refusal.getMessage().contains(first.getPath()));
        assertArrayEquals(content, Files.readAllBytes(first.toPath()));
        assertTrue(second.exists());
    }

    @Test
    public void earlierFileTornBehindTheForcedPart_takesTheLaterFileWithIt() throws Exception {
        byte[] content = Files.readAllBytes(first.toPath());
        Files.write(first.toPath(), Arrays.copyOf(content, content.length - 3));
        TxnLogTail.cut(directory.toPath(), 0, 3);
        assertEquals(4, lastReadable());
        assertFalse(second.exists());
    }

    @Test
    public void earlierFileThatEndsEarly_takesTheLaterFileWithIt() throws Exception {
        byte[] content = Files.readAllBytes(first.toPath());
        int entry = (content.length - TxnLogScanner.HEADER_BYTES) / FIRST_FILE_TXNS;
        Files.write(first.toPath(), Arrays.copyOf(content, content.length - entry));
        TxnLogTail.cut(directory.toPath(), 0, 3);
        assertEquals(4, lastReadable());
        assertFalse(second.exists());
    }

    /** A file that was begun before the one before it was forced may be all that a loss of power leaves. */
    @Test
    public void firstFileIsGoneBehindTheForcedPart_takesTheLaterFileWithIt() throws Exception {
        Files.delete(first.toPath());
        TxnLogTail.cut(directory.toPath(), 0, 0);
        assertEquals(0, lastReadable());
        assertFalse(second.exists());
    }

    @Test
    public void firstFileOfTheForcedPartIsGone_isRefused() throws Exception {
        Files.delete(first.toPath());
        assertThrows(IOException.class, () -> TxnLogTail.cut(directory.toPath(), 0, 3));
        assertThrows(IOException.class, () -> TxnLogTail.check(directory.toPath(), 0, TXNS));
        assertTrue(second.exists());
    }

    @Test
    public void withoutCheckpoint_onlyTheLastFileMayBeTorn() throws Exception {
        byte[] content = Files.readAllBytes(second.toPath());
        Files.write(second.toPath(), Arrays.copyOf(content, content.length - 3));
        TxnLogTail.cut(directory.toPath(), 0, -1);
        assertEquals(TXNS - 1, lastReadable());
        byte[] earlier = Files.readAllBytes(first.toPath());
        Files.write(first.toPath(), Arrays.copyOf(earlier, earlier.length - 3));
        assertThrows(IOException.class, () -> TxnLogTail.cut(directory.toPath(), 0, -1));
    }

    @Test
    public void strangeFile_isRefused() throws Exception {
        byte[] strange = new byte[100];
        Arrays.fill(strange, (byte) 'x');
        Files.write(second.toPath(), strange);
        IOException refusal = assertThrows(IOException.class, () -> TxnLogTail.cut(directory.toPath(), 0, 1));
        assertTrue(refusal.getMessage().contains(second.getPath()));
    }

    @Test
    public void fileWhoseHeaderNeverReachedTheDisk_isDeleted() throws Exception {
        Files.write(second.toPath(), new byte[100]);
        TxnLogTail.cut(directory.toPath(), 0, FIRST_FILE_TXNS);
        assertFalse(second.exists());
        assertEquals(FIRST_FILE_TXNS, lastReadable());
    }

    /** What follows is in a file of an earlier name, which would be deleted as older than the one without anything. */
    @Test
    public void fileOfWhichNoTransactionReachedTheDisk_isDeleted() throws Exception {
        byte[] content = Files.readAllBytes(second.toPath());
        for (int length : new int[] {TxnLogScanner.HEADER_BYTES, TxnLogScanner.HEADER_BYTES + 30}) {
            for (boolean zeroesFollow : new boolean[] {false, true}) {
                byte[] left = Arrays.copyOf(content, length);
                Files.write(second.toPath(), zeroesFollow ? Arrays.copyOf(left, length + 100) : left);
                TxnLogTail.cut(directory.toPath(), 0, FIRST_FILE_TXNS);
                assertFalse(length + " bytes", second.exists());
                assertEquals(FIRST_FILE_TXNS, lastReadable());
            }
        }
    }

    @Test
    public void emptyFileBehindAGap_isDeletedSoThatLaterFilesFollowEachOther() throws Exception {
        File third = new File(directory, "log.a");
        Files.write(third.toPath(), Arrays.copyOf(Files.readAllBytes(first.toPath()), TxnLogScanner.HEADER_BYTES));
        Files.delete(second.toPath());
        TxnLogTail.cut(directory.toPath(), 0, FIRST_FILE_TXNS);
        assertFalse(third.exists());
    }

    @Test
    public void firstFileOfZeroes_isRefusedIfItWasForced() throws Exception {
        byte[] content = Files.readAllBytes(first.toPath());
        Arrays.fill(content, TxnLogScanner.HEADER_BYTES, content.length, (byte) 0);
        Files.write(first.toPath(), content);
        assertThrows(IOException.class, () -> TxnLogTail.cut(directory.toPath(), 0, 3));
        assertTrue(second.exists());
    }

    @Test
    public void checkOfWholeLog_passesAndSoDoesOneTornBehindTheForcedPart() throws Exception {
        TxnLogTail.check(directory.toPath(), 0, TXNS);
        TxnLogTail.check(directory.toPath(), FIRST_FILE_TXNS + 1, TXNS);
        byte[] content = Files.readAllBytes(second.toPath());
        Files.write(second.toPath(), Arrays.copyOf(content, content.length - 3));
        TxnLogTail.check(directory.toPath(), 0, TXNS - 1);
    }

    @Test
    public void checkOfAnyDamageInTheForcedPart_failsAndModifiesNothing() throws Exception {
        byte[] content = Files.readAllBytes(first.toPath());
        for (int index = TxnLogScanner.HEADER_BYTES; index < content.length; index++) {
            byte[] flipped = content.clone();
            flipped[index] ^= 0x10;
            assertCheckFails(flipped);
            assertCheckFails(Arrays.copyOf(content, index));
            byte[] zeroed = content.clone();
            Arrays.fill(zeroed, index, content.length, (byte) 0);
            assertCheckFails(zeroed);
        }
    }

    private void assertCheckFails(byte[] content) throws IOException {
        Files.write(first.toPath(), content);
        assertThrows(IOException.class, () -> TxnLogTail.check(directory.toPath(), 0, TXNS));
        assertArrayEquals(content, Files.readAllBytes(first.toPath()));
    }

    @Test
    public void checkOfAFileThatIsGone_fails() throws Exception {
        byte[] content = Files.readAllBytes(second.toPath());
        Files.delete(second.toPath());
        assertThrows(IOException.class, () -> TxnLogTail.check(directory.toPath(), 0, TXNS));
        Files.write(second.toPath(), content);
        Files.delete(first.toPath());
        TxnLogTail.check(directory.toPath(), FIRST_FILE_TXNS, TXNS);
    }
}
