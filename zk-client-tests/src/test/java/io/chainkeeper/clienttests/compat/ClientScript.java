package io.chainkeeper.clienttests.compat;

import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** ZooKeeper's own client: below a path, with its own book of watches, cut off and connected again to other servers. */
final class ClientScript {
    private static final String CHROOT = "/clients/below";
    private static final int ANY = -1;

    private final Step.Script script = Step.Script.named("clients");

    static Step.Script script() {
        ClientScript clients = new ClientScript();
        clients.chroot();
        clients.removals();
        for (String other : new String[] {"b", "c", "a"}) {
            clients.reconnected(other);
        }
        clients.cutOff();
        return clients.script;
    }

    private void chroot() {
        script.step(
                "way to the chroot",
                bench -> bench.client("a").create(CHROOT, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        script.step(
                "create below",
                bench -> below(bench).create("/x", Bench.bytes("x"), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        script.step(
                "sequential below",
                bench -> below(bench).create("/x/s-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL));
        script.step("seen from above", bench -> bench.client("c").getData(CHROOT + "/x", false, new Stat()));
        script.step("children below", bench -> below(bench).getChildren("/", false));
        script.step("all children below", bench -> below(bench).getAllChildrenNumber("/"));
        script.step("ephemerals below", bench -> below(bench).getEphemerals());
        script.step("ephemerals below a path", bench -> below(bench).getEphemerals("/x"));
        script.step("sync below", bench -> sync(below(bench), "/x"));
        script.step(
                "multi below",
                bench -> below(bench)
                        .multi(List.of(
                                Op.create("/m", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                                Op.create("/c", null, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER),
                                Op.create("/t", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, 3_600_000),
                                Op.setData("/x", null, 0),
                                Op.check("/x", 1))));
        script.step(
                "failing multi below",
                bench ->
                        below(bench).multi(List.of(Op.delete("/m", 0), Op.delete("/missing", ANY), Op.check("/x", 1))));
        script.step("reads below", bench -> below(bench).multi(List.of(Op.getData("/x"), Op.getChildren("/"))));
        script.step(
                "transaction below",
                bench -> below(bench)
                        .transaction()
                        .delete("/m", ANY)
                        .create("/n", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)
                        .commit());
        script.step("watch below", bench -> below(bench).exists("/w", bench.watcher("below")));
        script.step(
                "watched below",
                bench -> bench.client("c").create(CHROOT + "/w", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        script.step("event below", bench -> bench.events("below", 1));
        script.step("who is below", bench -> below(bench).whoAmI());
        script.step(
                "nothing below",
                bench -> bench.client("c-nothing", "/clients/nothing").getChildren("/", false));
        script.step(
                "create below nothing",
                bench -> bench.client("c-nothing").create("/x", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
    }

    private static ZooKeeper below(Bench bench) throws Exception {
        return bench.client("b", CHROOT);
    }

    private static String sync(ZooKeeper client, String path) throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        client.sync(path, (code, synced, context) -> answer.complete(code + " " + synced), null);
        return answer.get(20, TimeUnit.SECONDS);
    }

    private void removals() {
        for (WatcherType type : WatcherType.values()) {
            for (boolean local : new boolean[] {false, true}) {
                String name = type + (local ? " locally" : "");
                script.step("watches to be removed, " + name, bench -> {
                    ZooKeeper client = bench.client("a-" + name);
                    client.getData(CHROOT, bench.watcher(name), null);
                    client.getChildren(CHROOT, bench.watcher(name));
                    client.addWatch(CHROOT, bench.watcher(name + " added"), AddWatchMode.PERSISTENT);
                    return client.exists(CHROOT, bench.watcher(name));
                });
                script.step("removal of a watcher that is none, " + name, bench -> {
                    bench.client("a-" + name).removeWatches(CHROOT, bench.watcher("other"), type, local);
                    return "removed";
                });
                script.step("removal of all, " + name, bench -> {
                    bench.client("a-" + name).removeAllWatches(CHROOT, type, local);
                    return "removed";
                });
                script.step("removal of all again, " + name, bench -> {
                    bench.client("a-" + name).removeAllWatches(CHROOT, type, local);
                    return "removed";
                });
                script.step(
                        "change after a removal, " + name,
                        bench -> bench.client("c").setData(CHROOT, Bench.bytes(name), ANY));
                script.step("events after a removal, " + name, bench -> {
                    sync(bench.client("a-" + name), CHROOT);
                    return bench.restOfEvents(name) + " " + bench.restOfEvents(name + " added");
                });
            }
        }
    }

    /** The client finds another server at the same address: session, ephemerals and watches go on there. */
    private void reconnected(String other) {
        String client = "a-to-" + other;
        String path = CHROOT + "/to-" + other;
        script.step("watches before " + client, bench -> {
            ZooKeeper own = bench.client(client);
            own.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            own.create(path + "/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            own.getData(path, bench.watcher(client + " data"), null);
            own.getChildren(path, bench.watcher(client + " children"));
            own.exists(path + "/comes", bench.watcher(client + " exists"));
            own.addWatch(path, bench.watcher(client + " persistent"), AddWatchMode.PERSISTENT);
            own.addWatch(path, bench.watcher(client + " recursive"), AddWatchMode.PERSISTENT_RECURSIVE);
            return own.getEphemerals();
        });
        script.step("cut off " + client, bench -> {
            bench.proxy(client).cutOff();
            bench.awaitDisconnected(client);
            return "cut off";
        });
        script.step("missed data of " + client, bench -> bench.client("c").setData(path, Bench.bytes("missed"), ANY));
        script.step(
                "missed creation of " + client,
                bench -> bench.client("c").create(path + "/comes", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        // A server that has not come as far as the session has seen refuses it.
        script.step(other + " knows what " + client + " has seen", bench -> sync(bench.client(other), "/"));
        script.step("reconnected " + client, bench -> {
            bench.move(client, other);
            bench.awaitConnected(client);
            return sync(bench.client(client), path);
        });
        for (String watch : new String[] {"data", "children", "exists"}) {
            script.step("missed event of " + client + " " + watch, bench -> bench.events(client + " " + watch, 1));
        }
        script.step(
                "lasting watches of " + client,
                bench -> new TreeSet<>(bench.restOfEvents(client + " persistent")) + " "
                        + new TreeSet<>(bench.restOfEvents(client + " recursive")));
        script.step("ephemerals after " + client, bench -> bench.client(client).getEphemerals());
        script.step("change after " + client, bench -> bench.client("c").setData(path, null, ANY));
        script.step(
                "lasting events of " + client,
                bench -> bench.events(client + " persistent", 1) + " " + bench.events(client + " recursive", 1));
        script.step(
                "still the owner after " + client,
                bench -> bench.client("b-owner-" + other)
                                .exists(path + "/e", false)
                                .getEphemeralOwner()
                        == bench.client(client).getSessionId());
    }

    private void cutOff() {
        script.step("closed by the client", bench -> {
            bench.client("a-to-b").close();
            return bench.client("c").exists(CHROOT + "/to-b/e", false);
        });
    }
}
