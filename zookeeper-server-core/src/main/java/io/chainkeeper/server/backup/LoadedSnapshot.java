package io.chainkeeper.server.backup;

import java.io.IOException;
import java.util.Map;
import java.util.zip.CheckedInputStream;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.InputArchive;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.apache.zookeeper.server.persistence.SnapStream;

/** Reads ZooKeeper's snapshots, checksums compared. Stateless. */
public final class LoadedSnapshot {
    private LoadedSnapshot() {}

    /**
     * Fills a tree.
     *
     * @param in the snapshot, not compressed
     * @param zxid that its file is named after; 0 if unknown
     * @param tree empty
     * @param sessions empty
     * @throws IOException if it is damaged, or no snapshot
     */
    public static void read(CheckedInputStream in, long zxid, DataTree tree, Map<Long, Integer> sessions)
            throws IOException {
        InputArchive archive = BinaryInputArchive.getArchive(in);
        FileSnap.deserialize(tree, sessions, archive);
        SnapStream.checkSealIntegrity(in, archive);
        if (tree.deserializeZxidDigest(archive, zxid)) {
            SnapStream.checkSealIntegrity(in, archive);
        }
        if (tree.deserializeLastProcessedZxid(archive)) {
            SnapStream.checkSealIntegrity(in, archive);
        }
    }
}
