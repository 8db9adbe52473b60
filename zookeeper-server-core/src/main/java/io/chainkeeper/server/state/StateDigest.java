package io.chainkeeper.server.state;

/**
 * What a replica's state at one position comes down to.
 *
 * @param tree digest of the tree, as ZooKeeper keeps it: znodes with data and Stat, but no ACLs and nothing below
 *     {@code /zookeeper}
 * @param replicated digest of the encoded {@link ReplicatedState}
 */
public record StateDigest(long tree, long replicated) {
    @Override
    public String toString() {
        return "tree 0x" + Long.toHexString(tree) + " sessions 0x" + Long.toHexString(replicated);
    }
}
