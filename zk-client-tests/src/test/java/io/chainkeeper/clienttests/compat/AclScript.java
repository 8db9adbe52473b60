package io.chainkeeper.clienttests.compat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.jute.Record;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.AuthPacket;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.ExistsRequest;
import org.apache.zookeeper.proto.GetACLRequest;
import org.apache.zookeeper.proto.GetAllChildrenNumberRequest;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetSASLRequest;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetDataRequest;

/** Who may do what: every permission alone and every operation, for its user, another, nobody and the superuser. */
final class AclScript {
    private static final int AUTH_XID = -4;
    private static final Map<String, Integer> PERMISSIONS = permissions();

    private final Step.Script script = Step.Script.named("acls");

    static Step.Script script() {
        AclScript acls = new AclScript();
        acls.authentication();
        acls.schemes();
        acls.permissions("alice", "a-alice");
        acls.permissions("bob", "b-bob");
        acls.permissions("nobody", "c-nobody");
        acls.permissions("super", "b-super");
        acls.whoAmI();
        acls.rejectedAuthentication();
        return acls.script;
    }

    private static Map<String, Integer> permissions() {
        Map<String, Integer> permissions = new LinkedHashMap<>();
        permissions.put("nothing", 0);
        permissions.put("read", Perms.READ);
        permissions.put("write", Perms.WRITE);
        permissions.put("create", Perms.CREATE);
        permissions.put("delete", Perms.DELETE);
        permissions.put("admin", Perms.ADMIN);
        permissions.put("all", Perms.ALL);
        return permissions;
    }

    private void auth(String connection, String scheme, String credentials) {
        script.step(connection + " is " + scheme + " " + credentials, bench -> {
            WireClient wire = bench.wire(connection);
            wire.sendAs(AUTH_XID, OpCode.auth, new AuthPacket(0, scheme, Bench.bytes(credentials)));
            return wire.answerTo(AUTH_XID);
        });
    }

    private void authentication() {
        auth("a-alice", "digest", "alice:secret");
        auth("b-bob", "digest", "bob:secret");
        auth("b-super", "digest", "super:secret");
        script.step(
                "alice's znode",
                bench -> bench.wire("a-alice")
                        .ask(OpCode.create, new CreateRequest(bench.root() + "/own", null, Ids.CREATOR_ALL_ACL, 0)));
        script.step(
                "alice's own ACL",
                bench -> bench.wire("a-alice").ask(OpCode.getACL, new GetACLRequest(bench.root() + "/own")));
        script.step(
                "alice's hidden ACL",
                bench -> bench.wire("c-nobody").ask(OpCode.getACL, new GetACLRequest(bench.root() + "/own")));
        script.step(
                "alice's own with ip",
                bench -> bench.wire("a-alice")
                        .ask(
                                OpCode.setACL,
                                new SetACLRequest(
                                        bench.root() + "/own",
                                        List.of(
                                                new ACL(Perms.ALL, new Id("auth", "")),
                                                new ACL(Perms.READ, new Id("ip", "127.0.0.1")),
                                                new ACL(Perms.WRITE, new Id("ip", "10.0.0.0/8"))),
                                        0)));
        script.step(
                "ACL with ip, half hidden",
                bench -> bench.wire("c-nobody").ask(OpCode.getACL, new GetACLRequest(bench.root() + "/own")));
        script.step(
                "write from another ip",
                bench -> bench.wire("c-nobody")
                        .ask(OpCode.setData, new SetDataRequest(bench.root() + "/own", null, -1)));
        PERMISSIONS.forEach((name, permissions) -> {
            script.step(
                    "znode with " + name,
                    bench -> bench.wire("a-alice")
                            .ask(
                                    OpCode.create,
                                    new CreateRequest(
                                            bench.root() + "/" + name,
                                            Bench.bytes(name),
                                            List.of(
                                                    new ACL(permissions, Ids.AUTH_IDS),
                                                    new ACL(permissions & Perms.READ, Ids.ANYONE_ID_UNSAFE)),
                                            0)));
            script.step(
                    "child of znode with " + name,
                    bench -> bench.wire("b-super")
                            .ask(
                                    OpCode.create,
                                    new CreateRequest(
                                            bench.root() + "/" + name + "/child", null, Ids.OPEN_ACL_UNSAFE, 0)));
        });
    }

    /** Neither server has been given x509 or sasl; an invalid list counts after the path and before the znode. */
    private void schemes() {
        for (String scheme : new String[] {"x509", "sasl", "unknown", "super", "", "digest", "ip", "world", "auth"}) {
            for (String id : new String[] {"somebody", "", "CN=somebody", "a:b", "10.0.0.1"}) {
                List<ACL> acl =
                        List.of(new ACL(Perms.ALL, Ids.ANYONE_ID_UNSAFE), new ACL(Perms.READ, new Id(scheme, id)));
                String name = scheme + " " + id;
                write(
                        "create for " + name,
                        OpCode.create,
                        root -> new CreateRequest(root + "/for " + name, null, acl, 0));
                write("setACL for " + name, OpCode.setACL, root -> new SetACLRequest(root + "/own", acl, 77));
                write(
                        "create at a bad path for " + name,
                        OpCode.create,
                        root -> new CreateRequest(root + "//", null, acl, 0));
                write(
                        "create below nothing for " + name,
                        OpCode.create,
                        root -> new CreateRequest(root + "/no/no", null, acl, 0));
            }
            List<ACL> nameless = List.of(new ACL(Perms.READ, new Id(scheme, null)));
            if (!List.of("world", "digest").contains(scheme)) {
                write(
                        "create for a nameless " + scheme,
                        OpCode.create,
                        root -> new CreateRequest(root + "/nameless", null, nameless, 0));
            }
        }
    }

