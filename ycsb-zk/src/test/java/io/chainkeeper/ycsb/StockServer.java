package io.chainkeeper.ycsb;

import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.rules.ExternalResource;
import org.junit.rules.TemporaryFolder;

/** One Apache ZooKeeper server in this process: the binding is a client and cares only for the wire protocol. */
final class StockServer extends ExternalResource {
    private final TemporaryFolder folder = new TemporaryFolder();
    private NIOServerCnxnFactory connections;

    @Override
    protected void before() throws Throwable {
        folder.create();
        File data = folder.newFolder();
        connections = new NIOServerCnxnFactory();
        connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        connections.startup(new ZooKeeperServer(data, data, 2_000));
    }

    @Override
    protected void after() {
        connections.shutdown();
        folder.delete();
    }

    /** @return connect string without chroot */
    String address() {
        return "127.0.0.1:" + connections.getLocalPort();
    }

    /** @return connect string with a chroot that was made by this call */
    String chroot(String name) throws Exception {
        try (ZooKeeper client = new ZooKeeper(address(), 30_000, event -> {})) {
            client.create("/" + name, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        return address() + "/" + name;
    }

    /** @return data of a znode as text */
    String data(String path) throws Exception {
        try (ZooKeeper client = new ZooKeeper(address(), 30_000, event -> {})) {
            return new String(client.getData(path, false, null), java.nio.charset.StandardCharsets.UTF_8);
        }
    }
}
