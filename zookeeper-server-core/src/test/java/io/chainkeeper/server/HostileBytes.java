package io.chainkeeper.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.AddWatchRequest;
import org.apache.zookeeper.proto.AuthPacket;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetSASLRequest;
import org.apache.zookeeper.proto.ReconfigRequest;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.proto.SetWatches2;
import org.apache.zookeeper.proto.SyncRequest;

/** What a broken or hostile client may send, from a seed. */
final class HostileBytes {
    private static final int[] OPCODES = {
        OpCode.notification,
        OpCode.create,
        OpCode.delete,
        OpCode.exists,
        OpCode.getData,
        OpCode.setData,
        OpCode.getACL,
        OpCode.setACL,
        OpCode.getChildren,
        OpCode.sync,
        OpCode.ping,
        OpCode.getChildren2,
        OpCode.check,
        OpCode.multi,
        OpCode.create2,
        OpCode.reconfig,
        OpCode.checkWatches,
        OpCode.removeWatches,
        OpCode.createContainer,
        OpCode.deleteContainer,
        OpCode.createTTL,
        OpCode.multiRead,
        OpCode.auth,
        OpCode.setWatches,
        OpCode.sasl,
        OpCode.getEphemerals,
        OpCode.getAllChildrenNumber,
        OpCode.setWatches2,
        OpCode.addWatch,
        OpCode.whoAmI,
        OpCode.createSession,
        OpCode.error,
        12345
    };
    private static final int[] XIDS = {0, 1, 2, -1, -2, -4, -8, Integer.MAX_VALUE, Integer.MIN_VALUE};
    private static final String[] PATHS = {
        "/",
        "",
        "/a",
        "/a/b",
        "/kept",
        "kept",
        "//",
        "/a/",
        "/\0",
        "/zookeeper",
        "/zookeeper/quota/a",
        "/..",
        null,
        "/zookeeper/config",
        "/kept/below"
    };

    private final Random random;

    HostileBytes(Random random) {
        this.random = random;
    }

    /** Anything but a complete session request: noise, a damaged one, a part of one, a wrong length before it. */
    byte[] insteadOfASession() throws IOException {
        byte[] honest = framed(serialized(new ConnectRequest(0, 0, 400, 0, new byte[16], false)));
        switch (random.nextInt(4)) {
            case 0:
                byte[] noise = new byte[random.nextInt(100)];
                random.nextBytes(noise);
                return noise;
            case 1:
                return Arrays.copyOf(honest, random.nextInt(honest.length));
            case 2:
                // The length and the fields before it are right, that of the password is not.
                honest[honest.length - 21 + random.nextInt(4)] = (byte) (1 + random.nextInt(255));
                return honest;
            default:
                honest[random.nextInt(4)] = (byte) random.nextInt();
                return Arrays.copyOf(honest, random.nextInt(honest.length));
        }
    }

    /** A header and a body that may belong to it or not, damaged or not. */
    byte[] request() throws IOException {
        int opcode = OPCODES[random.nextInt(OPCODES.length)];
        byte[] header = header(XIDS[random.nextInt(XIDS.length)], opcode);
        byte[] body = body(random.nextInt(4) == 0 ? OPCODES[random.nextInt(OPCODES.length)] : opcode);
        switch (random.nextInt(4)) {
            case 0:
                return joined(header, Arrays.copyOf(body, random.nextInt(body.length + 1)));
            case 1:
                for (int flips = random.nextInt(4); flips >= 0 && body.length > 0; flips--) {
                    body[random.nextInt(body.length)] = (byte) random.nextInt();
                }
                return joined(header, body);
            case 2:
                return Arrays.copyOf(joined(header, body), random.nextInt(header.length + 4));
            default:
                return joined(header, body);
        }
    }

    static byte[] header(int xid, int opcode) throws IOException {
        return serialized(new RequestHeader(xid, opcode));
    }

