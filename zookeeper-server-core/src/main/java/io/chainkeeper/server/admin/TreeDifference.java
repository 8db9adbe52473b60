package io.chainkeeper.server.admin;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Quotas;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.EphemeralType;

/**
 * The operations that make one tree like another: paths, data, access lists, kinds of nodes with the time that they
 * live, and names that sequence nodes may not get again. What is there and of another kind is deleted only; the next
 * comparison creates it. What belongs to sessions stays as it is in the present: ephemeral nodes live as long as
 * their sessions, and those of the past do not come back. The configuration and the numbers that quotas count are left
 * out. Used by one thread; the present tree may change meanwhile.
 */
final class TreeDifference {
    /** Never a name of a sequence node. */
    private static final String PASSING_NODE = "restored-in-passing";

    private final DataTree present;
    private final DataTree wanted;
    private final List<Op> deletions = new ArrayList<>();
    private final List<Op> additions = new ArrayList<>();
    private final List<Access> accesses = new ArrayList<>();
    private final List<Passing> passing = new ArrayList<>();

    /** An access list that a node is to have; clients cannot set it in a multi. */
    record Access(String path, List<ACL> acl) {}

    /** A node that is to be created and deleted again, so many times: each time its parent counts one child more. */
    record Passing(String path, long times) {}

    private TreeDifference(DataTree present, DataTree wanted) {
        this.present = present;
        this.wanted = wanted;
    }

    /**
     * @param present to be made like {@code wanted}
     * @param wanted stays as it is
     * @return what differs
     */
    static TreeDifference between(DataTree present, DataTree wanted) {
        TreeDifference difference = new TreeDifference(present, wanted);
        difference.compare();
        return difference;
    }

    /** In the order in which they have to be executed, before {@link #accesses}. */
    List<Op> operations() {
        List<Op> operations = new ArrayList<>(deletions);
        operations.addAll(additions);
        return operations;
    }

    List<Access> accesses() {
        return accesses;
    }

    /** Nodes by which sequence nodes do not get names that the past had. */
    List<Passing> passing() {
        return passing;
    }

    boolean isEmpty() {
        return deletions.isEmpty() && additions.isEmpty() && accesses.isEmpty() && passing.isEmpty();
    }

    private void compare() {
        Deque<String> paths = new ArrayDeque<>(List.of("/"));
        while (!paths.isEmpty()) {
            String path = paths.remove();
            DataNode then = wanted.getNode(path);
            DataNode now = present.getNode(path);
            if (now != null && !areOfOneKind(now, then)) {
                // No request changes a kind. It goes with all below it, which the next comparison finds missing.
                delete(path, now);
                continue;
            }
            Set<String> children = persistentChildren(wanted, path, then);
            if (now == null) {
                create(path, then);
            } else {
                change(path, now, then);
                deleteSurplus(path, now, children);
                keepCount(path, now, then, children);
            }
            children.forEach(child -> paths.add(below(path, child)));
        }
    }

    private static String below(String path, String child) {
        return path.equals("/") ? "/" + child : path + "/" + child;
    }

    private static EphemeralType kind(DataNode node) {
        return EphemeralType.get(node.stat.getEphemeralOwner());
    }

    private static boolean areOfOneKind(DataNode one, DataNode other) {
        EphemeralType kind = kind(one);
        return kind == kind(other)
                && kind.getValue(one.stat.getEphemeralOwner()) == kind.getValue(other.stat.getEphemeralOwner());
    }

    private static Set<String> children(DataNode node) {
        synchronized (node) {
            return new HashSet<>(node.getChildren());
        }
    }

    private static Set<String> persistentChildren(DataTree tree, String path, DataNode node) {
        Set<String> children = children(node);
        children.removeIf(child -> {
            String its = below(path, child);
            DataNode found = tree.getNode(its);
            return its.equals(ZooDefs.CONFIG_NODE) || found == null || kind(found) == EphemeralType.NORMAL;
        });
        return children;
    }

    private void create(String path, DataNode then) {
        byte[] data = then.getData();
        List<ACL> acl = acl(wanted, then);
        long owner = then.stat.getEphemeralOwner();
        additions.add(
                switch (kind(then)) {
                    case CONTAINER -> Op.create(path, data, acl, CreateMode.CONTAINER);
                    case TTL ->
                        Op.create(path, data, acl, CreateMode.PERSISTENT_WITH_TTL, EphemeralType.TTL.getValue(owner));
                    default -> Op.create(path, data, acl, CreateMode.PERSISTENT);
                });
    }

    private static List<ACL> acl(DataTree tree, DataNode node) {
        List<ACL> acl = tree.getACL(node);
        return acl == null || acl.isEmpty() ? Ids.OPEN_ACL_UNSAFE : acl;
    }

    private void change(String path, DataNode now, DataNode then) {
        boolean counts = path.endsWith("/" + Quotas.statNode);
        if (!counts && !Arrays.equals(now.getData(), then.getData())) {
            additions.add(Op.setData(path, then.getData(), -1));
        }
        if (!new HashSet<>(acl(present, now)).equals(new HashSet<>(acl(wanted, then)))) {
            accesses.add(new Access(path, acl(wanted, then)));
        }
    }

    private void deleteSurplus(String path, DataNode now, Set<String> wantedChildren) {
        for (String child : children(now)) {
            String its = below(path, child);
            DataNode node = present.getNode(its);
            boolean stays = wantedChildren.contains(child) || its.equals(ZooDefs.CONFIG_NODE);
            if (node != null && !stays && kind(node) != EphemeralType.NORMAL) {
                delete(its, node);
            }
        }
    }

    private void delete(String top, DataNode topNode) {
        Deque<String> open = new ArrayDeque<>(List.of(top));
        List<String> found = new ArrayList<>();
        while (!open.isEmpty()) {
            String path = open.remove();
            found.add(path);
            DataNode node = path.equals(top) ? topNode : present.getNode(path);
            if (node != null) {
                children(node).forEach(child -> open.add(below(path, child)));
            }
        }
        for (int i = found.size() - 1; i >= 0; i--) {
            deletions.add(Op.delete(found.get(i), -1));
        }
    }

    /** The next sequence node is named after how many children there have ever been; counted when all are there. */
    private void keepCount(String path, DataNode now, DataNode then, Set<String> wantedChildren) {
        long missing = (long) then.stat.getCversion() - now.stat.getCversion();
        if (missing > 0 && wantedChildren.stream().allMatch(child -> stays(below(path, child)))) {
            passing.add(new Passing(below(path, PASSING_NODE), missing));
        }
    }

    private boolean stays(String path) {
        DataNode now = present.getNode(path);
        return now != null && areOfOneKind(now, wanted.getNode(path));
    }
}
