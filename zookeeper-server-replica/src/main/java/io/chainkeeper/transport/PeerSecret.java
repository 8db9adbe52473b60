package io.chainkeeper.transport;

import io.chainkeeper.ordering.ByteSlice;
import java.util.List;

/** Where links get their shared secret from. Thread-safe. */
public interface PeerSecret {
    /**
     * Asked at every handshake, on the I/O thread.
     *
     * @return the secrets that are accepted, one or two; this side proves that it knows them all
     */
    List<ByteSlice> current();

    /** @return whether peers that do not prove that they know one are refused; not while the first ones get theirs */
    boolean isRequired();
}
