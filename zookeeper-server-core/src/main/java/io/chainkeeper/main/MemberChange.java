package io.chainkeeper.main;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.data.Stat;

/** A session of the super user at a running ensemble, to change its members. For one thread. */
final class MemberChange implements AutoCloseable {
    private static final int SESSION_TIMEOUT_MILLIS = 10_000;
    private static final int CONNECT_SECONDS = 20;
    private static final String SERVER = "server.";

    private final ZooKeeperAdmin admin;

    /**
     * Connects.
     *
     * @param servers where, as a ZooKeeper client takes it
     * @param password of user {@code super}
     * @throws IOException if no server lets clients in within twenty seconds
     */
    MemberChange(String servers, String password) throws IOException, InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        admin = new ZooKeeperAdmin(servers, SESSION_TIMEOUT_MILLIS, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        if (!connected.await(CONNECT_SECONDS, TimeUnit.SECONDS)) {
            admin.close();
            throw new IOException("no server at " + servers + " lets clients in");
        }
        admin.addAuthInfo("digest", ("super:" + password).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns the configured servers, by id, each as what stands behind {@code server.ID=}.
     *
     * @throws IOException if they cannot be read now
     */
    SortedMap<Integer, String> members() throws IOException, InterruptedException {
        try {
            // answered in order, so the read sees every change that was answered before
            admin.sync(ZooDefs.CONFIG_NODE, (code, path, context) -> {}, null);
            String text = new String(admin.getConfig(false, new Stat()), StandardCharsets.UTF_8);
            SortedMap<Integer, String> members = new TreeMap<>();
            for (String line : text.split("\n")) {
                int equals = line.indexOf('=');
                if (line.startsWith(SERVER) && equals > 0) {
                    members.put(
                            Integer.parseInt(line.substring(SERVER.length(), equals)),
                            line.substring(equals + 1).trim());
                }
            }
            return members;
        } catch (KeeperException e) {
            throw new IOException("the configuration cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Adds and removes servers, and returns when that is done.
     *
     * @param joining a line {@code server.ID=...}, or null
     * @param leaving ids with commas between them, or null
     * @throws IOException if the ensemble refuses; whether trying again helps is for the caller
     */
    void change(String joining, String leaving) throws IOException, InterruptedException {
        try {
            admin.reconfigure(joining, leaving, null, -1, new Stat());
        } catch (KeeperException e) {
            throw new IOException(reason(e), e);
        }
    }

    private static String reason(KeeperException e) {
        return switch (e.code()) {
            case RECONFIGINPROGRESS -> "another change of the members is under way";
            case NEWCONFIGNOQUORUM -> "the server to be added is not linked yet, or no majority would be left";
            case NOAUTH -> "the password is not that of the ensemble's super user";
            case RECONFIGDISABLED -> "the server that was asked has no reconfigEnabled=true";
            default -> "the change was not answered: " + e.getMessage();
        };
    }

    @Override
    public void close() throws InterruptedException {
        admin.close();
    }
}
