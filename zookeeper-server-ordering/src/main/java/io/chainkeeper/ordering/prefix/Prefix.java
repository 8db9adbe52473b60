package io.chainkeeper.ordering.prefix;

import io.chainkeeper.ordering.PrefixHash;
import java.nio.ByteBuffer;

/**
 * What a replica says of the order that it holds.
 *
 * @param position up to here it has decided
 * @param hash of all values up to there; {@link PrefixHash#UNKNOWN} if it cannot tell
 */
public record Prefix(long position, long hash) {
    /** Bytes on the wire. */
    public static final int BYTES = 2 * Long.BYTES;

    /** Says nothing. */
    public static final Prefix UNKNOWN = new Prefix(0, PrefixHash.UNKNOWN);

    /** @return whether anything is said */
    public boolean isKnown() {
        return hash != PrefixHash.UNKNOWN;
    }

    /**
     * @param out with room for {@link #BYTES}
     * @return the buffer
     */
    public ByteBuffer put(ByteBuffer out) {
        return out.putLong(position).putLong(hash);
    }

    /**
     * @param in where one stands
     * @return what it says
     */
    public static Prefix get(ByteBuffer in) {
        return new Prefix(in.getLong(), in.getLong());
    }

    @Override
    public String toString() {
        return position + "/" + PrefixHash.text(hash);
    }
}
