package io.chainkeeper.server.maintenance;

/** Replaces this replica's state by that of another member, in the background. */
@FunctionalInterface
public interface StateReinstall {
    /**
     * This replica's tree and the state beside it are wrong and no longer serve anybody; its acceptor log is sound.
     * Must not wait. Asked again and again, also after a restart, as long as {@link DivergenceMarker} exists, which
     * whoever has put the new state in place deletes.
     *
     * @param fromPeer a member whose state is right
     */
    void wanted(int fromPeer);
}
