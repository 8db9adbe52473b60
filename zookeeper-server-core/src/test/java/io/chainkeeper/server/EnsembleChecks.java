package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.ZKDatabase;

/** Comparisons of whole replicas. */
public final class EnsembleChecks {
    private EnsembleChecks() {}

    /** Tree, sessions and zxid of all replicas are the same, once all have executed everything. */
    public static void assertReplicasEqual(TestEnsemble ensemble, int replicas) throws Exception {
        List<String> states = statesOfOnePosition(ensemble, replicas);
        for (String state : states) {
            assertEquals(states.get(0), state);
        }
    }

    /** The order may go on by itself: the session of a client that has just gone ends, between two replicas' states. */
    private static List<String> statesOfOnePosition(TestEnsemble ensemble, int replicas) throws Exception {
        while (true) {
            long position = ensemble.order().lastPosition();
            ensemble.awaitEqualPositions();
            List<String> states = states(ensemble, replicas, position);
            if (ensemble.order().lastPosition() == position) {
                return states;
            }
        }
    }

    private static List<String> states(TestEnsemble ensemble, int replicas, long position) throws Exception {
        List<String> states = new ArrayList<>();
        try {
            for (int id = 1; id <= replicas; id++) {
                if (ensemble.replica(id) != null) {
                    states.add(state(ensemble.server(id).getZKDatabase()));
                }
            }
        } catch (NoNodeException e) {
            // A node that goes while the tree is read is one more sign that the order has gone on.
            if (ensemble.order().lastPosition() == position) {
                throw e;
            }
        }
        return states;
    }

    /** Everything that must be equal, as text. */
    public static String state(ZKDatabase database) throws Exception {
        DataTree tree = database.getDataTree();
        StringBuilder text = new StringBuilder();
        text.append("zxid ").append(Long.toHexString(tree.lastProcessedZxid));
        text.append(" digest ").append(tree.getTreeDigest()).append('\n');
        text.append("sessions ")
                .append(new TreeMap<>(database.getSessionWithTimeOuts()))
                .append('\n');
        append(tree, "", text);
        return text.toString();
    }

    private static void append(DataTree tree, String path, StringBuilder text) throws Exception {
        String name = path.isEmpty() ? "/" : path;
        Stat stat = new Stat();
        byte[] data = tree.getData(name, stat, null);
        text.append(name).append(' ').append(stat.toString().trim().replace('\n', ' '));
        text.append(' ').append(data == null ? "null" : Arrays.hashCode(data));
        text.append(' ').append(tree.getACL(name, null)).append('\n');
        for (String child : new TreeSet<>(tree.getChildren(name, null, null))) {
            append(tree, path + "/" + child, text);
        }
    }
}
