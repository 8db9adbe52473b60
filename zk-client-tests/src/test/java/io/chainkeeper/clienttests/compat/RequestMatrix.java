package io.chainkeeper.clienttests.compat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.jute.Record;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AddWatchRequest;
import org.apache.zookeeper.proto.CheckWatchesRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.ExistsRequest;
import org.apache.zookeeper.proto.GetACLRequest;
import org.apache.zookeeper.proto.GetAllChildrenNumberRequest;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetEphemeralsRequest;
import org.apache.zookeeper.proto.RemoveWatchesRequest;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.proto.SyncRequest;

/** Every operation on every kind of path, good and bad, as it comes over the wire unchecked. */
final class RequestMatrix {
    private static final int OTHER_VERSION = 77;

    private record Operation(int type, BiFunction<Bench, String, Record> request) {}

    private final Step.Script script = Step.Script.named("matrix");

    static Step.Script script() {
        RequestMatrix matrix = new RequestMatrix();
        matrix.prepare();
        Map<String, BiFunction<Bench, String, String>> paths = paths();
        paths.forEach((pathName, path) -> operations()
                .forEach((operationName, operation) -> matrix.script.step(operationName + " of " + pathName, bench -> {
                    // Paths are made by each of three connections in turn, so that one's writes are another's reads.
                    String name = "abc"
                            .substring(matrix.turn(operationName, pathName))
                            .substring(0, 1);
                    String chosen = path.apply(bench, bench.root());
                    return bench.wire(name)
                            .ask(operation.type(), operation.request().apply(bench, chosen));
                })));
        // What the last operations have fired elsewhere has arrived before these are answered.
        for (String name : List.of("a", "b", "c")) {
            matrix.script.step(
                    "last sync of " + name, bench -> bench.wire(name).ask(OpCode.sync, new SyncRequest("/")));
        }
        return matrix.script;
    }

    private int turn(String operation, String path) {
        return Math.floorMod((operation + path).hashCode(), 3);
    }

    private void prepare() {
        create("plain", "/plain", CreateMode.PERSISTENT);
        create("parent", "/parent", CreateMode.PERSISTENT);
        create("child", "/parent/child", CreateMode.PERSISTENT);
        create("grandchild", "/parent/child/grandchild", CreateMode.PERSISTENT);
        create("ephemeral", "/ephemeral", CreateMode.EPHEMERAL);
        create("container", "/container", CreateMode.CONTAINER);
        create("sequential", "/s-", CreateMode.PERSISTENT_SEQUENTIAL);
    }

    private void create(String name, String path, CreateMode mode) {
        script.step(
                "prepare " + name,
                bench -> bench.wire("a")
                        .ask(
                                mode.isContainer() ? OpCode.createContainer : OpCode.create,
                                new CreateRequest(
                                        bench.root() + path, Bench.bytes(name), Ids.OPEN_ACL_UNSAFE, mode.toFlag())));
    }

    private static Map<String, BiFunction<Bench, String, String>> paths() {
        Map<String, BiFunction<Bench, String, String>> paths = new LinkedHashMap<>();
        paths.put("a plain znode", (bench, root) -> root + "/plain");
        paths.put("a znode with children", (bench, root) -> root + "/parent");
        paths.put("a leaf", (bench, root) -> root + "/parent/child/grandchild");
        paths.put("an ephemeral znode", (bench, root) -> root + "/ephemeral");
        paths.put("a child of an ephemeral znode", (bench, root) -> root + "/ephemeral/child");
        paths.put("a container", (bench, root) -> root + "/container");
        paths.put("a sequential znode", (bench, root) -> root + "/s-0000000006");
        paths.put("a missing znode", (bench, root) -> root + "/missing");
        paths.put("a znode without parent", (bench, root) -> root + "/missing/child");
        paths.put("the root", (bench, root) -> "/");
        paths.put("/zookeeper", (bench, root) -> "/zookeeper");
        paths.put("/zookeeper/quota", (bench, root) -> "/zookeeper/quota");
        paths.put("a znode below /zookeeper", (bench, root) -> "/zookeeper/own");
        paths.put("an empty path", (bench, root) -> "");
        paths.put("a relative path", (bench, root) -> "plain");
        paths.put("a path with a slash at its end", (bench, root) -> root + "/plain/");
        paths.put("a path with an empty name", (bench, root) -> root + "//plain");
        paths.put("a path with a dot", (bench, root) -> root + "/./plain");
        paths.put("a path with two dots", (bench, root) -> root + "/parent/../plain");
        paths.put("a path with a zero", (bench, root) -> root + "/ze\0ro");
        paths.put("a path with a control character", (bench, root) -> root + "/bell\u0007");
        paths.put("a path with half a character", (bench, root) -> root + "/half\ud800");
        paths.put("a path in many scripts", (bench, root) -> root + "/\u00e4\u4e2d\ud83d\ude00");
        paths.put("a long path", (bench, root) -> root + "/" + "long".repeat(2_000));
        return paths;
    }

