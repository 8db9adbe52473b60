package io.chainkeeper.server;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.jute.InputArchive;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Quotas;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;

/**
 * ZooKeeper's tree, which does not cut the path of each write into its parts to look for a quota as long as there are
 * none. Same threads as ZooKeeper's.
 */
final class OrderedDataTree extends DataTree {
    private static final String BELOW_ZOOKEEPER = Quotas.procZookeeper + "/";
    private static final Set<String> ALWAYS_THERE = Set.of("quota", "config");

    /** Whether a quota has been set since it was last certain that there is none. */
    private volatile boolean quotasMayExist;

    @Override
    public String getMaxPrefixWithQuota(String path) {
        return quotasMayExist ? super.getMaxPrefixWithQuota(path) : null;
    }

    @Override
    public void createNode(
            String path,
            byte[] data,
            List<ACL> acl,
            long ephemeralOwner,
            int parentCVersion,
            long zxid,
            long time,
            Stat outputStat)
            throws KeeperException.NoNodeException, KeeperException.NodeExistsException {
        if (path.startsWith(BELOW_ZOOKEEPER)) {
            quotasMayExist = true;
        }
        super.createNode(path, data, acl, ephemeralOwner, parentCVersion, zxid, time, outputStat);
    }

    @Override
    public void deserialize(InputArchive archive, String tag) throws IOException {
        quotasMayExist = true;
        super.deserialize(archive, tag);
        quotasMayExist = !hasOnly(Quotas.procZookeeper, ALWAYS_THERE) || !hasOnly(Quotas.quotaZookeeper, Set.of());
    }

    private boolean hasOnly(String path, Set<String> children) {
        DataNode node = getNode(path);
        return node != null && children.containsAll(node.getChildren());
    }
}
