package io.chainkeeper.clienttests.compat;

import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Quotas;
import org.apache.zookeeper.StatsTrack;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.SetDataRequest;

/**
 * Quotas of bytes and znodes, soft and hard, as zkCli sets them; after every write what the statistics say. Each
 * connection reads before it writes, because quotas are checked where a write arrives.
 */
final class QuotaScript {
    private static final int LIMIT = 4;

    private final Step.Script script = Step.Script.named("quotas");

    static Step.Script script() {
        QuotaScript quotas = new QuotaScript();
        for (String limit : List.of("count", "bytes", "countHardLimit", "byteHardLimit")) {
            quotas.limited(limit);
        }
        quotas.nested();
        quotas.changed();
        return quotas.script;
    }

    private static byte[] limits(String which, long limit) {
        StatsTrack track = new StatsTrack();
        if (which.equals("count")) {
            track.setCount(limit);
        } else if (which.equals("bytes")) {
            track.setBytes(limit);
        } else if (which.equals("countHardLimit")) {
            track.setCountHardLimit(limit);
        } else {
            track.setByteHardLimit(limit);
        }
        return track.getStatsBytes();
    }

    private void create(String name, String connection, String path, byte[] data) {
        script.step(
                name,
                bench -> bench.wire(connection)
                        .ask(OpCode.create, new CreateRequest(bench.root() + path, data, Ids.OPEN_ACL_UNSAFE, 0)));
    }

    private void quota(String name, String path, byte[] limits) {
        script.step("way to the quota " + name, bench -> {
            String way = Quotas.quotaPath(bench.root());
            String answer = bench.wire("a").ask(OpCode.create, new CreateRequest(way, null, Ids.OPEN_ACL_UNSAFE, 0));
            StringBuilder answers = new StringBuilder(answer);
            for (String part : path.substring(1).split("/")) {
                way += "/" + part;
                answers.append(
                        bench.wire("a").ask(OpCode.create, new CreateRequest(way, null, Ids.OPEN_ACL_UNSAFE, 0)));
            }
            return answers;
        });
        script.step(
                "limit of the quota " + name,
                bench -> bench.wire("a")
                        .ask(
                                OpCode.create,
                                new CreateRequest(
                                        Quotas.limitPath(bench.root() + path), limits, Ids.OPEN_ACL_UNSAFE, 0)));
        script.step(
                "statistics of the quota " + name,
                bench -> bench.wire("a")
                        .ask(
                                OpCode.create,
                                new CreateRequest(
                                        Quotas.statPath(bench.root() + path),
                                        new StatsTrack().getStatsBytes(),
                                        Ids.OPEN_ACL_UNSAFE,
                                        0)));
        statistics("at the beginning of the quota " + name, path);
    }

    private void statistics(String when, String path) {
        for (String connection : List.of("a", "b", "c")) {
            script.step(
                    "statistics for " + connection + " " + when,
                    bench -> bench.wire(connection)
                            .ask(OpCode.getData, new GetDataRequest(Quotas.statPath(bench.root() + path), false)));
        }
    }

    private void limited(String limit) {
        String path = "/" + limit;
        create("a znode of the quota " + limit, "a", path, new byte[1]);
        quota(limit, path, limits(limit, LIMIT));
        for (int i = 0; i < LIMIT + 2; i++) {
            String connection = "abc".substring(i % 3, i % 3 + 1);
            create("child " + i + " under " + limit, connection, path + "/" + i, new byte[1]);
            statistics("after child " + i + " under " + limit, path);
        }
        for (int length : new int[] {0, 1, 2, 5, 10}) {
            script.step(
                    length + " bytes under " + limit,
                    bench -> bench.wire("b")
                            .ask(OpCode.setData, new SetDataRequest(bench.root() + path + "/0", new byte[length], -1)));
            statistics("after " + length + " bytes under " + limit, path);
        }
        script.step(
                "multi under " + limit,
                bench -> bench.wire("c")
                        .ask(
                                OpCode.multi,
                                MultiRequests.of(
                                        MultiRequests.set(bench.root() + path, -1),
                                        MultiRequests.create(bench.root() + path + "/m", CreateMode.PERSISTENT),
                                        MultiRequests.set(bench.root() + path + "/0", -1))));
        statistics("after a multi under " + limit, path);
        script.step(
                "deletion under " + limit,
                bench -> bench.wire("a").ask(OpCode.delete, new DeleteRequest(bench.root() + path + "/0", -1)));
        statistics("after a deletion under " + limit, path);
        create("child after the deletion under " + limit, "a", path + "/new", null);
        statistics("after the new child under " + limit, path);
    }

    private void nested() {
        create("an outer znode", "a", "/outer", null);
        create("an inner znode", "a", "/outer/inner", null);
        quota("outer", "/outer", limits("countHardLimit", LIMIT));
        quota("inner", "/outer/inner", limits("countHardLimit", LIMIT - 1));
        for (int i = 0; i < LIMIT; i++) {
            create("child " + i + " of inner", "b", "/outer/inner/" + i, null);
            statistics("of inner after child " + i, "/outer/inner");
            statistics("of outer after child " + i, "/outer");
        }
    }

    private void changed() {
        String path = "/outer/inner";
        script.step(
                "a wider limit",
                bench -> bench.wire("c")
                        .ask(
                                OpCode.setData,
                                new SetDataRequest(
                                        Quotas.limitPath(bench.root() + path),
                                        limits("countHardLimit", LIMIT + 1),
                                        -1)));
        statistics("after a wider limit", path);
        create("a child under the wider limit", "c", path + "/wider", null);
        for (String node : List.of(Quotas.limitNode, Quotas.statNode)) {
            script.step(
                    "deletion of " + node,
                    bench -> bench.wire("a")
                            .ask(
                                    OpCode.delete,
                                    new DeleteRequest(Quotas.quotaPath(bench.root() + path) + "/" + node, -1)));
        }
        for (int i = 0; i < LIMIT; i++) {
            create("child " + i + " without a limit", "a", path + "/free" + i, null);
        }
        statistics("of outer without an inner limit", "/outer");
    }
}
