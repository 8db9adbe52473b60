package io.chainkeeper.clienttests.harness;

import io.chainkeeper.FreePorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.StatsTrack;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.cli.SetQuotaCommand;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;

/**
 * Makes the zip files of {@link OldData} with the stock servers of an old version; {@code zk-client-tests/old-data.sh}
 * runs it. Server 3 falls behind, a new epoch begins without it, and all are stopped at different times.
 */
public final class OldDataMaker {
    private static final int SERVERS = 3;
    private static final int ROUND = 60;
    private static final long TTL_MILLIS = 1_000_000_000L;
    private static final int LONG_SESSION_MILLIS = 40_000;
    private static final int SHORT_SESSION_MILLIS = 4_000;

    private final Path directory;
    private final Path work;
    private final List<StockServer> servers = new ArrayList<>();

    private OldDataMaker(String classPath, Path directory, Path work) throws IOException {
        this.directory = directory;
        this.work = work;
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 3 * SERVERS; i++) {
            ports.add(FreePorts.next());
        }
        for (int id = 1; id <= SERVERS; id++) {
            Path data = Files.createDirectories(directory.resolve("server-" + id));
            Path home = Files.createDirectories(work.resolve("server-" + id));
            Files.writeString(data.resolve("myid"), id + "\n");
            List<String> lines = new ArrayList<>(List.of(
                    "tickTime=500",
                    "initLimit=20",
                    "syncLimit=10",
                    "maxSessionTimeout=60000",
                    "snapCount=40",
                    "preAllocSize=64",
                    "dataDir=" + data,
                    "clientPort=" + ports.get(id - 1),
                    "clientPortAddress=127.0.0.1"));
            for (int other = 1; other <= SERVERS; other++) {
                lines.add("server." + other + "=127.0.0.1:" + ports.get(SERVERS + other - 1) + ":"
                        + ports.get(2 * SERVERS + other - 1));
            }
            Files.write(home.resolve("zoo.cfg"), lines);
            servers.add(new StockServer(classPath, home.resolve("zoo.cfg"), ports.get(id - 1)));
        }
    }

    /**
     * Makes one file.
     *
     * @param args class path of the old version, a directory to work in, the zip file
     */
    public static void main(String[] args) throws Exception {
        Path work = Files.createDirectories(Path.of(args[1])).toAbsolutePath();
        Path content = work.resolve("content");
        new OldDataMaker(args[0], content, work).make();
        OldData.pack(content, Path.of(args[2]));
    }

    private void make() throws Exception {
        for (StockServer server : servers) {
            server.start();
        }
        for (StockServer server : servers) {
            server.awaitServing();
        }
        int first = serverInMode("leader");
        int behind = first == 3 ? 2 : 3;
        int last = 6 - first - behind;
        ZooKeeper client = Clients.connect(servers.get(last - 1).connectString(), LONG_SESSION_MILLIS);
        everyKindOfNode(client);
        writes(client, "early");
        servers.get(behind - 1).close();
        writes(client, "middle");

        // A new epoch, without the one that is behind.
        servers.get(first - 1).close();
        servers.get(first - 1).start();
        servers.get(first - 1).awaitServing();
        servers.get(last - 1).awaitServing();
        writes(client, "late");
        ZooKeeper left = Clients.connect(servers.get(first - 1).connectString(), SHORT_SESSION_MILLIS);
        left.create("/left", new byte[1], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        TreeDump dump = TreeDump.of(servers.get(last - 1).address());
        Files.write(directory.resolve(OldData.EXPECTED), dump.lines());
        Files.write(
                directory.resolve(OldData.SESSION),
                List.of(
                        "0x" + Long.toHexString(client.getSessionId()),
                        Base64.getEncoder().encodeToString(client.getSessionPasswd())));
        for (StockServer server : servers) {
            server.close();
        }
        for (int id = 1; id <= SERVERS; id++) {
            Files.delete(directory.resolve("server-" + id + "/myid"));
        }
        System.out.println("Server " + behind + " is behind; files and logs of the servers: " + work);
        // The sessions stay open: nobody is left to close them at.
    }

    private int serverInMode(String mode) {
        for (int id = 1; id <= SERVERS; id++) {
            if (mode.equals(servers.get(id - 1).address().mode())) {
                return id;
            }
        }
        throw new AssertionError("no server is " + mode);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void everyKindOfNode(ZooKeeper client) throws Exception {
        client.create("/app", bytes("root"), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        SetQuotaCommand.createQuota(client, "/app", quota(10_000, 1_000_000));
        client.create("/limited", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        SetQuotaCommand.createQuota(client, "/limited", quota(2, -1));
        client.create("/limited/one", bytes("1"), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);

        client.create("/acl", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        List<ACL> mixed = Arrays.asList(
                new ACL(Perms.ALL, new Id("digest", "bob:+7K83PhyQ3ijGj0ADmljf0quVwQ=")),
                new ACL(Perms.READ | Perms.ADMIN, Ids.ANYONE_ID_UNSAFE),
                new ACL(Perms.CREATE, new Id("ip", "10.0.0.0/8")));
        client.create("/acl/mixed", bytes("secret"), mixed, CreateMode.PERSISTENT);
        client.create("/acl/readable", null, Ids.READ_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.create("/acl/changed", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.setACL("/acl/changed", mixed, 0);

        client.create("/container", null, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
        client.create("/container/child", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        Stat created = new Stat();
        client.create("/ttl", bytes("ttl"), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, created, TTL_MILLIS);
        client.create("/sequence-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);
        client.create("/ephemeral", bytes("mine"), Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        client.create("/app/ephemeral-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
    }

    private static StatsTrack quota(int count, long bytes) {
        StatsTrack quota = new StatsTrack();
        quota.setCount(count);
        quota.setBytes(bytes);
        return quota;
    }

    /** More than one snapshot's worth of creates, changes, deletions, multis and errors. */
    private static void writes(ZooKeeper client, String phase) throws Exception {
        String parent = "/app/" + phase;
        client.create(parent, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        for (int i = 0; i < ROUND; i++) {
            String path = parent + "/node-" + i;
            client.create(path, bytes(phase + i), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            if (i % 3 == 0) {
                client.setData(path, bytes(phase + "-changed-" + i), 0);
            }
            if (i % 5 == 4) {
                client.delete(path, -1);
            }
        }
        client.multi(List.of(
                Op.create(parent + "/multi", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                Op.setData("/app", bytes(phase), -1),
                Op.delete(parent + "/node-0", 1)));
        try {
            client.setData(parent + "/multi", null, 77);
            throw new AssertionError("version 77 must be refused");
        } catch (KeeperException.BadVersionException expected) {
            // Takes a zxid all the same.
        }
    }
}
