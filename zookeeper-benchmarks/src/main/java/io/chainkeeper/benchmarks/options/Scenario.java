package io.chainkeeper.benchmarks.options;

/**
 * One thing to be measured in every round.
 *
 * @param protocol value of {@code ordering.protocol}
 * @param replicas servers of the ensemble
 * @param treeMegabytes size of the tree, in 10^6 bytes of data; 0 for none
 * @param victim the server that is stopped
 */
public record Scenario(String protocol, int replicas, int treeMegabytes, Victim victim) {
    @Override
    public String toString() {
        return protocol + ", " + replicas + " replicas, "
                + (treeMegabytes == 0 ? "no tree" : "tree of " + treeMegabytes + " MB") + ", " + victim.word();
    }
}
