package io.chainkeeper.command;

import java.nio.ByteBuffer;

/**
 * What a replica's data directory held when the replica first took part in the order. Immutable.
 *
 * <pre>
 * kind    byte   0 none at all (a null), then as {@link Kind}
 * epoch   long
 * zxid    long
 * digest  long
 * </pre>
 *
 * @param kind where it comes from
 * @param epoch ZooKeeper's {@code currentEpoch}, 0 if there was none
 * @param zxid last transaction in snapshot and transaction log, 0 if there was none
 * @param digest of znodes, their ACLs and sessions; equal if they are equal
 */
public record ImportedState(Kind kind, long epoch, long zxid, long digest) {
    /** Length of an encoded one. */
    public static final int BYTES = 1 + 3 * Long.BYTES;

    /** An empty directory. */
    public static final ImportedState EMPTY = new ImportedState(Kind.EMPTY, 0, 0, 0);

    /** Where a state comes from. The order is that of the codec. */
    public enum Kind {
        /** The directory was empty. */
        EMPTY,
        /** A stand-alone server of Apache ZooKeeper: nobody else has more. */
        STANDALONE,
        /** A member of an ensemble of Apache ZooKeeper: others may have more. */
        MEMBER
    }

    /** @return whether the directory held anything */
    public boolean holdsData() {
        return kind != Kind.EMPTY;
    }

    /**
     * Zab's order: the state of a later epoch is ahead, even if its zxid is lower.
     *
     * @param other a state
     * @return whether this one is more advanced
     */
    public boolean isAheadOf(ImportedState other) {
        return epoch != other.epoch ? epoch > other.epoch : zxid > other.zxid;
    }

    /**
     * @param other a state
     * @return whether tree and sessions are equal, in whatever epoch they were left
     */
    public boolean isSameAs(ImportedState other) {
        return holdsData() == other.holdsData() && zxid == other.zxid && digest == other.digest;
    }

    /**
     * Whether a cluster's state may take the place of this one.
     *
     * @param origin what the cluster began with
     * @return null if it may; else why not and what to do, one line without the directory's name
     */
    public String refusalOfReplacementBy(ImportedState origin) {
        if (!holdsData()) {
            return null;
        }
        if (!origin.holdsData()) {
            return "holds the data of Apache ZooKeeper up to " + this + ", but the other servers have formed a cluster"
                    + " that began empty. To move that data in, stop all servers, put their old data directories in"
                    + " place and start them together; to give it up, empty dataDir (except for myid) and dataLogDir"
                    + " of this server";
        }
        if (isAheadOf(origin)) {
            return "holds the data of Apache ZooKeeper up to " + this + ", but the cluster began with " + origin
                    + ": transactions that only this server has would be lost. To begin with them, stop all servers,"
                    + " put the old data directories of all of them in place and start them together; to give them up,"
                    + " empty dataDir (except for myid) and dataLogDir of this server";
        }
        return null;
    }

    /**
     * Writes a state or a null.
     *
     * @param state may be null
     * @param out gets {@link #BYTES} bytes
     */
    public static void put(ImportedState state, ByteBuffer out) {
        out.put((byte) (state == null ? 0 : state.kind.ordinal() + 1));
        out.putLong(state == null ? 0 : state.epoch);
        out.putLong(state == null ? 0 : state.zxid);
        out.putLong(state == null ? 0 : state.digest);
    }

    /**
     * Reads what {@link #put} wrote.
     *
     * @param in stands before it
     * @return the state or null
     * @throws IndexOutOfBoundsException if it is of an unknown kind
     */
    public static ImportedState get(ByteBuffer in) {
        int kind = in.get();
        ImportedState state =
                new ImportedState(Kind.values()[Math.max(0, kind - 1)], in.getLong(), in.getLong(), in.getLong());
        return kind == 0 ? null : state;
    }

    @Override
    public String toString() {
        String where = kind == Kind.MEMBER ? "epoch " + epoch + ", " : "";
        return holdsData() ? where + "zxid 0x" + Long.toHexString(zxid) : "nothing";
    }
}
