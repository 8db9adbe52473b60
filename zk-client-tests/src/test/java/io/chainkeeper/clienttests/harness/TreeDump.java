package io.chainkeeper.clienttests.harness;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Quotas;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/**
 * Everything a client can see of one server's tree: paths, data, every field of the Stat, ACLs. Taken while nobody
 * writes.
 */
public final class TreeDump {
    private static final int MAX_ATTEMPTS = 3;

    /** Requests on their way at once while dumping. */
    private static final int PIPELINE = 256;

    private static final String CONFIG = "/zookeeper/config";
    private static final long ANSWER_LIMIT_SECONDS = 60;

    /**
     * One znode.
     *
     * @param data null if the znode has none
     */
    public record Node(String data, Stat stat, List<ACL> acl) {
        private String describe() {
            return "data=" + data + " czxid=0x" + Long.toHexString(stat.getCzxid()) + " mzxid=0x"
                    + Long.toHexString(stat.getMzxid()) + " pzxid=0x" + Long.toHexString(stat.getPzxid()) + " ctime="
                    + stat.getCtime() + " mtime=" + stat.getMtime() + " version=" + stat.getVersion() + " cversion="
                    + stat.getCversion() + " aversion=" + stat.getAversion() + " ephemeralOwner=0x"
                    + Long.toHexString(stat.getEphemeralOwner()) + " dataLength=" + stat.getDataLength()
                    + " numChildren=" + stat.getNumChildren() + " acl=" + acl;
        }
    }

    private record Answers(
            String path,
            CompletableFuture<String> data,
            CompletableFuture<Stat> stat,
            CompletableFuture<List<ACL>> acl,
            CompletableFuture<List<String>> children) {}

    private final SortedMap<String, Node> nodes = new TreeMap<>();

    private TreeDump() {}

    /** Returns a dump of these znodes. */
    static TreeDump ofNodes(Map<String, Node> nodes) {
        TreeDump dump = new TreeDump();
        dump.nodes.putAll(nodes);
        return dump;
    }

    /**
     * Dumps the tree of this server, after {@code sync}. If a node vanishes while the tree is being read, because a
     * session ends, all is read anew; one that is listed and not there again and again is an error. What not everybody
     * may read is read where the ensemble has a {@linkplain Ensemble.Builder#superUser() super user}.
     */
    public static TreeDump of(ServerProcess server) throws Exception {
        try (ZooKeeper client = Clients.connect(server.connectString())) {
            client.addAuthInfo("digest", Ensemble.SUPER_USER.getBytes(StandardCharsets.UTF_8));
            for (int attempt = 1; ; attempt++) {
                sync(client, "/");
                TreeDump dump = new TreeDump();
                try {
                    dump.readAll(client);
                    return dump;
                } catch (ExecutionException e) {
                    if (attempt == MAX_ATTEMPTS || !(e.getCause() instanceof KeeperException.NoNodeException)) {
                        throw e;
                    }
                }
            }
        }
    }

    private void readAll(ZooKeeper client) throws Exception {
        List<String> level = List.of("/");
        while (!level.isEmpty()) {
            List<String> next = new ArrayList<>();
            for (int from = 0; from < level.size(); from += PIPELINE) {
                read(client, level.subList(from, Math.min(level.size(), from + PIPELINE)), next);
            }
            level = next;
        }
    }

