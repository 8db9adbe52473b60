package io.chainkeeper.clienttests.compat;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AddWatchRequest;
import org.apache.zookeeper.proto.CheckWatchesRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.ExistsRequest;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.RemoveWatchesRequest;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.proto.SetWatches;
import org.apache.zookeeper.proto.SetWatches2;
import org.apache.zookeeper.proto.SyncRequest;

/**
 * Every kind of watch under every kind of change, set by one connection, with the changes made by another, one server
 * further. The events stand before the next answer of the watching connection.
 */
final class WatchScript {
    private static final int[] ADD_MODES = {-1, 0, 1, 2};
    private static final int[] WATCHER_TYPES = {0, 1, 2, 3, 4, 5, 6};

    private final Step.Script script = Step.Script.named("watches");

    static Step.Script script() {
        WatchScript watches = new WatchScript();
        watches.kinds();
        watches.manyOfOneConnection();
        watches.modes();
        watches.removals();
        watches.setAgain();
        watches.withoutPath();
        return watches.script;
    }

    private void ask(String name, String connection, int type, RecordOf record) {
        script.step(name, bench -> bench.wire(connection).ask(type, record.of(bench.root())));
    }

    /** Makes a record for a script's root. */
    private interface RecordOf {
        Record of(String root);
    }

    private void create(String name, String path) {
        ask(name, "b", OpCode.create, root -> new CreateRequest(root + path, null, Ids.OPEN_ACL_UNSAFE, 0));
    }

    private void set(String name, String path) {
        ask(name, "b", OpCode.setData, root -> new SetDataRequest(root + path, new byte[] {1}, -1));
    }

    private void delete(String name, String path) {
        ask(name, "b", OpCode.delete, root -> new DeleteRequest(root + path, -1));
    }

    private void eventsOf(String name) {
        ask("events of " + name, "a", OpCode.exists, root -> new ExistsRequest("/", false));
    }

    /** What sets one watch. */
    private record Watch(String name, int type, RecordOf record) {}

    private static List<Watch> all(String path) {
        return List.of(
                new Watch("exists", OpCode.exists, root -> new ExistsRequest(root + path, true)),
                new Watch("getData", OpCode.getData, root -> new GetDataRequest(root + path, true)),
                new Watch("getChildren", OpCode.getChildren, root -> new GetChildrenRequest(root + path, true)),
                new Watch("getChildren2", OpCode.getChildren2, root -> new GetChildren2Request(root + path, true)),
                new Watch("persistent", OpCode.addWatch, root -> new AddWatchRequest(root + path, 0)),
                new Watch("recursive", OpCode.addWatch, root -> new AddWatchRequest(root + path, 1)));
    }

    private void kinds() {
        for (Watch watch : all("/z")) {
            String of = watch.name();
            ask(of + " watch of a missing znode", "a", watch.type(), watch.record());
            changes(of, watch);
            ask(of + " watch is removed", "a", OpCode.removeWatches, root -> new RemoveWatchesRequest(root + "/z", 3));
        }
    }

    private void changes(String of, Watch watch) {
        create("creation under " + of, "/z");
        eventsOf("creation under " + of);
        ask(of + " watch of the znode", "a", watch.type(), watch.record());
        set("data under " + of, "/z");
        set("more data under " + of, "/z");
        eventsOf("data under " + of);
        ask(of + " watch again", "a", watch.type(), watch.record());
        create("child under " + of, "/z/child");
        eventsOf("child under " + of);
        ask(of + " watch once more", "a", watch.type(), watch.record());
        create("grandchild under " + of, "/z/child/grandchild");
        set("grandchild's data under " + of, "/z/child/grandchild");
        ask("ACL under " + of, "b", OpCode.setACL, root -> new SetACLRequest(root + "/z", Ids.OPEN_ACL_UNSAFE, -1));
        delete("grandchild's deletion under " + of, "/z/child/grandchild");
        eventsOf("grandchild under " + of);
        ask(of + " watch before the deletion", "a", watch.type(), watch.record());
        script.step(
                "multi under " + of,
                bench -> bench.wire("b")
                        .ask(
                                OpCode.multi,
                                MultiRequests.of(
                                        MultiRequests.delete(bench.root() + "/z/child", -1),
                                        MultiRequests.set(bench.root() + "/z", -1),
                                        MultiRequests.create(bench.root() + "/z/other", CreateMode.PERSISTENT),
                                        MultiRequests.delete(bench.root() + "/z/other", -1))));
        eventsOf("multi under " + of);
        ask(of + " watch before the end", "a", watch.type(), watch.record());
        delete("deletion under " + of, "/z");
        eventsOf("deletion under " + of);
    }

    private void manyOfOneConnection() {
        create("a znode under all watches", "/all");
        for (Watch watch : all("/all")) {
            ask(watch.name() + " among all watches", "a", watch.type(), watch.record());
            ask(watch.name() + " among all watches, twice", "a", watch.type(), watch.record());
        }
        create("child under all watches", "/all/child");
        set("data under all watches", "/all");
        eventsOf("changes under all watches");
        delete("deletion of the child under all watches", "/all/child");
        delete("deletion under all watches", "/all");
        eventsOf("deletions under all watches");
        ask(
                "own change under a watch",
                "a",
                OpCode.create,
                root -> new CreateRequest(root + "/all", null, Ids.OPEN_ACL_UNSAFE, 0));
        ask("own change's end", "a", OpCode.delete, root -> new DeleteRequest(root + "/all", -1));
    }

