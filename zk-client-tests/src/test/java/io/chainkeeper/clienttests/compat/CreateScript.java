package io.chainkeeper.clienttests.compat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.GetACLRequest;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.SetACLRequest;

/** Every way to create a znode, with every mode, time to live, ACL and data, possible or not. */
final class CreateScript {
    private static final long HOUR_MILLIS = 3_600_000;
    private static final long[] TTLS = {Long.MIN_VALUE, -1, 0, 1, HOUR_MILLIS, 0xFFFFFFFFFFL, 1L << 40, Long.MAX_VALUE};
    private static final int[] FLAGS = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 100};

    private final Step.Script script = Step.Script.named("creates");

    static Step.Script script() {
        CreateScript creates = new CreateScript();
        creates.flags();
        creates.timesToLive();
        creates.acls();
        creates.data();
        creates.parents();
        creates.sequences();
        return creates.script;
    }

    private static Record request(int type, String path, int flags) {
        return type == OpCode.createTTL
                ? new CreateTTLRequest(path, new byte[] {1}, Ids.OPEN_ACL_UNSAFE, flags, HOUR_MILLIS)
                : new CreateRequest(path, new byte[] {1}, Ids.OPEN_ACL_UNSAFE, flags);
    }

    private void flags() {
        int[] types = {OpCode.create, OpCode.create2, OpCode.createContainer, OpCode.createTTL};
        for (int type : types) {
            for (int flags : FLAGS) {
                if (type == OpCode.createContainer && flags >= 1 && flags <= 3) {
                    // Makes a stock server's digest wrong; ours refuses it.
                    continue;
                }
                String path = "/type" + type + "flags" + flags;
                script.step(
                        "operation " + type + " with flags " + flags,
                        bench -> bench.wire("a").ask(type, request(type, bench.root() + path, flags)));
                script.step(
                        "data after operation " + type + " with flags " + flags,
                        bench -> bench.wire("b").ask(OpCode.getData, new GetDataRequest(bench.root() + path, false)));
            }
            script.step(
                    "children after operation " + type,
                    bench -> bench.wire("c").ask(OpCode.getChildren2, new GetChildren2Request(bench.root(), false)));
        }
    }

    private void timesToLive() {
        for (long ttl : TTLS) {
            // A stock server ends when the others are to live for less than no time; ours refuses it.
            for (int flags : ttl < 0 ? new int[] {5, 6} : new int[] {0, 1, 5, 6}) {
                script.step(
                        "flags " + flags + " to live for " + ttl + " ms",
                        bench -> bench.wire("b")
                                .ask(
                                        OpCode.createTTL,
                                        new CreateTTLRequest(
                                                bench.root() + "/ttl" + ttl + "-" + flags,
                                                null,
                                                Ids.OPEN_ACL_UNSAFE,
                                                flags,
                                                ttl)));
            }
        }
    }

    private static Map<String, List<ACL>> lists() {
        Map<String, List<ACL>> lists = new LinkedHashMap<>();
        lists.put("no", null);
        lists.put("an empty", List.of());
        lists.put("a world", Ids.OPEN_ACL_UNSAFE);
        lists.put("a read-only", Ids.READ_ACL_UNSAFE);
        lists.put("a creator's", Ids.CREATOR_ALL_ACL);
        lists.put("a doubled", List.of(Ids.OPEN_ACL_UNSAFE.get(0), Ids.OPEN_ACL_UNSAFE.get(0)));
        lists.put("a permissionless", List.of(new ACL(0, Ids.ANYONE_ID_UNSAFE)));
        lists.put("an over-permitting", List.of(new ACL(255, Ids.ANYONE_ID_UNSAFE)));
        Map<String, String[]> ids = new LinkedHashMap<>();
        ids.put("world", new String[] {"anyone", "someone", ""});
        ids.put("auth", new String[] {"", "somebody"});
        ids.put("digest", new String[] {"alice:hash", "alice", "a:b:c", ""});
        ids.put("ip", new String[] {"127.0.0.1", "127.0.0.0/8", "127.0.0.1/33", "127.0.0.1/-1", "here", "::1", ""});
        ids.put("x509", new String[] {"CN=client"});
        ids.put("sasl", new String[] {"client@EXAMPLE.ORG"});
        ids.put("super", new String[] {""});
        ids.put("unknown", new String[] {"id"});
        ids.put("", new String[] {""});
        ids.forEach((scheme, names) -> {
            for (String name : names) {
                lists.put("a '" + scheme + ":" + name + "'", List.of(new ACL(Perms.ALL, new Id(scheme, name))));
            }
        });
        List<ACL> mixed = new ArrayList<>(Ids.READ_ACL_UNSAFE);
        mixed.add(new ACL(Perms.ALL, new Id("digest", "alice:hash")));
        lists.put("a mixed", mixed);
        List<ACL> partlyBad = new ArrayList<>(Ids.OPEN_ACL_UNSAFE);
        partlyBad.add(new ACL(Perms.ALL, new Id("unknown", "id")));
        lists.put("a partly bad", partlyBad);
        return lists;
    }

    private void acls() {
        int[] number = {0};
        lists().forEach((name, list) -> {
            String path = "/acl" + number[0]++;
            script.step(
                    "create with " + name + " ACL",
                    bench ->
                            bench.wire("a").ask(OpCode.create2, new CreateRequest(bench.root() + path, null, list, 0)));
            script.step(
                    "get " + name + " ACL",
                    bench -> bench.wire("b").ask(OpCode.getACL, new GetACLRequest(bench.root() + path)));
            script.step(
                    "set " + name + " ACL",
                    bench -> bench.wire("c")
                            .ask(OpCode.setACL, new SetACLRequest(bench.root() + "/type1flags0", list, -1)));
            script.step(
                    "get " + name + " ACL that was set",
                    bench -> bench.wire("a").ask(OpCode.getACL, new GetACLRequest(bench.root() + "/type1flags0")));
        });
        script.step(
                "data under an ACL for others",
                bench -> bench.wire("a").ask(OpCode.getData, new GetDataRequest(bench.root() + "/acl6", false)));
    }

    private void data() {
        Map<String, byte[]> contents = new LinkedHashMap<>();
        contents.put("null", null);
        contents.put("no", new byte[0]);
        contents.put("1000000", new byte[1_000_000]);
        contents.forEach((name, content) -> {
            script.step(
                    "create with " + name + " bytes",
                    bench -> bench.wire("b")
                            .ask(
                                    OpCode.create,
                                    new CreateRequest(
                                            bench.root() + "/data-" + name, content, Ids.OPEN_ACL_UNSAFE, 0)));
            script.step(
                    "get " + name + " bytes",
                    bench -> bench.wire("c")
                            .ask(OpCode.getData, new GetDataRequest(bench.root() + "/data-" + name, false)));
        });
        script.step(
                "delete the large znode",
                bench -> bench.wire("c").ask(OpCode.delete, new DeleteRequest(bench.root() + "/data-1000000", -1)));
    }

    private void parents() {
        create("/e", CreateMode.EPHEMERAL);
        create("/c", CreateMode.CONTAINER);
        for (CreateMode mode : CreateMode.values()) {
            for (String parent : new String[] {"/e", "/c", "/ttl" + HOUR_MILLIS + "-5", "/missing"}) {
                create(parent + "/" + mode.toFlag() + "-", mode);
            }
        }
        script.step(
                "children of a container",
                bench -> bench.wire("a").ask(OpCode.getChildren2, new GetChildren2Request(bench.root() + "/c", false)));
    }

    private void create(String path, CreateMode mode) {
        int type = mode.isContainer() ? OpCode.createContainer : mode.isTTL() ? OpCode.createTTL : OpCode.create;
        script.step(
                "create " + mode + " at " + path,
                bench -> bench.wire("c").ask(type, request(type, bench.root() + path, mode.toFlag())));
    }

    private void sequences() {
        for (int i = 0; i < 12; i++) {
            String name = "abc".substring(i % 3, i % 3 + 1);
            int turn = i;
            script.step(
                    "sequential znode " + i,
                    bench -> bench.wire(name)
                            .ask(
                                    OpCode.create2,
                                    request(OpCode.create2, bench.root() + "/seq-", turn % 2 == 0 ? 2 : 3)));
        }
        script.step(
                "sequential znode without a name",
                bench -> bench.wire("b").ask(OpCode.create, request(OpCode.create, bench.root() + "/", 2)));
        script.step(
                "sequential znode after a deletion",
                bench -> bench.wire("b").ask(OpCode.delete, new DeleteRequest(bench.root() + "/e", -1)));
        script.step(
                "sequential znode after the deletion",
                bench -> bench.wire("b").ask(OpCode.create, request(OpCode.create, bench.root() + "/seq-", 2)));
    }
}