    /** Waits until the client's server has executed everything that was complete at the call. */
    public static void sync(ZooKeeper client, String path) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        client.sync(path, (resultCode, ignored, context) -> complete(done, resultCode, path, null), null);
        done.get(ANSWER_LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Takes the trees of all servers and fails unless they are equal.
     *
     * @return the tree they all have
     */
    public static TreeDump ofAllEqual(Ensemble ensemble) throws Exception {
        TreeDump first = of(ensemble.servers().get(0));
        for (ServerProcess server :
                ensemble.servers().subList(1, ensemble.servers().size())) {
            TreeDump other = of(server);
            if (ensemble.isStock()) {
                // The stock server writes the znode at its start, with its own clock.
                other.nodes
                        .get(CONFIG)
                        .stat
                        .setMtime(first.nodes.get(CONFIG).stat.getMtime());
            }
            String difference = first.differenceTo(other);
            if (difference != null) {
                throw new AssertionError("the trees of server "
                        + ensemble.servers().get(0).id() + " and server " + server.id() + " differ: " + difference);
            }
        }
        return first;
    }

    /** Returns the znodes by path. */
    public SortedMap<String, Node> nodes() {
        return nodes;
    }

    /**
     * Returns one line per znode, but for what each server writes for itself: its configuration, and how much of a
     * quota is used.
     */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        nodes.forEach((path, node) -> {
            if (!path.equals(CONFIG) && !path.endsWith("/" + Quotas.statNode)) {
                lines.add(path + " " + node.describe().replace("\n", "\\n"));
            }
        });
        return lines;
    }

    /** Returns the first difference in words, or null if the trees are equal. */
    public String differenceTo(TreeDump other) {
        Iterator<Map.Entry<String, Node>> theirs = other.nodes.entrySet().iterator();
        for (Map.Entry<String, Node> mine : nodes.entrySet()) {
            if (!other.nodes.containsKey(mine.getKey())) {
                return mine.getKey() + " is missing in the second; the first has "
                        + mine.getValue().describe();
            }
            Map.Entry<String, Node> their = theirs.next();
            if (!their.getKey().equals(mine.getKey())) {
                return their.getKey() + " is missing in the first; the second has "
                        + their.getValue().describe();
            }
            if (!their.getValue().equals(mine.getValue())) {
                return mine.getKey() + ": " + mine.getValue().describe() + " and "
                        + their.getValue().describe();
            }
        }
        return theirs.hasNext() ? theirs.next().getKey() + " is missing in the first" : null;
    }

    private void read(ZooKeeper client, List<String> paths, List<String> next) throws Exception {
        List<Answers> pending = new ArrayList<>();
        for (String path : paths) {
            pending.add(ask(client, path));
        }
        for (Answers answers : pending) {
            Node node = new Node(
                    answers.data.get(ANSWER_LIMIT_SECONDS, TimeUnit.SECONDS),
                    answers.stat.get(ANSWER_LIMIT_SECONDS, TimeUnit.SECONDS),
                    answers.acl.get(ANSWER_LIMIT_SECONDS, TimeUnit.SECONDS));
            nodes.put(answers.path, node);
            String prefix = answers.path.equals("/") ? "/" : answers.path + "/";
            answers.children.get(ANSWER_LIMIT_SECONDS, TimeUnit.SECONDS).forEach(child -> next.add(prefix + child));
        }
    }

    private static Answers ask(ZooKeeper client, String path) {
        Answers answers = new Answers(
                path,
                new CompletableFuture<>(),
                new CompletableFuture<>(),
                new CompletableFuture<>(),
                new CompletableFuture<>());
        client.getData(
                path,
                false,
                (resultCode, ignored, context, data, stat) -> {
                    complete(answers.data, resultCode, path, text(data));
                    complete(answers.stat, resultCode, path, stat);
                },
                null);
        client.getACL(
                path,
                null,
                (resultCode, ignored, context, acl, stat) -> complete(answers.acl, resultCode, path, acl),
                null);
        client.getChildren(
                path,
                false,
                (resultCode, ignored, context, children) -> complete(answers.children, resultCode, path, children),
                null);
        return answers;
    }

    private static String text(byte[] data) {
        return data == null ? null : new String(data, StandardCharsets.ISO_8859_1);
    }

    private static <T> void complete(CompletableFuture<T> future, int resultCode, String path, T value) {
        if (resultCode == Code.OK.intValue()) {
            future.complete(value);
        } else {
            future.completeExceptionally(KeeperException.create(Code.get(resultCode), path));
        }
    }
}
