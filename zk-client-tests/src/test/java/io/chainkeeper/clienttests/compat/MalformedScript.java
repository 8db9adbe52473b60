package io.chainkeeper.clienttests.compat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ExistsRequest;
import org.apache.zookeeper.proto.GetACLRequest;
import org.apache.zookeeper.proto.RequestHeader;

/** What is no request: unknown operations, missing or cut records, frames of odd lengths, odd greetings. */
final class MalformedScript {
    /** Reads and other operations that take no zxid; the records of all but the last are missing in this script. */
    private static final int[] READ_TYPES = {
        OpCode.exists,
        OpCode.getData,
        OpCode.getACL,
        OpCode.getChildren,
        OpCode.getChildren2,
        OpCode.sync,
        OpCode.multiRead,
        OpCode.checkWatches,
        OpCode.removeWatches,
        OpCode.setWatches,
        OpCode.setWatches2,
        OpCode.addWatch,
        OpCode.getEphemerals,
        OpCode.getAllChildrenNumber,
        OpCode.whoAmI
    };

    private static final int[] WRITE_TYPES = {
        OpCode.create,
        OpCode.create2,
        OpCode.createTTL,
        OpCode.createContainer,
        OpCode.delete,
        OpCode.setData,
        OpCode.setACL,
        OpCode.reconfig,
        OpCode.multi
    };

    private static final int[] UNKNOWN_TYPES = {
        OpCode.notification, OpCode.check, 10, 23, 99, 108, 12345, -1, -2, -3, -100
    };

    private final Step.Script script = Step.Script.named("malformed");

    static Step.Script script() {
        MalformedScript malformed = new MalformedScript();
        malformed.unknownTypes();
        malformed.missingRecords();
        malformed.oddFrames();
        malformed.oddGreetings();
        malformed.undecodableWrites();
        return malformed.script;
    }

    private void unknownTypes() {
        for (int type : UNKNOWN_TYPES) {
            String connection = "abc".charAt(Math.floorMod(type, 3)) + "-type" + type;
            script.step("unknown type " + type, bench -> bench.wire(connection).ask(type));
            script.step(
                    "after unknown type " + type,
                    bench -> bench.wire(connection).next());
        }
        script.step(
                "unknown type with a record", bench -> bench.wire("a-record").ask(1000, new ExistsRequest("/", false)));
        script.step("ping", bench -> {
            bench.wire("b").sendAs(-2, OpCode.ping);
            return bench.wire("b").answerTo(-2);
        });
        script.step("ping with an xid of its own", bench -> {
            bench.wire("b").sendAs(77, OpCode.ping);
            return bench.wire("b").answerTo(-2);
        });
    }

    private void missingRecords() {
        for (int type : READ_TYPES) {
            script.step(
                    "type " + type + " without record", bench -> bench.wire("a").ask(type));
            for (int length : new int[] {1, 4, 5}) {
                script.step("type " + type + " with " + length + " bytes", bench -> {
                    WireClient wire = bench.wire("b");
                    return askBytes(wire, type, new byte[length]);
                });
            }
            script.step("type " + type + " with a length beyond its end", bench -> {
                WireClient wire = bench.wire("c");
                return askBytes(wire, type, new byte[] {127, -1, -1, -1, 0});
            });
            script.step("type " + type + " with more than its record", bench -> {
                WireClient wire = bench.wire("c");
                byte[] path = WireClient.bytes(new ExistsRequest("/", false));
                return askBytes(wire, type, ByteBuffer.allocate(100).put(path).array());
            });
        }
    }

    private static String askBytes(WireClient wire, int type, byte[] record) throws Exception {
        byte[] header = WireClient.bytes(new RequestHeader(xid(type), type));
        wire.sendFrame(ByteBuffer.allocate(header.length + record.length)
                .put(header)
                .put(record)
                .array());
        return wire.answerTo(xid(type));
    }

    private static int xid(int type) {
        return 1000 + Math.abs(type);
    }

