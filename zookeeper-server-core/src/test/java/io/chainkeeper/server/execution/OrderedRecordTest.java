package io.chainkeeper.server.execution;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.ByteSlice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
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
}
