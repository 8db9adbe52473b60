package io.chainkeeper.clienttests.harness;

/** What can be wrong with a shared disk as one server finds it, while the others go on with it. */
public enum DiskFault {
    /** What the server reads fails, and what it writes is there. */
    READS_FAIL,

    /** What the server writes fails, and is not there; what it reads is. */
    WRITES_FAIL,

    /** Both fail. */
    ALL_FAIL,

    /**
     * Neither is answered until the disk is healed; then what was asked is done in its order. A server that was killed
     * meanwhile ends no earlier, whoever stops it.
     */
    HANGS
}