    private void oddFrames() {
        Map<String, byte[]> frames = new LinkedHashMap<>();
        frames.put("an empty frame", new byte[0]);
        frames.put("one byte", new byte[1]);
        frames.put("half a header", new byte[4]);
        frames.put("a header that lacks a byte", new byte[7]);
        frames.forEach((name, frame) -> script.step(name, bench -> {
            WireClient wire = bench.wire("a-" + name);
            wire.sendFrame(frame);
            return wire.next();
        }));
        for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 20, (1 << 20) + 1}) {
            script.step("a frame of " + length + " bytes", bench -> {
                WireClient wire = bench.wire("b-length" + length);
                wire.sendBytes(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
                return wire.next();
            });
        }
        script.step("the largest frame", bench -> askBytes(bench.wire("c"), OpCode.exists, new byte[(1 << 20) - 9]));
    }

    private void oddGreetings() {
        Map<String, ConnectRequest> greetings = new LinkedHashMap<>();
        greetings.put("a later protocol", new ConnectRequest(7, 0, 10_000, 0, new byte[16], false));
        greetings.put("no timeout", new ConnectRequest(0, 0, 0, 0, new byte[16], false));
        greetings.put("a negative timeout", new ConnectRequest(0, 0, -5, 0, new byte[16], false));
        greetings.put("an endless timeout", new ConnectRequest(0, 0, Integer.MAX_VALUE, 0, new byte[16], false));
        greetings.put("read only", new ConnectRequest(0, 0, 10_000, 0, new byte[16], true));
        greetings.put("no password", new ConnectRequest(0, 0, 10_000, 0, null, false));
        greetings.put("a short password", new ConnectRequest(0, 0, 10_000, 0, new byte[1], false));
        greetings.put("an unknown session", new ConnectRequest(0, 0, 10_000, 0x1234567, new byte[16], false));
        greetings.put("a future zxid", new ConnectRequest(0, Long.MAX_VALUE, 10_000, 0, new byte[16], false));
        greetings.put("a negative zxid", new ConnectRequest(0, -1, 10_000, 0, new byte[16], false));
        int[] number = {0};
        greetings.forEach((name, greeting) -> {
            String connection = "abc".charAt(number[0] % 3) + "-greeting" + number[0]++;
            script.step("greeting with " + name, bench -> {
                WireClient wire = bench.unopened(connection);
                String answer = wire.connect(greeting);
                bench.session(wire.sessionId());
                return answer;
            });
        });
        script.step("greeting of an old client", bench -> {
            byte[] whole = WireClient.bytes(new ConnectRequest(0, 0, 10_000, 0, new byte[16], false));
            WireClient wire = bench.unopened("x-old");
            wire.sendFrame(Arrays.copyOf(whole, whole.length - 1));
            return wire.receive().length;
        });
        for (int length : new int[] {0, 4, 27}) {
            script.step("greeting of " + length + " bytes", bench -> {
                WireClient wire = bench.unopened("x-cut" + length);
                wire.sendFrame(new byte[length]);
                return wire.next();
            });
        }
    }

    /** A stock leader gives two of its proposals the same zxid and hangs; ours does not order what does not decode. */
    private void undecodableWrites() {
        for (int type : WRITE_TYPES) {
            script.onlyOurs(
                    "write " + type + " without record",
                    "MARSHALLINGERROR, 0 bytes",
                    bench -> bench.wire("x").askWithoutXid(type));
            script.onlyOurs(
                    "write " + type + " with a cut record",
                    "xid " + xid(type) + " MARSHALLINGERROR, 0 bytes",
                    bench -> {
                        byte[] cut = {0, 0, 0, 9, '/'};
                        return askBytes(bench.wire("x"), type, cut);
                    });
        }
        script.onlyOurs(
                "deletion of a container by a client",
                "closed",
                bench -> bench.wire("x-container").ask(OpCode.deleteContainer, new GetACLRequest(bench.root())));
        script.onlyOurs(
                "still served",
                "OK, 68 bytes",
                bench -> bench.wire("x").askWithoutXid(OpCode.exists, new ExistsRequest("/", false)));
    }
}
