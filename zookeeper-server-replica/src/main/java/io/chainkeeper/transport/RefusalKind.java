package io.chainkeeper.transport;

/** What a refused peer can hope for. */
public enum RefusalKind {
    /**
     * The other side does not know this replica's id as that of a member; nothing else speaks against this replica. It
     * may be added later.
     */
    NOT_A_MEMBER,

    /** Anything else: other cluster, execution profile, protocol, release or keys, or an id where another was meant. */
    ELSEWHERE,

    /** The refusal of a process that claims to be the peer and proves nothing: the peer itself may be well. */
    CLAIMED
}