    private void write(String name, int type, Function<String, Record> record) {
        script.step(name, bench -> bench.wire("a-alice").ask(type, record.apply(bench.root())));
    }

    private static Map<String, Integer> types() {
        Map<String, Integer> types = new LinkedHashMap<>();
        types.put("exists", OpCode.exists);
        types.put("getData", OpCode.getData);
        types.put("getChildren", OpCode.getChildren);
        types.put("getChildren2", OpCode.getChildren2);
        types.put("getAllChildrenNumber", OpCode.getAllChildrenNumber);
        types.put("getACL", OpCode.getACL);
        types.put("setData", OpCode.setData);
        types.put("delete", OpCode.delete);
        types.put("create", OpCode.create);
        types.put("multi", OpCode.multi);
        types.put("multiRead", OpCode.multiRead);
        return types;
    }

    private static Record record(int type, String path, String user) {
        Map<Integer, Function<String, Record>> records = Map.ofEntries(
                Map.entry(OpCode.exists, znode -> new ExistsRequest(znode, false)),
                Map.entry(OpCode.getData, znode -> new GetDataRequest(znode, false)),
                Map.entry(OpCode.getChildren, znode -> new GetChildrenRequest(znode, false)),
                Map.entry(OpCode.getChildren2, znode -> new GetChildren2Request(znode, false)),
                Map.entry(OpCode.getAllChildrenNumber, GetAllChildrenNumberRequest::new),
                Map.entry(OpCode.getACL, GetACLRequest::new),
                Map.entry(OpCode.setData, znode -> new SetDataRequest(znode, Bench.bytes(user), -1)),
                Map.entry(OpCode.delete, znode -> new DeleteRequest(znode + "/child", -1)),
                Map.entry(OpCode.create, znode -> new CreateRequest(znode + "/child", null, Ids.OPEN_ACL_UNSAFE, 0)),
                Map.entry(
                        OpCode.multi,
                        znode -> MultiRequests.of(MultiRequests.check(znode, -1), MultiRequests.set(znode, -1))),
                Map.entry(
                        OpCode.multiRead,
                        znode -> MultiRequests.of(MultiRequests.getData(znode), MultiRequests.getChildren(znode))));
        return records.get(type).apply(path);
    }

    private void permissions(String user, String connection) {
        for (String name : PERMISSIONS.keySet()) {
            types().forEach((operation, type) -> script.step(
                    operation + " by " + user + " with " + name,
                    bench -> bench.wire(connection).ask(type, record(type, bench.root() + "/" + name, user))));
            script.step(
                    "setACL by " + user + " with " + name,
                    bench -> bench.wire(connection)
                            .ask(
                                    OpCode.setACL,
                                    new SetACLRequest(
                                            bench.root() + "/" + name,
                                            List.of(new ACL(PERMISSIONS.get(name), new Id("digest", "alice:hash"))),
                                            77)));
        }
    }

    private void whoAmI() {
        for (String connection : new String[] {"a-alice", "b-bob", "c-nobody", "b-super"}) {
            script.step("who is " + connection, bench -> bench.wire(connection).ask(OpCode.whoAmI));
        }
        auth("c-nobody", "digest", "one:secret");
        auth("c-nobody", "digest", "two:secret");
        script.step("who is two", bench -> bench.wire("c-nobody").ask(OpCode.whoAmI));
        script.step(
                "znode of two",
                bench -> bench.wire("c-nobody")
                        .ask(OpCode.create, new CreateRequest(bench.root() + "/two", null, Ids.CREATOR_ALL_ACL, 0)));
        script.step(
                "ACL of two",
                bench -> bench.wire("c-nobody").ask(OpCode.getACL, new GetACLRequest(bench.root() + "/two")));
    }

    private void rejectedAuthentication() {
        String[] schemes = {"digest", "ip", "x509", "sasl", "world", "auth", "super", "unknown", ""};
        for (String scheme : schemes) {
            String connection = "a-auth-" + scheme;
            auth(connection, scheme, scheme.equals("digest") ? "no colon" : "somebody");
            script.step(
                    "after authentication by " + scheme,
                    bench -> bench.wire(connection).ask(OpCode.whoAmI));
        }
        script.step(
                "sasl without configuration",
                bench -> bench.wire("b-sasl").ask(OpCode.sasl, new GetSASLRequest(new byte[] {1, 2, 3})));
        script.step("after sasl", bench -> bench.wire("b-sasl").ask(OpCode.whoAmI));
    }
}
