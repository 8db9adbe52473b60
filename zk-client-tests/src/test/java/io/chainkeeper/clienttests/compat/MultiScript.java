package io.chainkeeper.clienttests.compat;

import io.chainkeeper.clienttests.compat.MultiRequests.Part;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SyncRequest;

/** Several operations in one request: all kinds, in all orders that fail, and what must not be part of one. */
final class MultiScript {
    private static final long HOUR_MILLIS = 3_600_000;

    private final Step.Script script = Step.Script.named("multis");
    private int turn;

    static Step.Script script() {
        MultiScript multis = new MultiScript();
        multis.kinds();
        multis.failures();
        multis.foreigners();
        multis.reads();
        multis.undecodable();
        return multis.script;
    }

    private void multi(String name, Function<String, List<Part>> parts) {
        add(name, OpCode.multi, parts);
        script.step(
                "children after " + name,
                bench -> bench.wire("b").ask(OpCode.getChildren2, new GetChildren2Request(bench.root(), false)));
    }

    private void add(String name, int type, Function<String, List<Part>> parts) {
        String connection = "abc".substring(turn % 3, turn % 3 + 1);
        turn++;
        script.step(name, bench -> bench.wire(connection).ask(type, MultiRequests.of(true, parts.apply(bench.root()))));
    }

    private void kinds() {
        multi("no operation", root -> List.of());
        multi("one create", root -> List.of(MultiRequests.create(root + "/a", CreateMode.PERSISTENT)));
        multi(
                "every mode",
                root -> List.of(
                        MultiRequests.create(root + "/p", CreateMode.PERSISTENT),
                        MultiRequests.create(root + "/p-", CreateMode.PERSISTENT_SEQUENTIAL),
                        MultiRequests.create2(root + "/e", CreateMode.EPHEMERAL),
                        MultiRequests.create2(root + "/e-", CreateMode.EPHEMERAL_SEQUENTIAL),
                        container(root + "/c"),
                        timeToLive(root + "/t", CreateMode.PERSISTENT_WITH_TTL),
                        timeToLive(root + "/t-", CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL)));
        multi(
                "create, change and delete of the same",
                root -> List.of(
                        MultiRequests.create2(root + "/same", CreateMode.PERSISTENT),
                        MultiRequests.set(root + "/same", 0),
                        MultiRequests.set(root + "/same", 1),
                        MultiRequests.check(root + "/same", 2),
                        MultiRequests.delete(root + "/same", 2),
                        MultiRequests.create(root + "/same", CreateMode.PERSISTENT)));
        multi(
                "parent and child",
                root -> List.of(
                        MultiRequests.create(root + "/parent", CreateMode.PERSISTENT),
                        MultiRequests.create(root + "/parent/child", CreateMode.PERSISTENT),
                        MultiRequests.create(root + "/parent/child/grandchild", CreateMode.EPHEMERAL)));
        multi("checks only", root -> List.of(MultiRequests.check(root, 0), MultiRequests.check(root + "/a", -1)));
        multi(
                "sequential znodes",
                root -> List.of(
                        MultiRequests.create(root + "/parent/s-", CreateMode.PERSISTENT_SEQUENTIAL),
                        MultiRequests.create(root + "/parent/s-", CreateMode.PERSISTENT_SEQUENTIAL),
                        MultiRequests.delete(root + "/parent/s-0000000001", -1),
                        MultiRequests.create(root + "/parent/s-", CreateMode.PERSISTENT_SEQUENTIAL)));
    }

    private static Part container(String path) {
        return new Part(
                OpCode.createContainer,
                new CreateRequest(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER.toFlag()));
    }

    private static Part timeToLive(String path, CreateMode mode) {
        return new Part(
                OpCode.createTTL, new CreateTTLRequest(path, null, Ids.OPEN_ACL_UNSAFE, mode.toFlag(), HOUR_MILLIS));
    }

