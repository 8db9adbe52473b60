package io.chainkeeper.server.execution;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.ByteSlice;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.InputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.server.RequestRecord;
import org.junit.Test;

/** Records of other replicas are read whatever this server's own jute.maxbuffer is. */
public class OrderedRecordTest {
    private static byte[] encoded(int dataBytes) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new SetDataRequest("/a", new byte[dataBytes], 7).serialize(BinaryOutputArchive.getArchive(bytes), "request");
        return bytes.toByteArray();
    }

    @Test
    public void recordLongerThanZooKeepersReaderTakes_isRead() throws Exception {
        byte[] bytes = encoded(3 * BinaryInputArchive.maxBuffer);
        RequestRecord usual = RequestRecord.fromBytes(bytes);
        assertThrows(IOException.class, () -> usual.readRecord(SetDataRequest::new));

        byte[] within = new byte[bytes.length + 9];
        System.arraycopy(bytes, 0, within, 5, bytes.length);
        OrderedRecord record = new OrderedRecord(ByteSlice.of(within, 5, bytes.length));
        SetDataRequest read = record.readRecord(SetDataRequest::new);
        assertEquals("/a", read.getPath());
        assertEquals(3 * BinaryInputArchive.maxBuffer, read.getData().length);
        assertEquals(7, read.getVersion());
        assertEquals(bytes.length, record.limit());
        assertArrayEquals(bytes, record.readBytes());
    }

    @Test
    public void lengthBeyondTheRecord_isRefusedBeforeAnythingIsAllocated() throws Exception {
        byte[] bytes = encoded(100);
        ByteBuffer.wrap(bytes).putInt(Integer.BYTES + 2, Integer.MAX_VALUE);
        OrderedRecord record = new OrderedRecord(ByteSlice.of(bytes));
        assertThrows(IOException.class, () -> record.readRecord(SetDataRequest::new));
        OrderedRecord cut = new OrderedRecord(ByteSlice.of(Arrays.copyOf(encoded(100), 50)));
        assertThrows(IOException.class, () -> cut.readRecord(SetDataRequest::new));
    }

    private static byte[] encoded(Record record) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        record.serialize(BinaryOutputArchive.getArchive(bytes), "request");
        return bytes.toByteArray();
    }

    /** What a reader makes of bytes: the record, encoded again, or the exception's class and message. */
    private static <T extends Record> String read(Supplier<T> constructor, InputArchive in) {
        T record = constructor.get();
        try {
            record.deserialize(in, "request");
            return HexFormat.of().formatHex(encoded(record));
        } catch (IOException | RuntimeException e) {
            return e.toString();
        }
    }

    private static <T extends Record> void assertReadAlike(Supplier<T> constructor, byte[] bytes) {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        String expected = read(constructor, new BinaryInputArchive(in, bytes.length, 0));
        assertEquals(expected, read(constructor, new SliceInputArchive(ByteSlice.of(bytes))));
        byte[] within = new byte[bytes.length + 9];
        Arrays.fill(within, (byte) 1);
        System.arraycopy(bytes, 0, within, 3, bytes.length);
        assertEquals(expected, read(constructor, new SliceInputArchive(ByteSlice.of(within, 3, bytes.length))));
    }

    private static <T extends Record> void assertReadAlikeHoweverDamaged(Supplier<T> constructor, Record record)
            throws IOException {
        byte[] bytes = encoded(record);
        assertReadAlike(constructor, bytes);
        for (int length = 0; length < bytes.length; length++) {
            assertReadAlike(constructor, Arrays.copyOf(bytes, length));
        }
        Random random = new Random(5);
        for (int i = 0; i < bytes.length; i++) {
            for (byte value : new byte[] {0, -1, 0x7f, (byte) random.nextInt()}) {
                byte[] damaged = bytes.clone();
                damaged[i] = value;
                assertReadAlike(constructor, damaged);
            }
        }
    }

    /** Replicas execute the same, so each of them has to read the same, or refuse it the same way. */
    @Test
    public void recordsOfAllKindsWholeAndDamaged_areReadAsZooKeeperReadsThem() throws Exception {
        byte[] data = {1, 2, 3, -1};
        List<ACL> lists = Ids.CREATOR_ALL_ACL;
        assertReadAlikeHoweverDamaged(SetDataRequest::new, new SetDataRequest("/\u00e9/\ud83d\ude00", data, 7));
        assertReadAlikeHoweverDamaged(SetDataRequest::new, new SetDataRequest(null, null, -1));
        assertReadAlikeHoweverDamaged(CreateRequest::new, new CreateRequest("/a", data, lists, 3));
        assertReadAlikeHoweverDamaged(CreateRequest::new, new CreateRequest("/a", data, null, 0));
        CreateTTLRequest timed = new CreateTTLRequest("/a", data, lists, 5, Long.MAX_VALUE);
        assertReadAlikeHoweverDamaged(CreateTTLRequest::new, timed);
        ConnectRequest connect = new ConnectRequest(1, 2, 3, 4, data, true);
        assertReadAlikeHoweverDamaged(ConnectRequest::new, connect);
        MultiOperationRecord multi = new MultiOperationRecord(List.of(
                Op.setData("/a", data, 1), Op.create("/b", data, lists, CreateMode.EPHEMERAL), Op.check("/c", 2)));
        assertReadAlikeHoweverDamaged(MultiOperationRecord::new, multi);
    }
}
