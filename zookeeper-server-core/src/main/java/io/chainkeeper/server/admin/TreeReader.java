package io.chainkeeper.server.admin;

import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.guard.ExecutionLock;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.Semaphore;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.DataNode;

/**
 * Looks at znodes of this server's own tree, with the rights that ZooKeeper's clients have: who may not read a znode
 * learns its stat only. What is shown of one is bounded. Safe for use by any thread.
 */
final class TreeReader {
    /** Children that are shown at once. */
    static final int MOST_CHILDREN = 200;

    /** Bytes of data that are shown. */
    static final int MOST_BYTES = 64 << 10;

    /** Looks that may be under way: each holds the names of all children for a moment. */
    private static final int MOST_LOOKS = 2;

    private static final String PERMISSIONS = "rwcda";
    private static final List<String> SECRET_SCHEMES = List.of("digest");

    private final OrderedZooKeeperServer server;
    private final ExecutionLock lock;
    private final Semaphore looks = new Semaphore(MOST_LOOKS);

    /** Not now. */
    static final class BusyException extends Exception {
        private static final long serialVersionUID = 1L;

        BusyException(String reason) {
            super(reason);
        }
    }

    /**
     * @param server whose tree is looked at
     * @param lock keeps execution away meanwhile
     */
    TreeReader(OrderedZooKeeperServer server, ExecutionLock lock) {
        this.server = server;
        this.lock = lock;
    }

    /**
     * Looks at a znode.
     *
     * @param path a valid path
     * @param from the first child that is wanted, in the order of names; empty for the first of all
     * @param ids who looks
     * @return what there is to show, null if there is no such znode
     * @throws BusyException if this server cannot show it at the moment, with one line that says why
     */
    Map<String, Object> look(String path, String from, List<Id> ids) throws BusyException {
        if (!server.isServing()) {
            throw new BusyException("this server serves no clients at the moment, so its tree may be an old one");
        }
        if (!looks.tryAcquire()) {
            throw new BusyException("others look at the tree of this server at the moment; try again");
        }
        try {
            Look look = new Look(path, ids);
            lock.read(look::take);
            return look.node == null ? null : look.shown(from);
        } catch (ReplicaStoppedException e) {
            throw new BusyException("this server is being stopped");
        } finally {
            looks.release();
        }
    }

    /** One look: {@link #take} copies what {@link #shown} sorts out afterwards, when execution goes on. */
    private final class Look {
        private final String path;
        private final List<Id> ids;
        private DataNode node;
        private long zxid;
        private final Stat stat = new Stat();
        private List<ACL> acl;
        private boolean mayRead;
        private boolean mayAdminister;
        private byte[] data;
        private String[] children;

        Look(String path, List<Id> ids) {
            this.path = path;
            this.ids = ids;
        }

        void take() {
            node = server.getZKDatabase().getNode(path);
            if (node == null) {
                return;
            }
            zxid = server.getZKDatabase().getDataTreeLastProcessedZxid();
            node.copyStat(stat);
            acl = server.getZKDatabase().aclForNode(node);
            mayRead = may(Perms.READ);
            mayAdminister = may(Perms.ADMIN);
            if (mayRead) {
                data = node.getData();
                children = node.getChildren().toArray(new String[0]);
            }
        }

        private boolean may(int permission) {
            try {
                server.checkACL(null, acl, permission, ids, path, null);
                return true;
            } catch (NoAuthException e) {
                return false;
            }
        }

        Map<String, Object> shown(String from) {
            Map<String, Object> shown = new LinkedHashMap<>();
            shown.put("path", path);
            shown.put("seen_zxid", hex(zxid));
            shown.put("stat", TreeReader.shown(stat));
            shown.put("may_read", mayRead);
            shown.put("acl", mayRead || mayAdminister ? entries() : null);
            if (mayRead) {
                putChildren(shown, from);
                byte[] first = data == null ? null : Arrays.copyOf(data, Math.min(MOST_BYTES, data.length));
                shown.put("data", first);
            }
            return shown;
        }

        private void putChildren(Map<String, Object> shown, String from) {
            List<String> first = smallest(Arrays.asList(children), from, MOST_CHILDREN + 1);
            boolean isMore = first.size() > MOST_CHILDREN;
            shown.put("children", isMore ? first.subList(0, MOST_CHILDREN) : first);
            shown.put("next", isMore ? first.get(MOST_CHILDREN) : null);
        }

        /** Who may not change a list does not see the hashes of passwords in it either, as with ZooKeeper. */
        private List<Map<String, Object>> entries() {
            List<Map<String, Object>> entries = new ArrayList<>();
            for (ACL entry : acl == null ? List.<ACL>of() : acl) {
                Map<String, Object> shown = new LinkedHashMap<>();
                String id = entry.getId().getId();
                boolean isSecret =
                        !mayAdminister && SECRET_SCHEMES.contains(entry.getId().getScheme());
                shown.put("scheme", entry.getId().getScheme());
                shown.put("id", isSecret ? id.replaceAll(":.*", ":x") : id);
                shown.put("permissions", permissions(entry.getPerms()));
                entries.add(shown);
            }
            return entries;
        }
    }

    /** The smallest of many names that are not below a given one, in order; needs room for so many only. */
    static List<String> smallest(Collection<String> names, String from, int most) {
        PriorityQueue<String> kept = new PriorityQueue<>(most, Collections.reverseOrder());
        for (String name : names) {
            if (name.compareTo(from) < 0 || kept.size() == most && name.compareTo(kept.peek()) >= 0) {
                continue;
            }
            if (kept.size() == most) {
                kept.poll();
            }
            kept.add(name);
        }
        List<String> sorted = new ArrayList<>(kept);
        Collections.sort(sorted);
        return sorted;
    }

    private static String permissions(int bits) {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < PERMISSIONS.length(); i++) {
            if ((bits & 1 << i) != 0) {
                letters.append(PERMISSIONS.charAt(i));
            }
        }
        return letters.toString();
    }

    private static Map<String, Object> shown(Stat stat) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("czxid", hex(stat.getCzxid()));
        shown.put("ctime_millis", stat.getCtime());
        shown.put("mzxid", hex(stat.getMzxid()));
        shown.put("mtime_millis", stat.getMtime());
        shown.put("pzxid", hex(stat.getPzxid()));
        shown.put("version", stat.getVersion());
        shown.put("cversion", stat.getCversion());
        shown.put("aversion", stat.getAversion());
        shown.put("ephemeral_owner", hex(stat.getEphemeralOwner()));
        shown.put("data_length", stat.getDataLength());
        shown.put("num_children", stat.getNumChildren());
        return shown;
    }

    private static String hex(long number) {
        return "0x" + Long.toHexString(number);
    }
}
