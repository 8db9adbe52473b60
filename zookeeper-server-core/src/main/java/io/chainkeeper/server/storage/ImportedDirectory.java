package io.chainkeeper.server.storage;

import io.chainkeeper.command.ImportedState;
import io.chainkeeper.command.ImportedState.Kind;
import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.server.state.Zxids;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.Quotas;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.ZKDatabase;

/**
 * What a data directory held before this replica first started in it. ZooKeeper's own files stay as they are, until the
 * new cluster has written its own: whatever has to be noted goes into the ordering directory.
 */
public final class ImportedDirectory {
    /** File in the ordering directory: the epoch of the old ensemble; its absence means that nothing is known yet. */
    static final String EPOCH_FILE = "former-epoch";

    private static final String CURRENT_EPOCH = "currentEpoch";
    private static final String EPOCH_KEY = "epoch=";
    private static final String NO_EPOCH = "none";
    private static final String UNCUT_DIRECTORY = "uncut";

    private final Path orderingDirectory;
    private final LoggedFiles files;

    /**
     * @param orderingDirectory see {@link io.chainkeeper.config.OrderingConfig#orderingDirectory()}; exists
     * @param files ZooKeeper's files
     */
    public ImportedDirectory(Path orderingDirectory, LoggedFiles files) {
        this.orderingDirectory = orderingDirectory;
        this.files = files;
    }

    /**
     * Before ZooKeeper's classes load their files, which creates those that are missing: notes the epoch, and keeps a
     * copy of a log whose torn end is going to be cut.
     *
     * @throws IOException if a file cannot be read or written; the message names it
     */
    void note() throws IOException {
        Path noted = orderingDirectory.resolve(EPOCH_FILE);
        if (!Files.exists(noted)) {
            Path current = files.snapshotDirectory().resolve(CURRENT_EPOCH);
            String epoch = Files.exists(current) ? Long.toString(number(current, "")) : NO_EPOCH;
            AtomicFile.write(noted, (EPOCH_KEY + epoch + "\n").getBytes(StandardCharsets.UTF_8));
        }
        for (Path log : DataFiles.logs(files.logDirectory(), 0)) {
            if (TxnLogTail.isTorn(log)) {
                Path copies = Files.createDirectories(orderingDirectory.resolve(UNCUT_DIRECTORY));
                Files.copy(
                        log,
                        copies.resolve(log.getFileName()),
                        StandardCopyOption.REPLACE_EXISTING,
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    /**
     * Lets the data of a server that is to be moved in anew keep where it comes from. What a cluster of ours has left
     * is one history: its epoch is that of its last transaction, whatever ZooKeeper's files beside it say.
     *
     * @param from the ordering directory that it had
     * @param formed whether the data is a cluster's, or that of which an earlier start has noted the epoch
     * @param to its next ordering directory; exists
     * @throws IOException if a file cannot be read or written
     */
    public static void carryOver(Path from, boolean formed, Path to) throws IOException {
        Path noted = from.resolve(EPOCH_FILE);
        if (formed) {
            AtomicFile.write(to.resolve(EPOCH_FILE), (EPOCH_KEY + "0\n").getBytes(StandardCharsets.UTF_8));
        } else if (Files.exists(noted)) {
            AtomicFile.write(to.resolve(EPOCH_FILE), Files.readAllBytes(noted));
        }
    }

    private static long number(Path file, String prefix) throws IOException {
        String text = Files.readString(file, StandardCharsets.UTF_8).trim();
        if (!text.startsWith(prefix) || !text.substring(prefix.length()).matches("\\d{1,18}")) {
            throw new IOException(file + " is damaged: it must hold the number of an epoch");
        }
        return Long.parseLong(text.substring(prefix.length()));
    }

    /**
     * After the files have been loaded.
     *
     * @param database the loaded tree
     * @return what the directory held
     * @throws IOException if the noted epoch cannot be read; the message names the file
     */
    public ImportedState state(ZKDatabase database) throws IOException {
        long zxid = database.getDataTreeLastProcessedZxid();
        if (zxid == 0) {
            return ImportedState.EMPTY;
        }
        Path noted = orderingDirectory.resolve(EPOCH_FILE);
        boolean standalone = !Files.exists(noted) || Files.readString(noted).equals(EPOCH_KEY + NO_EPOCH + "\n");
        long epoch = standalone ? 0 : Math.max(number(noted, EPOCH_KEY), Zxids.epoch(zxid));
        return new ImportedState(standalone ? Kind.STANDALONE : Kind.MEMBER, epoch, zxid, digest(database));
    }

    /**
     * Digest of all znodes with their ACLs, and of all sessions; in no particular order. What every server writes for
     * itself does not count: its configuration, and how much of a quota is used.
     */
    private static long digest(ZKDatabase database) throws IOException {
        DataTree tree = database.getDataTree();
        long digest = 0;
        Deque<String> paths = new ArrayDeque<>();
        paths.add("");
        while (!paths.isEmpty()) {
            String path = paths.remove();
            DataNode node = tree.getNode(path);
            if (!path.equals(ZooDefs.CONFIG_NODE) && !path.endsWith("/" + Quotas.statNode)) {
                digest += digest(tree, path, node);
            }
            for (String child : node.getChildren()) {
                paths.add(path + "/" + child);
            }
        }
        for (Map.Entry<Long, Integer> session :
                database.getSessionWithTimeOuts().entrySet()) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            BinaryOutputArchive out = BinaryOutputArchive.getArchive(bytes);
            out.writeLong(session.getKey(), "");
            out.writeInt(session.getValue(), "");
            digest += checksum(bytes.toByteArray());
        }
        return digest;
    }

    private static long digest(DataTree tree, String path, DataNode node) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryOutputArchive out = BinaryOutputArchive.getArchive(bytes);
        out.writeString(path, "");
        out.writeBuffer(node.getData(), "");
        Stat stat = new Stat();
        node.copyStat(stat);
        stat.serialize(out, "");
        for (ACL acl : tree.getACL(node)) {
            acl.serialize(out, "");
        }
        return checksum(bytes.toByteArray());
    }

    private static long checksum(byte[] bytes) {
        CRC32C high = new CRC32C();
        high.update(bytes, 0, bytes.length);
        CRC32 low = new CRC32();
        low.update(bytes, 0, bytes.length);
        return high.getValue() << 32 | low.getValue();
    }
}
