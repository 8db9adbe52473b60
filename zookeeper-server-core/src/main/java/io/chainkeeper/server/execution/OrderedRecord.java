package io.chainkeeper.server.execution;

import io.chainkeeper.ordering.ByteSlice;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.jute.Record;
import org.apache.zookeeper.server.RequestRecord;

/**
 * The record of a request that another replica has proposed. ZooKeeper's own reader refuses what is longer than this
 * server's {@code jute.maxbuffer} allows, so replicas with different ones would execute different things. Here nothing
 * may be longer than the record that it is in, whose length its proposer has checked. Immutable.
 */
final class OrderedRecord implements RequestRecord {
    private final ByteSlice bytes;

    /** @param bytes the record as it was ordered */
    OrderedRecord(ByteSlice bytes) {
        this.bytes = bytes;
    }

    @Override
    public <T extends Record> T readRecord(Supplier<T> constructor) throws IOException {
        T record = constructor.get();
        record.deserialize(new SliceInputArchive(bytes), "request");
        return record;
    }

    @Override
    public byte[] readBytes() {
        return bytes.toByteArray();
    }

    @Override
    public int limit() {
        return bytes.length();
    }
}
