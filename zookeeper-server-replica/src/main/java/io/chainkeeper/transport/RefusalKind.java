package io.chainkeeper.transport;

/** What a refused peer can hope for. */
public enum RefusalKind {
    /**
     * The other side does not know this replica's id as that of a member; nothing else speaks against this replica. It
     * may be added later.
     */
    NOT_A_MEMBER,

    /**
     * The other side has a link with this replica's id already, of another data directory or of a later start; nothing
     * else speaks against this replica. It is let in when that link has ended, which may take as long as a link may be
     * silent: the server at its other end may be gone without a word.
     */
    LINKED_ALREADY,

    /**
     * The other side has a member with this replica's id, but what it has to prove it by, the address that its name
     * leads to, is another one; nothing else speaks against this replica. A name service that fails for a while, or
     * that does not know a new server yet, has the same effect.
     */
    UNPROVED,

    /** Anything else: other cluster, execution profile, protocol, release or keys, or an id where another was meant. */
    ELSEWHERE,

    /**
     * The peer's release does not know the feature level in force here: it is the peer that has to change, however
     * many there are of its kind. A peer that is refused for it is told {@link #ELSEWHERE}; one that refuses by itself
     * says {@link #TOO_OLD}, and is understood so.
     */
    PEER_TOO_OLD,

    /** This replica's release does not know the feature level in force at the peer. */
    TOO_OLD,

    /** The refusal of a process that claims to be the peer and proves nothing: the peer itself may be well. */
    CLAIMED;

    /** @return whether the peer may be well, or is what has to change, so that nothing speaks against this replica */
    public boolean saysNothingOfThisReplica() {
        return this == PEER_TOO_OLD || this == CLAIMED;
    }

    /** @return whether the refusal may end by itself, so that only one that lasts shows that something is wrong */
    public boolean mayPass() {
        return this == LINKED_ALREADY || this == UNPROVED;
    }
}
