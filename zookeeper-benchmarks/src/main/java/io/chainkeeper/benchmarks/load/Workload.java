package io.chainkeeper.benchmarks.load;

import java.util.concurrent.ThreadLocalRandom;

/**
 * What clients do.
 *
 * @param keys number of znodes, each used with the same probability
 * @param valueBytes size of their data
 * @param readRatio share of reads, 0 to 1
 * @param syncBeforeRead whether a read is a sync followed by getData, which is what makes it strong with zab
 */
public record Workload(int keys, int valueBytes, double readRatio, boolean syncBeforeRead) {
    /** Parent of all znodes. */
    static final String PARENT = "/benchmark";

    /**
     * @param key 0 to keys - 1
     * @return its znode
     */
    static String path(int key) {
        return PARENT + "/" + key;
    }

    String randomPath() {
        return path(ThreadLocalRandom.current().nextInt(keys));
    }

    boolean nextIsRead() {
        return readRatio > 0 && ThreadLocalRandom.current().nextDouble() < readRatio;
    }

    byte[] randomValue() {
        byte[] value = new byte[valueBytes];
        ThreadLocalRandom.current().nextBytes(value);
        return value;
    }

    /** @return the same with another share of reads, 0 to 1 */
    public Workload withReadRatio(double ratio) {
        return new Workload(keys, valueBytes, ratio, syncBeforeRead);
    }
}
