package io.chainkeeper.disk;

/** The rules that docs/disk.md uses to show that Disk Paxos is safe, besides those that every host is held to. */
enum SafetyRule {
    /** A disk counts for a proposal only when the headers were read behind the write. */
    READ_AFTER_WRITE,
    /** That read begins when the write is durable, and not with it. */
    READ_BEGINS_BEHIND_THE_DURABLE_WRITE,
    /** Whoever takes over reads a disk only when its own header is durable there. */
    TAKEOVER_READS_BEHIND_ITS_HEADER,
    /** A majority is one of the disks, however many servers there are. */
    MAJORITY_OF_DISKS,
    /** Whoever takes over proposes, per position, the value of the highest ballot. */
    VALUE_OF_THE_HIGHEST_BALLOT,
    /** A change of the membership that cannot have been decided is not taken up by whoever takes over. */
    VOID_MEMBERSHIP_IS_DROPPED,
    /** A ring is read once more where its beginning has moved meanwhile. */
    RING_IS_READ_AGAIN_WHERE_ITS_TAIL_MOVED,
    /** A start takes up its ring as one disk has it, the one with the highest last ballot. */
    RING_IS_TAKEN_UP_FROM_ONE_DISK,
    /** What an own header on a disk says frees positions of the ring, and nothing by its place. */
    RING_IS_FREED_BY_POSITION,
    /** A leader answers a read only after it has read the headers of a majority for it. */
    READ_BARRIER_READS_HEADERS
}