    private void modes() {
        for (int mode : ADD_MODES) {
            ask("addWatch with mode " + mode, "c", OpCode.addWatch, root -> new AddWatchRequest(root + "/mode", mode));
        }
        create("a znode under addWatch", "/mode");
        ask("events of addWatch", "c", OpCode.sync, root -> new SyncRequest(root));
    }

    private void removals() {
        create("a znode whose watches are removed", "/removed");
        for (int type : WATCHER_TYPES) {
            for (Watch watch : all("/removed")) {
                ask(watch.name() + " to be removed by " + type, "c", watch.type(), watch.record());
            }
            ask(
                    "check of type " + type,
                    "c",
                    OpCode.checkWatches,
                    root -> new CheckWatchesRequest(root + "/removed", type));
            ask(
                    "removal of type " + type,
                    "c",
                    OpCode.removeWatches,
                    root -> new RemoveWatchesRequest(root + "/removed", type));
            ask(
                    "removal of type " + type + ", twice",
                    "c",
                    OpCode.removeWatches,
                    root -> new RemoveWatchesRequest(root + "/removed", type));
            set("data after a removal of type " + type, "/removed");
            create("child after a removal of type " + type, "/removed/" + type);
            ask("events after a removal of type " + type, "c", OpCode.exists, root -> new ExistsRequest("/", false));
            ask(
                    "removal of all after type " + type,
                    "c",
                    OpCode.removeWatches,
                    root -> new RemoveWatchesRequest(root + "/removed", WatcherType.Any.getIntValue()));
        }
    }

    /** No client of ZooKeeper sends these. */
    private void withoutPath() {
        for (int type : WATCHER_TYPES) {
            ask(
                    "check without path of type " + type,
                    "b",
                    OpCode.checkWatches,
                    root -> new CheckWatchesRequest(null, type));
            ask(
                    "removal without path of type " + type,
                    "b",
                    OpCode.removeWatches,
                    root -> new RemoveWatchesRequest(null, type));
        }
        for (int mode : ADD_MODES) {
            ask("addWatch without path, mode " + mode, "b", OpCode.addWatch, root -> new AddWatchRequest(null, mode));
        }
        int any = WatcherType.Any.getIntValue();
        ask("check of what has no path", "b", OpCode.checkWatches, root -> new CheckWatchesRequest(null, any));
        ask("removal of what has no path", "b", OpCode.removeWatches, root -> new RemoveWatchesRequest(null, any));
        ask(
                "second removal of what has no path",
                "b",
                OpCode.removeWatches,
                root -> new RemoveWatchesRequest(null, any));
        List<String> nothing = Collections.singletonList(null);
        ask(
                "persistent watches without paths",
                "b",
                OpCode.setWatches2,
                root -> new SetWatches2(0, List.of(), List.of(), List.of(), nothing, nothing));
        ask(
                "data watches without paths",
                "b",
                OpCode.setWatches2,
                root -> new SetWatches2(0, nothing, List.of(), List.of(), List.of(), List.of()));
    }

    /** What a client sends when it is connected again: which of its watches must fire depends on what it has seen. */
    private void setAgain() {
        create("a znode that stays", "/stays");
        create("a znode that changes", "/changes");
        create("a znode that goes", "/goes");
        script.step("what the client has seen", bench -> {
            WireClient wire = bench.wire("a-first");
            String answer = wire.ask(OpCode.exists, new ExistsRequest("/", false));
            bench.note("seen", wire.lastZxid());
            return answer;
        });
        set("a missed change", "/changes");
        create("a missed child", "/changes/child");
        delete("a missed deletion", "/goes");
        create("a missed creation", "/comes");
        script.step(
                "setWatches",
                bench -> bench.wire("a-again")
                        .ask(
                                OpCode.setWatches,
                                new SetWatches(
                                        bench.<Long>noted("seen"),
                                        paths(bench.root(), "/stays", "/changes", "/goes"),
                                        paths(bench.root(), "/comes", "/never"),
                                        paths(bench.root(), "/stays", "/changes", "/goes"))));
        script.step(
                "setWatches2",
                bench -> bench.wire("c-again")
                        .ask(
                                OpCode.setWatches2,
                                new SetWatches2(
                                        bench.<Long>noted("seen"),
                                        paths(bench.root(), "/stays", "/changes", "/goes"),
                                        paths(bench.root(), "/comes", "/never"),
                                        paths(bench.root(), "/stays", "/changes", "/goes"),
                                        paths(bench.root(), "/stays", "/goes"),
                                        paths(bench.root(), "/changes"))));
        set("a change after setting again", "/stays");
        create("a child after setting again", "/changes/other");
        create("a creation after setting again", "/never");
        for (String connection : List.of("a-again", "c-again")) {
            ask("events at " + connection, connection, OpCode.exists, root -> new ExistsRequest("/", false));
        }
        script.step(
                "setWatches of nothing",
                bench -> bench.wire("a-again")
                        .ask(OpCode.setWatches, new SetWatches(0, List.of(), List.of(), List.of())));
        script.step(
                "setWatches without lists",
                bench -> bench.wire("a-again").ask(OpCode.setWatches, new SetWatches(0, null, null, null)));
    }

    private static List<String> paths(String root, String... names) {
        return Arrays.stream(names).map(name -> root + name).toList();
    }
}
