package io.chainkeeper.ordering.acceptor;

/** What it rests on that a disk votes for what it remembers: rules of {@link ReplicaIdentity}, for all protocols. */
public enum IdentityRule {
    /** A founder that has promised nothing stands only for the disks that it founded with. */
    FOUNDER_STANDS_FOR_COMPANIONS_ONLY,
    /** A disk remembers that it has founded the cluster. */
    FOUNDING_IS_REMEMBERED,
    /** A disk tells of itself only what a crash leaves it. */
    HELLO_IS_DURABLE,
    /** A disk that took the place of a lost one has no vote before the order has admitted it. */
    NEW_DISK_HAS_NO_VOTE
}
