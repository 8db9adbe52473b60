package io.chainkeeper.transport;

/** What a refused peer can hope for. */
public enum RefusalKind {
    /**
     * The other side does not know this replica's id as that of a member; nothing else speaks against it. It may be
     * added later.
     */
    NOT_A_MEMBER,

    /** Anything else: other cluster, execution profile, protocol, release or keys, or an id where another was meant. */
    ELSEWHERE,

    /** Of somebody who claims to be that peer and shows nothing for it: the peer itself may be well. */
    CLAIMED
}
