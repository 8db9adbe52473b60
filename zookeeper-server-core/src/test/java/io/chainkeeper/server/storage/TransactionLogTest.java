package io.chainkeeper.server.storage;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import io.chainkeeper.file.DirectWrites;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.TaskQueue;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.replica.Work;
import io.chainkeeper.replica.Worker;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.zip.Adler32;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.OutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.server.persistence.TxnLog.TxnIterator;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.TxnDigest;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The log's files are those that ZooKeeper's own class writes, but for the zeroes that it reserves behind the end. */
public class TransactionLogTest {
    private static final int LARGE_BYTES = 300_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private File directory;
    private File zooKeepers;
    private TransactionLog log;
    private FileTxnLog stock;

    @Before
    public void open() throws IOException {
        directory = folder.newFolder("ours");
        zooKeepers = folder.newFolder("zookeepers");
        log = new TransactionLog(
                directory.toPath(), ThreadScheduler.INSTANCE, "transaction-log", TransactionLog.LARGE_WRITE_BYTES);
        stock = new FileTxnLog(zooKeepers);
    }

    private void append(long zxid, int opcode, Record transaction, TxnDigest digest) throws IOException {
        TxnHeader header = new TxnHeader(17, 4, zxid, 1_000L + zxid, opcode);
        log.append(header, transaction, digest);
        Request request = new Request(17, 4, opcode, header, transaction, zxid);
        request.setTxnDigest(digest);
        stock.append(request);
    }

    private void appendOfAllKinds(long zxid) throws IOException {
        append(zxid, OpCode.setData, new SetDataTxn("/a", new byte[] {1, 2}, 3), new TxnDigest(1, 2));
        append(zxid + 1, OpCode.setData, new SetDataTxn("/a", null, 3), null);
        append(zxid + 2, OpCode.setData, new SetDataTxn("/large", new byte[LARGE_BYTES], 4), new TxnDigest(1, 3));
        CreateTxn create = new CreateTxn("/é/中/\ud83d\ude00", new byte[128], Ids.OPEN_ACL_UNSAFE, true, 1);
        append(zxid + 3, OpCode.create, create, new TxnDigest(1, 4));
        append(zxid + 4, OpCode.closeSession, null, null);
    }

    private void assertFilesEqual(String... names) throws IOException {
        log.commit();
        stock.commit();
        String[] found = directory.list();
        Arrays.sort(found);
        assertArrayEquals(names, found);
        for (String name : names) {
            byte[] ours = Files.readAllBytes(new File(directory, name).toPath());
            byte[] theirs = Files.readAllBytes(new File(zooKeepers, name).toPath());
            assertArrayEquals(name, ours, Arrays.copyOf(theirs, ours.length));
            boolean zeroes = true;
            for (int i = ours.length; i < theirs.length; i++) {
                zeroes &= theirs[i] == 0;
            }
            assertTrue(name + " ends there", zeroes);
        }
    }

    @Test
    public void transactionsOfAllKinds_filesAreZooKeepers() throws Exception {
        appendOfAllKinds(1);
        assertFilesEqual("log.1");
        appendOfAllKinds(0x10);
        assertFilesEqual("log.1");
        log.roll();
        stock.rollLog();
        assertFilesEqual("log.1");
        appendOfAllKinds(0x100000001L);
        assertFilesEqual("log.1", "log.100000001");
        log.close();
    }

    /** Through the cache and past it by turns, at all distances from the beginning of a block. */
    @Test
    public void smallAndLargeWritesInAnyOrder_filesAreZooKeepers() throws Exception {
        Random random = new Random(11);
        List<String> names = new ArrayList<>();
        long zxid = 0;
        for (int file = 0; file < 6; file++) {
            names.add("log." + Long.toHexString(zxid + 1));
            for (int transaction = 0; transaction < 40; transaction++) {
                byte[] data = new byte[random.nextInt(3) == 0 ? random.nextInt(LARGE_BYTES) : random.nextInt(9_000)];
                random.nextBytes(data);
                append(++zxid, OpCode.setData, new SetDataTxn("/a", data, transaction), new TxnDigest(1, zxid));
                if (random.nextBoolean()) {
                    log.handOver();
                }
                if (random.nextInt(40) == 0) {
                    assertFilesEqual(sorted(names));
                }
            }
            log.roll();
            stock.rollLog();
            byte[] all = Files.readAllBytes(directory.toPath().resolve(names.get(file)));
            assertEquals("nothing stays behind the end of a closed file", 'B', all[all.length - 1]);
        }
        assertFilesEqual(sorted(names));
    }

    private static String[] sorted(List<String> names) {
        return names.stream().sorted().toArray(String[]::new);
    }