    private byte[] body(int opcode) throws IOException {
        return switch (opcode) {
            case OpCode.create, OpCode.create2, OpCode.createContainer ->
                serialized(new CreateRequest(path(), data(), acl(), random.nextInt(9) - 1));
            case OpCode.createTTL ->
                serialized(new CreateTTLRequest(path(), data(), acl(), random.nextInt(9), random.nextLong()));
            case OpCode.delete, OpCode.check -> serialized(new DeleteRequest(path(), random.nextInt(3) - 1));
            case OpCode.setData -> serialized(new SetDataRequest(path(), data(), random.nextInt(3) - 1));
            case OpCode.setACL -> serialized(new SetACLRequest(path(), acl(), random.nextInt(3) - 1));
            case OpCode.multi, OpCode.multiRead -> multi();
            case OpCode.reconfig -> serialized(new ReconfigRequest(text(), text(), text(), random.nextLong()));
            case OpCode.auth -> serialized(new AuthPacket(0, text(), data()));
            case OpCode.sasl -> serialized(new GetSASLRequest(data()));
            case OpCode.setWatches, OpCode.setWatches2 ->
                serialized(new SetWatches2(random.nextLong(), paths(), paths(), null, paths(), paths()));
            case OpCode.addWatch, OpCode.checkWatches, OpCode.removeWatches ->
                serialized(new AddWatchRequest(path(), random.nextInt(5) - 1));
            case OpCode.getChildren2 -> serialized(new GetChildren2Request(path(), random.nextBoolean()));
            case OpCode.sync, OpCode.getEphemerals, OpCode.getAllChildrenNumber -> serialized(new SyncRequest(path()));
            default -> serialized(new GetDataRequest(path(), random.nextBoolean()));
        };
    }

    private byte[] multi() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int count = random.nextInt(3); count >= 0; count--) {
            byte[] part = serialized(new MultiOperationRecord(List.of(op())));
            // Without the end mark, so that parts of different kinds can follow each other.
            bytes.write(part, 0, part.length - 9);
        }
        byte[] end = serialized(new MultiOperationRecord());
        bytes.write(end, 0, end.length);
        return bytes.toByteArray();
    }

    private Op op() {
        String path = "/" + random.nextInt(3);
        return switch (random.nextInt(6)) {
            case 0 -> Op.getData(path);
            case 1 -> Op.getChildren(path);
            case 2 -> Op.check(path, random.nextInt(3) - 1);
            case 3 -> Op.delete(path, -1);
            case 4 -> Op.setData(path, data(), -1);
            default -> Op.create(path, data(), acl() == null ? Ids.OPEN_ACL_UNSAFE : Ids.READ_ACL_UNSAFE, 0);
        };
    }

    private String path() {
        return PATHS[random.nextInt(PATHS.length)];
    }

    private List<String> paths() {
        return random.nextInt(4) == 0 ? null : Arrays.asList(path(), path());
    }

    private String text() {
        return random.nextInt(4) == 0 ? null : "server.9=nowhere:1:2;" + random.nextInt(9);
    }

    private byte[] data() {
        return random.nextInt(4) == 0 ? null : new byte[random.nextInt(64)];
    }

    private List<ACL> acl() {
        return switch (random.nextInt(5)) {
            case 0 -> null;
            case 1 -> List.of();
            case 2 -> List.of(new ACL(random.nextInt(), new Id("world", null)));
            case 3 -> List.of(new ACL(31, new Id("nonsense", "x")), new ACL(31, new Id(null, "x")));
            default -> Ids.OPEN_ACL_UNSAFE;
        };
    }

    private static byte[] serialized(Record record) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        record.serialize(BinaryOutputArchive.getArchive(bytes), "record");
        return bytes.toByteArray();
    }

    private static byte[] framed(byte[] body) {
        byte[] frame = new byte[4 + body.length];
        frame[3] = (byte) body.length;
        System.arraycopy(body, 0, frame, 4, body.length);
        return frame;
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