    private static Map<String, Operation> operations() {
        Map<String, Operation> operations = new LinkedHashMap<>();
        add(operations, "exists", OpCode.exists, path -> new ExistsRequest(path, false));
        add(operations, "getData", OpCode.getData, path -> new GetDataRequest(path, false));
        add(operations, "getChildren", OpCode.getChildren, path -> new GetChildrenRequest(path, false));
        add(operations, "getChildren2", OpCode.getChildren2, path -> new GetChildren2Request(path, false));
        add(operations, "getACL", OpCode.getACL, GetACLRequest::new);
        add(operations, "getAllChildrenNumber", OpCode.getAllChildrenNumber, GetAllChildrenNumberRequest::new);
        add(operations, "getEphemerals", OpCode.getEphemerals, GetEphemeralsRequest::new);
        add(operations, "sync", OpCode.sync, SyncRequest::new);
        add(operations, "check", OpCode.multi, path -> MultiRequests.of(MultiRequests.check(path, 0)));
        add(operations, "addWatch", OpCode.addWatch, path -> new AddWatchRequest(path, recursive()));
        add(operations, "checkWatches", OpCode.checkWatches, path -> new CheckWatchesRequest(path, 5));
        add(operations, "removeWatches", OpCode.removeWatches, path -> new RemoveWatchesRequest(path, 5));
        add(operations, "create", OpCode.create, path -> new CreateRequest(path, data(), Ids.OPEN_ACL_UNSAFE, 0));
        add(operations, "create2", OpCode.create2, path -> new CreateRequest(path, data(), Ids.OPEN_ACL_UNSAFE, 0));
        add(
                operations,
                "createTTL",
                OpCode.createTTL,
                path -> new CreateTTLRequest(path, data(), Ids.OPEN_ACL_UNSAFE, 5, 3_600_000));
        add(operations, "setData with a wrong version", OpCode.setData, path -> set(path, OTHER_VERSION));
        add(operations, "setData", OpCode.setData, path -> set(path, -1));
        add(operations, "setACL with a wrong version", OpCode.setACL, path -> setAcl(path, OTHER_VERSION));
        add(operations, "setACL", OpCode.setACL, path -> setAcl(path, -1));
        add(operations, "delete with a wrong version", OpCode.delete, path -> new DeleteRequest(path, OTHER_VERSION));
        add(operations, "delete", OpCode.delete, path -> new DeleteRequest(path, -1));
        add(operations, "exists afterwards", OpCode.exists, path -> new ExistsRequest(path, false));
        return operations;
    }

    private static int recursive() {
        return AddWatchMode.PERSISTENT_RECURSIVE.getMode();
    }

    private static void add(
            Map<String, Operation> operations, String name, int type, Function<String, Record> request) {
        operations.put(name, new Operation(type, (bench, path) -> request.apply(path)));
    }

    private static byte[] data() {
        return Bench.bytes("data");
    }

    private static SetDataRequest set(String path, int version) {
        return new SetDataRequest(path, Bench.bytes("other data"), version);
    }

    private static SetACLRequest setAcl(String path, int version) {
        return new SetACLRequest(path, List.copyOf(Ids.OPEN_ACL_UNSAFE), version);
    }
}
