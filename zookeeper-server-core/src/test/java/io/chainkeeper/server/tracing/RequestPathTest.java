package io.chainkeeper.server.tracing;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.ByteSlice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.junit.Test;

public class RequestPathTest {
    private static ByteSlice bytes(Record record) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        record.serialize(BinaryOutputArchive.getArchive(bytes), "request");
        return ByteSlice.of(bytes.toByteArray());
    }

    private static String ofRead(String path) throws IOException {
        return RequestPath.of(OpCode.getData, bytes(new GetDataRequest(path, false)));
    }

    @Test
    public void requestWithAPath_hasIt() throws IOException {
        assertEquals("/a/\u00fc", ofRead("/a/\u00fc"));
        assertEquals("/b", RequestPath.of(OpCode.setData, bytes(new SetDataRequest("/b", new byte[3], -1))));
        MultiOperationRecord multi = new MultiOperationRecord(List.of(Op.delete("/first", 1), Op.delete("/second", 1)));
        assertEquals("/first", RequestPath.of(OpCode.multi, bytes(multi)));
    }

    @Test
    public void requestWithoutAPath_hasNone() throws IOException {
        assertEquals("-", RequestPath.of(OpCode.closeSession, null));
        assertEquals("-", RequestPath.of(OpCode.createSession, ByteSlice.of(new byte[4])));
        assertEquals("-", RequestPath.of(OpCode.multi, bytes(new MultiOperationRecord(List.of()))));
    }

    /** Clients send what they like, and it must be one line. */
    @Test
    public void malformedOrLongPath_isShownHarmlessly() throws IOException {
        assertEquals("/a?b?", ofRead("/a\nb\u0000"));
        String shown = ofRead("/" + "x".repeat(10_000));
        assertEquals("/" + "x".repeat(199) + "...", shown);
        assertEquals("-", RequestPath.of(OpCode.getData, ByteSlice.of(new byte[] {0, 0})));
        assertEquals("-", RequestPath.of(OpCode.getData, ByteSlice.of(new byte[] {0x7f, 0, 0, 0, 'x'})));
        assertEquals("-", RequestPath.of(OpCode.getData, ByteSlice.of(new byte[] {-1, -1, -1, -1})));
    }
}
