package io.chainkeeper.clienttests.compat;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.ExistsRequest;
import org.apache.zookeeper.proto.GetEphemeralsRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.proto.SyncRequest;

/** Sessions that are continued, at the same server and at others, by who may and who may not, and that end. */
final class SessionScript {
    private final Step.Script script = Step.Script.named("sessions");

    static Step.Script script() {
        SessionScript sessions = new SessionScript();
        for (String other : new String[] {"a", "b", "c"}) {
            sessions.continued(other);
        }
        sessions.refused();
        sessions.ended();
        return sessions.script;
    }

    private void create(String name, String connection, String path, CreateMode mode) {
        script.step(
                name,
                bench -> bench.wire(connection)
                        .ask(
                                OpCode.create,
                                new CreateRequest(bench.root() + path, null, Ids.OPEN_ACL_UNSAFE, mode.toFlag())));
    }

    private void exists(String name, String connection, String path) {
        script.step(
                name, bench -> bench.wire(connection).ask(OpCode.exists, new ExistsRequest(bench.root() + path, true)));
    }

    private static String attach(Bench bench, String connection, WireClient before, byte[] password, long lastZxid)
            throws Exception {
        WireClient again = bench.unopened(connection);
        return again.connect(
                new ConnectRequest(0, lastZxid, Bench.WIRE_TIMEOUT_MILLIS / 2, before.sessionId(), password, false));
    }

    /** The old connection is closed, by whatever server it is at; what belongs to the session stays. */
    private void continued(String other) {
        String first = "a-before-" + other;
        String second = other + "-after";
        String path = "/ephemeral-" + other;
        create("ephemeral before it goes on at " + other, first, path, CreateMode.EPHEMERAL);
        exists("watch before it goes on at " + other, first, path);
        // A server that has not come as far as the session has seen refuses it.
        script.step(
                other + " knows what the session has seen",
                bench -> bench.wire(other).ask(OpCode.sync, new SyncRequest(bench.root() + path)));
        script.step("session goes on at " + other, bench -> {
            WireClient before = bench.wire(first);
            return attach(bench, second, before, before.password(), before.lastZxid());
        });
        script.step(
                "old connection after it went on at " + other,
                bench -> bench.wire(first).next());
        exists("ephemeral after it went on at " + other, second, path);
        script.step(
                "ephemerals after it went on at " + other,
                bench -> bench.wire(second).ask(OpCode.getEphemerals, new GetEphemeralsRequest(bench.root())));
        script.step(
                "change after it went on at " + other,
                bench -> bench.wire("c").ask(OpCode.setData, new SetDataRequest(bench.root() + path, new byte[1], -1)));
        create("another ephemeral after it went on at " + other, second, path + "-2", CreateMode.EPHEMERAL);
    }

    private void refused() {
        create("ephemeral of the one who is robbed", "x-robbed", "/robbed", CreateMode.EPHEMERAL);
        for (String server : new String[] {"a", "b", "c"}) {
            script.step("wrong password at " + server, bench -> {
                byte[] wrong = bench.wire("x-robbed").password().clone();
                wrong[15] ^= 1;
                return attach(bench, server + "-wrong", bench.wire("x-robbed"), wrong, 0);
            });
            script.step(
                    "after the wrong password at " + server,
                    bench -> bench.wire(server + "-wrong").next());
            script.step(
                    "short password at " + server,
                    bench -> attach(bench, server + "-short", bench.wire("x-robbed"), new byte[3], 0));
            script.step("later zxid at " + server, bench -> {
                WireClient robbed = bench.wire("x-robbed");
                return attach(bench, server + "-later", robbed, robbed.password(), robbed.lastZxid() + 1_000);
            });
        }
        // A stock server closes the connection for everyone who asks to go on with its session.
        script.onlyOurs(
                "still there",
                "OK, 68 bytes",
                bench -> bench.wire("x-robbed")
                        .askWithoutXid(OpCode.exists, new ExistsRequest(bench.root() + "/robbed", false)));
    }

    private void ended() {
        create("ephemeral of a session that is closed", "b-closed", "/closed", CreateMode.EPHEMERAL);
        exists("watch of another one", "c", "/closed");
        script.step("close", bench -> bench.wire("b-closed").ask(OpCode.closeSession));
        script.step("after the close", bench -> bench.wire("b-closed").next());
        exists("gone", "c", "/closed");
        for (String server : new String[] {"a", "b", "c"}) {
            script.step(
                    "closed session at " + server,
                    bench -> attach(
                            bench,
                            server + "-closed-again",
                            bench.wire("b-closed"),
                            bench.wire("b-closed").password(),
                            0));
        }
        // A stock server sometimes answers what follows with an error before it closes the connection.
        script.onlyOurs("close and go on in one piece", "xid 1 OK, 0 bytes; closed", bench -> {
            WireClient wire = bench.wire("x-twice");
            wire.send(OpCode.closeSession);
            return wire.ask(OpCode.exists, new ExistsRequest("/", false));
        });
    }
}
