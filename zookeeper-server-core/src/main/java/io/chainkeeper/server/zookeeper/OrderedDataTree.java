package io.chainkeeper.server.zookeeper;

import io.chainkeeper.server.guard.NumberEnds;
import io.chainkeeper.server.storage.FuzzyReplay;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.InputArchive;
import org.apache.jute.OutputArchive;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Quotas;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ZooKeeper's tree, which does not cut the path of each write into its parts to look for a quota as long as there are
 * none, and reads snapshots with and without a digest. Same threads as ZooKeeper's.
 */
final class OrderedDataTree extends DataTree implements FuzzyReplay.Loaded {
    private static final String BELOW_ZOOKEEPER = Quotas.procZookeeper + "/";
    private static final Logger LOG = LoggerFactory.getLogger(OrderedDataTree.class);
    private static final String SEAL = "/";

    /** Digests of earlier ones are hexadecimal texts. */
    private static final int FIRST_VERSION_OF_NUMBERS = 2;

    private static final Set<String> ALWAYS_THERE = Set.of("quota", "config");

    /** Read before ZooKeeper's constructor has ended: it creates its own znodes. */
    private NumberEnds ends;

    /** Whether a quota has been set since it was last certain that there is none. */
    private volatile boolean quotasMayExist;

    private List<String> withoutAcl = List.of();

    /** Of the snapshot that is being read: its last section was found where the digest is looked for. */
    private boolean zxidWasRead;

    /** An empty tree, with ZooKeeper's own znodes. */
    OrderedDataTree() {
        ends();
    }

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
        ends().childCreated(path, parentCVersion, zxid);
    }

    @Override
    public Stat setData(String path, byte[] data, int version, long zxid, long time)
            throws KeeperException.NoNodeException {
        Stat stat = super.setData(path, data, version, zxid, time);
        ends().dataSet(path, version);
        return stat;
    }

    @Override
    public void deleteNode(String path, long zxid) throws KeeperException.NoNodeException {
        super.deleteNode(path, zxid);
        ends().deleted(path);
    }

    /** Numbers of this tree that end. */
    NumberEnds ends() {
        if (ends == null) {
            ends = new NumberEnds();
        }
        return ends;
    }

    @Override
    public List<String> withoutAcl() {
        return withoutAcl;
    }

    @Override
    public void deserialize(InputArchive archive, String tag) throws IOException {
        quotasMayExist = true;
        ends().clear();
        withoutAcl = new ArrayList<>();
        NodeArchive.Visitor visitor = (path, node, hasAcl) -> {
            ends().read(path, node.stat.getCversion(), node.stat.getVersion());
            if (!hasAcl) {
                withoutAcl.add(path);
            }
        };
        super.deserialize(new NodeArchive(archive, visitor), tag);
        quotasMayExist = !hasOnly(Quotas.procZookeeper, ALWAYS_THERE) || !hasOnly(Quotas.quotaZookeeper, Set.of());
    }

    /**
     * Goes by what the snapshot holds: behind the tree may stand the digest, then the last zxid, each sealed;
     * a server with {@code digest.enabled=false} has left out the former. What follows the first number is a digest's
     * version or the upper half of a seal, which is 0 because a checksum has four bytes.
     */
    @Override
    public boolean deserializeZxidDigest(InputArchive archive, long snapshotZxid) throws IOException {
        zxidWasRead = false;
        ByteArrayOutputStream section = new ByteArrayOutputStream();
        try {
            OutputArchive copy = BinaryOutputArchive.getArchive(section);
            copy.writeLong(archive.readLong("zxid"), "zxid");
            int version = archive.readInt("digestVersion");
            if (version == 0) {
                readSealOfZxid(archive);
                return false;
            }
            copy.writeInt(version, "digestVersion");
            if (version < FIRST_VERSION_OF_NUMBERS) {
                copy.writeString(archive.readString("digest"), "digest");
            } else {
                copy.writeLong(archive.readLong("digest"), "digest");
            }
        } catch (EOFException e) {
            LOG.debug("A snapshot of an older release ends behind its tree", e);
        }
        return super.deserializeZxidDigest(
                BinaryInputArchive.getArchive(new ByteArrayInputStream(section.toByteArray())), snapshotZxid);
    }

    /** The zxid itself says nothing that the snapshot's name does not; nobody looks at it. */
    private void readSealOfZxid(InputArchive archive) throws IOException {
        archive.readInt("val");
        String end = archive.readString("path");
        if (!SEAL.equals(end)) {
            throw new IOException("the snapshot ends with " + end + " instead of a seal: it is damaged");
        }
        zxidWasRead = true;
        LOG.info("The snapshot was written without digests (digest.enabled=false)");
    }

    @Override
    public boolean deserializeLastProcessedZxid(InputArchive archive) throws IOException {
        return !zxidWasRead && super.deserializeLastProcessedZxid(archive);
    }

    private boolean hasOnly(String path, Set<String> children) {
        DataNode node = getNode(path);
        return node != null && children.containsAll(node.getChildren());
    }
}