    private void failures() {
        List<Function<String, Part>> failing = List.of(
                root -> MultiRequests.create(root + "/a", CreateMode.PERSISTENT),
                root -> MultiRequests.create(root + "/missing/child", CreateMode.PERSISTENT),
                root -> MultiRequests.create(root + "/e/child", CreateMode.PERSISTENT),
                root -> MultiRequests.create("relative", CreateMode.PERSISTENT),
                root -> MultiRequests.set(root + "/missing", -1),
                root -> MultiRequests.set(root + "/a", 77),
                root -> MultiRequests.delete(root + "/missing", -1),
                root -> MultiRequests.delete(root + "/a", 77),
                root -> MultiRequests.delete(root + "/parent", -1),
                root -> MultiRequests.delete("/", -1),
                root -> MultiRequests.check(root + "/missing", -1),
                root -> MultiRequests.check(root + "/a", 77),
                root -> MultiRequests.set("/zookeeper/config", -1),
                root -> new Part(OpCode.create, new CreateRequest(root + "/x", null, nameless(), 0)));
        for (int i = 0; i < failing.size(); i++) {
            Function<String, Part> part = failing.get(i);
            multi("failing operation " + i + " alone", root -> List.of(part.apply(root)));
            multi("failing operation " + i + " first", root -> List.of(part.apply(root), set(root), created(root)));
            multi("failing operation " + i + " last", root -> List.of(created(root), set(root), part.apply(root)));
        }
    }

    private static Part set(String root) {
        return MultiRequests.set(root, -1);
    }

    private static Part created(String root) {
        return MultiRequests.create2(root + "/fresh", CreateMode.PERSISTENT);
    }

    private static List<ACL> nameless() {
        return List.of(new ACL(Perms.ALL, new Id("world", null)));
    }

    private void foreigners() {
        multi("a read alone", root -> List.of(MultiRequests.getData(root + "/a")));
    }

    /** A stock leader gives two of its proposals the same zxid and hangs; ours does not order what does not decode. */
    private void undecodable() {
        Map<String, Function<String, Record>> records = new LinkedHashMap<>();
        records.put("a read", root -> MultiRequests.of(set(root), MultiRequests.getData(root + "/a")));
        records.put("a sync", root -> MultiRequests.of(new Part(OpCode.sync, new SyncRequest(root))));
        records.put(
                "a setACL",
                root -> MultiRequests.of(
                        new Part(OpCode.setACL, new SetACLRequest(root + "/a", Ids.READ_ACL_UNSAFE, -1))));
        records.put("an unknown operation", root -> MultiRequests.of(new Part(1234, new SyncRequest(root))));
        records.put("no ACL", root -> create(root, null, 0));
        records.put("unknown flags", root -> create(root, Ids.OPEN_ACL_UNSAFE, 99));
        records.put("no end", root -> MultiRequests.of(false, List.of(set(root))));
        records.forEach((name, record) -> script.onlyOurs(
                name,
                "MARSHALLINGERROR, 0 bytes",
                bench -> bench.wire("x").askWithoutXid(OpCode.multi, record.apply(bench.root()))));
    }

    private static Record create(String root, List<ACL> acl, int flags) {
        return MultiRequests.of(new Part(OpCode.create, new CreateRequest(root + "/x", null, acl, flags)));
    }

    private void reads() {
        add("reads of nothing", OpCode.multiRead, root -> List.of());
        add(
                "reads",
                OpCode.multiRead,
                root -> List.of(
                        MultiRequests.getData(root + "/a"),
                        MultiRequests.getChildren(root + "/parent"),
                        MultiRequests.getData(root + "/missing"),
                        MultiRequests.getChildren(root + "/missing"),
                        MultiRequests.getData(root + "/e")));
        add(
                "a read without path",
                OpCode.multiRead,
                root -> List.of(MultiRequests.getData(null), MultiRequests.getData(root + "/a")));
        add("a write among reads", OpCode.multiRead, root -> List.of(MultiRequests.getData(root + "/a"), set(root)));
        add("a check among reads", OpCode.multiRead, root -> List.of(MultiRequests.check(root + "/a", 0)));
        script.step(
                "no end of reads",
                bench -> bench.wire("c")
                        .ask(
                                OpCode.multiRead,
                                MultiRequests.of(false, List.of(MultiRequests.getData(bench.root() + "/a")))));
    }
}
