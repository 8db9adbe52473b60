package io.chainkeeper.server.zookeeper;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.jute.Index;
import org.apache.jute.InputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.server.DataNode;

/** An archive of a snapshot that tells of each znode when it has been read. For one thread. */
final class NodeArchive implements InputArchive {
    /** Told of znodes. */
    interface Visitor {
        /**
         * Its parents were there before, or come later.
         *
         * @param path of the znode
         * @param node the znode
         * @param hasAcl whether the ACL that it refers to is in the archive
         */
        void read(String path, DataNode node, boolean hasAcl);
    }

    private static final String ACL_NUMBER = "long";
    private static final String ACL_REFERENCE = "acl";

    /** Stands for the open ACL, which is not written down. */
    private static final long OPEN_ACL = -1;

    private final InputArchive archive;
    private final Visitor visitor;
    private final Set<Long> acls = new HashSet<>(Set.of(OPEN_ACL));
    private String lastString;
    private boolean hasAcl;

    /**
     * @param archive where the snapshot is read from
     * @param visitor told of each znode
     */
    NodeArchive(InputArchive archive, Visitor visitor) {
        this.archive = archive;
        this.visitor = visitor;
    }

    @Override
    public byte readByte(String tag) throws IOException {
        return archive.readByte(tag);
    }

    @Override
    public boolean readBool(String tag) throws IOException {
        return archive.readBool(tag);
    }

    @Override
    public int readInt(String tag) throws IOException {
        return archive.readInt(tag);
    }

    /** ACLs come first, each with a number, which znodes refer to. */
    @Override
    public long readLong(String tag) throws IOException {
        long value = archive.readLong(tag);
        if (tag.equals(ACL_NUMBER)) {
            acls.add(value);
        } else if (tag.equals(ACL_REFERENCE)) {
            hasAcl = acls.contains(value);
        }
        return value;
    }

    @Override
    public float readFloat(String tag) throws IOException {
        return archive.readFloat(tag);
    }

    @Override
    public double readDouble(String tag) throws IOException {
        return archive.readDouble(tag);
    }

    /** In front of each znode stands its path. */
    @Override
    public String readString(String tag) throws IOException {
        lastString = archive.readString(tag);
        return lastString;
    }

    @Override
    public byte[] readBuffer(String tag) throws IOException {
        return archive.readBuffer(tag);
    }

    @Override
    public void readRecord(Record record, String tag) throws IOException {
        record.deserialize(this, tag);
        if (record instanceof DataNode node) {
            visitor.read(lastString, node, hasAcl);
        }
    }

    @Override
    public void startRecord(String tag) throws IOException {
        archive.startRecord(tag);
    }

    @Override
    public void endRecord(String tag) throws IOException {
        archive.endRecord(tag);
    }

    @Override
    public Index startVector(String tag) throws IOException {
        return archive.startVector(tag);
    }

    @Override
    public void endVector(String tag) throws IOException {
        archive.endVector(tag);
    }

    @Override
    public Index startMap(String tag) throws IOException {
        return archive.startMap(tag);
    }

    @Override
    public void endMap(String tag) throws IOException {
        archive.endMap(tag);
    }
}
