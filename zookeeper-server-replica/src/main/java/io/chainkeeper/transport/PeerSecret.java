package io.chainkeeper.transport;

import io.chainkeeper.ordering.ByteSlice;
import java.util.List;

/** The secret that servers of an ensemble share, by which links prove that both sides are members. Thread-safe. */
public interface PeerSecret {
    /**
     * Called at every handshake, on the I/O thread.
     *
     * @return the secrets that are accepted, one or two; this side proves that it knows all of them
     */
    List<ByteSlice> current();

    /** @return whether a peer is refused that proves none of the secrets; false while servers get their first secret */
    boolean isRequired();
}
