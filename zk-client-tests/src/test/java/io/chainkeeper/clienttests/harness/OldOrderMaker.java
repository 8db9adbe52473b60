package io.chainkeeper.clienttests.harness;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * Makes the files of {@link OldData#unpackOrder} with server processes of the release that system property {@code
 * ensemble.home} names; {@code zk-client-tests/old-order.sh} runs it. Server 3 falls behind and is killed, server 1 is
 * killed, server 2 is stopped.
 */
public final class OldOrderMaker {
    private static final int SESSION_MILLIS = 40_000;
    private static final int ROUND = 150;

    private OldOrderMaker() {}

    /**
     * Makes one file.
     *
     * @param args protocol, an empty directory to work in, the zip file
     */
    public static void main(String[] args) throws Exception {
        Path content = Path.of(args[1]).toAbsolutePath();
        try (Ensemble ensemble = Ensemble.named("old-order-" + args[0])
                .set("ordering.protocol", args[0])
                .set("maxSessionTimeout", "60000")
                .build()) {
            make(ensemble, content);
        }
        OldData.pack(content, Path.of(args[2]));
    }

    private static void make(Ensemble ensemble, Path content) throws Exception {
        ensemble.start();
        ZooKeeper client = Clients.connect(ensemble.server(2).connectString(), SESSION_MILLIS);
        client.create("/ephemeral", bytes("mine"), Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        client.create("/acl", bytes("read"), Ids.READ_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/container", null, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
        client.create("/container/child", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        writes(client, "early");
        ensemble.server(3).kill();
        writes(client, "late");
        Files.createDirectories(content);
        Files.write(
                content.resolve(OldData.EXPECTED),
                TreeDump.of(ensemble.server(1)).lines());
        Files.write(
                content.resolve(OldData.SESSION),
                List.of(
                        "0x" + Long.toHexString(client.getSessionId()),
                        Base64.getEncoder().encodeToString(client.getSessionPasswd())));
        ensemble.server(1).kill();
        ensemble.server(2).terminate();
        for (ServerProcess server : ensemble.servers()) {
            copy(OldData.dataDirectory(ensemble, server.id()), content.resolve("server-" + server.id()));
        }
        // The session stays open: nobody is left to close it at.
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Some of it reaches checkpoints, the end only the logs. */
    private static void writes(ZooKeeper client, String phase) throws Exception {
        client.create("/" + phase, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        for (int i = 0; i < ROUND; i++) {
            String path = "/" + phase + "/" + i;
            client.create(path, new byte[i], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            if (i % 3 == 0) {
                client.multi(List.of(Op.setData(path, bytes(phase + i), 0), Op.check("/" + phase, -1)));
            }
            if (i % 5 == 4) {
                client.delete(path, -1);
            }
        }
    }

    private static void copy(Path from, Path to) throws Exception {
        try (Stream<Path> found = Files.walk(from)) {
            for (Path path : found.filter(Files::isRegularFile).toList()) {
                String name = from.relativize(path).toString();
                if (!name.equals("myid") && !name.endsWith(".pid")) {
                    Files.createDirectories(to.resolve(name).getParent());
                    Files.copy(path, to.resolve(name));
                }
            }
        }
    }
}
