package io.chainkeeper.clienttests.compat;

import java.io.IOException;
import java.util.List;
import org.apache.jute.InputArchive;
import org.apache.jute.OutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.CheckVersionRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.MultiHeader;
import org.apache.zookeeper.proto.SetDataRequest;

/** Requests of several operations, also those that ZooKeeper's client would not let out. */
final class MultiRequests {
    private MultiRequests() {}

    /**
     * One operation of several.
     *
     * @param type operation code
     * @param record its record
     */
    record Part(int type, Record record) {}

    /** Returns the record of a multi or multiRead. */
    static Record of(Part... parts) {
        return of(true, List.of(parts));
    }

    /** Returns the record of a multi or multiRead that may lack its end. */
    static Record of(boolean ended, List<Part> parts) {
        return new Record() {
            @Override
            public void serialize(OutputArchive archive, String tag) throws IOException {
                archive.startRecord(this, tag);
                for (Part part : parts) {
                    new MultiHeader(part.type(), false, -1).serialize(archive, tag);
                    part.record().serialize(archive, tag);
                }
                if (ended) {
                    new MultiHeader(-1, true, -1).serialize(archive, tag);
                }
                archive.endRecord(this, tag);
            }

            @Override
            public void deserialize(InputArchive archive, String tag) {
                throw new UnsupportedOperationException("requests are only sent");
            }
        };
    }

    static Part create(String path, CreateMode mode) {
        return new Part(OpCode.create, new CreateRequest(path, data(), Ids.OPEN_ACL_UNSAFE, mode.toFlag()));
    }

    static Part create2(String path, CreateMode mode) {
        return new Part(OpCode.create2, new CreateRequest(path, data(), Ids.OPEN_ACL_UNSAFE, mode.toFlag()));
    }

    static Part set(String path, int version) {
        return new Part(OpCode.setData, new SetDataRequest(path, data(), version));
    }

    static Part delete(String path, int version) {
        return new Part(OpCode.delete, new DeleteRequest(path, version));
    }

    static Part check(String path, int version) {
        return new Part(OpCode.check, new CheckVersionRequest(path, version));
    }

    static Part getData(String path) {
        return new Part(OpCode.getData, new GetDataRequest(path, false));
    }

    static Part getChildren(String path) {
        return new Part(OpCode.getChildren, new GetChildrenRequest(path, false));
    }

    private static byte[] data() {
        return Bench.bytes("of a multi");
    }
}