    /** A process that ends between two writes leaves zeroes behind what it has written. */
    @Test
    public void fileEndsWithAFilledBlock_itIsReadToItsEndAndNotTorn() throws Exception {
        append(1, OpCode.setData, new SetDataTxn("/large", new byte[LARGE_BYTES], 4), new TxnDigest(1, 3));
        log.commit();
        Path file = directory.toPath().resolve("log.1");
        assumeTrue("no direct writes in " + directory, DirectWrites.offered(file));
        assertEquals(0, Files.size(file) % DirectWrites.BLOCK_BYTES);
        assertFalse(TxnLogTail.isTorn(file));
        TxnLogTail.cut(directory.toPath(), 1, -1);
        TxnLogTail.check(directory.toPath(), 1, 1);
        try (TxnIterator transactions = new FileTxnLog(directory).read(1)) {
            assertEquals(1, transactions.getHeader().getZxid());
            assertFalse(transactions.next());
        }
    }

    @Test
    public void zooKeepersReader_readsWhatWasCommitted() throws Exception {
        appendOfAllKinds(1);
        log.roll();
        appendOfAllKinds(6);
        log.commit();
        List<Long> zxids = new ArrayList<>();
        try (FileTxnLog reader = new FileTxnLog(directory);
                TxnIterator transactions = reader.read(1)) {
            do {
                zxids.add(transactions.getHeader().getZxid());
            } while (transactions.next());
        }
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L), zxids);
        TxnLogTail.check(directory.toPath(), 1, 10);
    }

    @Test
    public void bytesOfTransactions_areCountedWithoutWhatIsAroundThem() throws Exception {
        assertEquals(0, log.appendedBytes());
        TxnHeader header = new TxnHeader(1, 2, 3, 4, OpCode.closeSession);
        log.append(header, null, null);
        assertEquals(3 * Long.BYTES + 2 * Integer.BYTES, log.appendedBytes());
    }

    @Test
    public void muchWithoutCommit_isWrittenAllTheSame() throws Exception {
        append(1, OpCode.setData, new SetDataTxn("/large", new byte[LARGE_BYTES], 4), null);
        log.commit();
        assertTrue(new File(directory, "log.1").length() > LARGE_BYTES);
    }

    @Test
    public void writerThatCannotBeStarted_isToldAndNothingWaitsForIt() throws Exception {
        log.append(new TxnHeader(17, 4, 1, 1, OpCode.closeSession), null, null);
        log.commit();
        assumeTrue(DirectWrites.offered(directory.toPath().resolve("log.1")));
        log.close();
        TxnHeader header = new TxnHeader(17, 4, 2, 2, OpCode.setData);
        SetDataTxn large = new SetDataTxn("/large", new byte[LARGE_BYTES], 4);
        assertThrows(RejectedExecutionException.class, () -> log.append(header, large, null));
        assertThrows(IOException.class, () -> log.commit());
        log.close();
    }

    /** A snapshot's writer commits what is there while the device has more to do all the time. */
    @Test
    public void commitWhileMoreIsAppendedAllTheTime_waitsOnlyForWhatWasThere() throws Exception {
        log.append(new TxnHeader(17, 4, 1, 1, OpCode.closeSession), null, null);
        log.close();
        assumeTrue(DirectWrites.offered(directory.toPath().resolve("log.1")));
        log = new TransactionLog(
                directory.toPath(), new Saturated(), "transaction-log", TransactionLog.LARGE_WRITE_BYTES);
        for (int zxid = 2; zxid <= 4; zxid++) {
            appendLarge(zxid);
        }
        log.commit();
        assertTrue("all of that is written", Files.size(directory.toPath().resolve("log.2")) > 3 * LARGE_BYTES);
        assertTrue("and little of what came later: " + log.lastZxid(), log.lastZxid() <= 6);
        log.close();
    }

    private void appendLarge(long zxid) throws IOException {
        TxnHeader header = new TxnHeader(17, 4, zxid, zxid, OpCode.setData);
        log.append(header, new SetDataTxn("/large", new byte[LARGE_BYTES], 4), null);
    }

    /** Whenever somebody waits for the writer, another transaction comes. */
    private final class Saturated implements Scheduler {
        private static final int MOST = 10;

        @Override
        public void await(Object lock, String what, BooleanSupplier condition) {
            for (int more = 0; more < MOST && !condition.getAsBoolean(); more++) {
                try {
                    appendLarge(log.lastZxid() + 1);
                    lock.wait();
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            ThreadScheduler.INSTANCE.await(lock, what, condition);
        }

        @Override
        public TaskQueue taskQueue(String name) {
            return ThreadScheduler.INSTANCE.taskQueue(name);
        }

        @Override
        public Worker worker(String name, Work work) {
            return ThreadScheduler.INSTANCE.worker(name, work);
        }

        @Override
        public long nanoTime() {
            return ThreadScheduler.INSTANCE.nanoTime();
        }

        @Override
        public long currentTimeMillis() {
            return ThreadScheduler.INSTANCE.currentTimeMillis();
        }

        @Override
        public long seed() {
            return ThreadScheduler.INSTANCE.seed();
        }
    }

    @Test
    public void transactionThatIsNotTheNext_isRefused() throws Exception {
        append(5, OpCode.closeSession, null, null);
        TxnHeader again = new TxnHeader(1, 2, 5, 4, OpCode.closeSession);
        assertThrows(InvariantViolated.class, () -> log.append(again, null, null));
    }

    @Test
    public void directoryThatIsGone_isNamed() throws Exception {
        Files.delete(directory.toPath());
        TxnHeader header = new TxnHeader(1, 2, 5, 4, OpCode.closeSession);
        IOException refusal = assertThrows(IOException.class, () -> log.append(header, null, null));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains(directory.getPath()));
    }

    @Test
    public void randomValues_areEncodedAsZooKeeperDoes() throws Exception {
        Random random = new Random(7);
        ArrayOutputArchive archive = new ArrayOutputArchive();
        for (int round = 0; round < 300; round++) {
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            long seed = random.nextLong();
            writeAll(BinaryOutputArchive.getArchive(expected), new Random(seed));
            writeAll(archive, new Random(seed));
            assertEquals("seed " + seed, expected.size(), archive.length());
            assertArrayEquals("seed " + seed, expected.toByteArray(), drained(archive, random));
            archive.clear();
        }
    }

    /** In pieces of any length, so that they end within values, between them and within what is between. */
    private static byte[] drained(ArrayOutputArchive archive, Random random) {
        ByteBuffer all = ByteBuffer.allocate(archive.length() + 1);
        int piece = 1 + random.nextInt(9_000);
        while (all.position() < archive.length()) {
            all.limit(Math.min(all.capacity(), all.position() + piece));
            archive.drainTo(all);
        }
        archive.drainTo(all.limit(all.capacity()));
        return Arrays.copyOf(all.array(), all.position());
    }

    @Test
    public void checksumOfAPart_isThatOfItsBytes() throws Exception {
        Random random = new Random(13);
        for (int round = 0; round < 100; round++) {
            ArrayOutputArchive archive = new ArrayOutputArchive();
            writeAll(archive, random);
            int start = archive.length();
            int place = archive.place();
            int values = archive.values();
            writeAll(archive, random);
            Adler32 found = new Adler32();
            archive.update(found, place, values);
            byte[] bytes = drained(archive, random);
            Adler32 expected = new Adler32();
            expected.update(bytes, start, bytes.length - start);
            assertEquals(expected.getValue(), found.getValue());
        }
    }

    /** Values at and around the length from which on they are referred to, several in a write. */
    @Test
    public void valuesAroundTheLengthThatIsReferredTo_filesAreZooKeepers() throws Exception {
        Random random = new Random(17);
        for (int zxid = 1; zxid <= 200; zxid++) {
            byte[] data = new byte[ArrayOutputArchive.REFERRED_VALUE_BYTES - 2 + random.nextInt(4)];
            random.nextBytes(data);
            append(zxid, OpCode.setData, new SetDataTxn("/a", data, zxid), new TxnDigest(1, zxid));
            if (random.nextInt(20) == 0) {
                log.handOver();
            }
        }
        assertFilesEqual("log.1");
    }

    private static void writeAll(OutputArchive out, Random random) throws IOException {
        int values = 1 + random.nextInt(20);
        for (int i = 0; i < values; i++) {
            out.writeByte((byte) random.nextInt(), null);
            out.writeBool(random.nextBoolean(), null);
            out.writeInt(random.nextInt(), null);
            out.writeLong(random.nextLong(), null);
            out.writeFloat(random.nextFloat(), null);
            out.writeDouble(random.nextDouble(), null);
            char[] text = new char[random.nextInt(3_000)];
            for (int c = 0; c < text.length; c++) {
                text[c] = (char) (random.nextBoolean() ? random.nextInt(0x80) : random.nextInt(0x10000));
            }
            out.writeString(random.nextInt(5) == 0 ? null : new String(text), null);
            byte[] bytes = new byte[random.nextInt(10_000)];
            random.nextBytes(bytes);
            out.writeBuffer(random.nextInt(5) == 0 ? null : bytes, null);
            out.startVector(random.nextBoolean() ? null : List.of(1, 2), null);
            out.startMap(new TreeMap<>(), null);
            out.writeRecord(new TxnDigest(1, random.nextLong()), null);
        }
    }
}
