package io.chainkeeper.benchmarks.load;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** Fills a tree with znodes, by several multis at a time. Used once, by one thread. */
public final class TreeLoader {
    private static final String ROOT = "/tree";
    private static final int MIN_BYTES = 1_000;
    private static final int MAX_BYTES = 10_000;
    private static final int CHILDREN = 1_000;

    /** A multi is closed beyond this. With its last znode it stays well below the 1 MiB that a packet may have. */
    private static final int MULTI_BYTES = 200_000;

    /** What a znode counts for besides its data. */
    private static final int ZNODE_BYTES = 100;

    private static final int DISPLACING_WRITES = 1_000;
    private static final int OUTSTANDING = 8;
    private static final long ANSWER_SECONDS = 60;
    private static final long BYTES_PER_MEGABYTE = 1_000_000;

    private final ZooKeeper client;
    private final SplittableRandom random = new SplittableRandom(1);
    private final Semaphore free = new Semaphore(OUTSTANDING);
    private final AtomicReference<Code> failure = new AtomicReference<>();
    private List<Op> multi = new ArrayList<>();
    private long multiBytes;

    /** @param client connected */
    public TreeLoader(ZooKeeper client) {
        this.client = client;
    }

    /**
     * Creates znodes of {@value #MIN_BYTES} to {@value #MAX_BYTES} bytes and waits for the answers.
     *
     * @param megabytes data of all znodes together, 10^6 bytes
     * @throws IOException if the servers refuse, or do not answer for a minute
     */
    public void load(int megabytes) throws IOException, InterruptedException {
        add(ROOT, new byte[0]);
        long left = megabytes * BYTES_PER_MEGABYTE;
        String parent = ROOT;
        for (int i = 0; left > 0; i++) {
            if (i % CHILDREN == 0) {
                parent = ROOT + "/" + i / CHILDREN;
                add(parent, new byte[0]);
            }
            byte[] data = new byte[(int) Math.min(left, random.nextInt(MIN_BYTES, MAX_BYTES + 1))];
            random.nextBytes(data);
            add(parent + "/" + i % CHILDREN, data);
            left -= data.length;
        }
        finish();
    }

    /**
     * Creates znodes of one size and waits for the answers.
     *
     * @param count how many, besides the parents that they need: one for {@value #CHILDREN}
     * @param valueBytes data of each
     * @throws IOException if the servers refuse, or do not answer for a minute
     */
    public void loadZnodes(int count, int valueBytes) throws IOException, InterruptedException {
        add(ROOT, new byte[0]);
        String parent = ROOT;
        for (int i = 0; i < count; i++) {
            if (i % CHILDREN == 0) {
                parent = ROOT + "/" + i / CHILDREN;
                add(parent, new byte[0]);
            }
            byte[] data = new byte[valueBytes];
            random.nextBytes(data);
            add(parent + "/" + i % CHILDREN, data);
        }
        finish();
    }

    /**
     * Writes so often that a server which remembers its latest transactions remembers none of those that created
     * znodes: ZooKeeper keeps 500 for its followers, and a multi as large as these counts as one of them.
     *
     * @throws IOException if the servers refuse, or do not answer for a minute
     */
    public void displaceRecentTransactions() throws IOException, InterruptedException {
        for (int i = 0; i < DISPLACING_WRITES; i++) {
            multi.add(Op.setData(ROOT, new byte[0], -1));
            send();
        }
        acquire(OUTSTANDING);
        free.release(OUTSTANDING);
    }

    private void finish() throws IOException, InterruptedException {
        send();
        acquire(OUTSTANDING);
        free.release(OUTSTANDING);
    }

    private void add(String path, byte[] data) throws IOException, InterruptedException {
        multi.add(Op.create(path, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        multiBytes += data.length + ZNODE_BYTES;
        if (multiBytes >= MULTI_BYTES) {
            send();
        }
    }

    private void send() throws IOException, InterruptedException {
        acquire(1);
        client.multi(
                multi,
                (rc, path, context, results) -> {
                    if (rc != Code.OK.intValue()) {
                        failure.compareAndSet(null, Code.get(rc));
                    }
                    free.release();
                },
                null);
        multi = new ArrayList<>();
        multiBytes = 0;
    }

    private void acquire(int permits) throws IOException, InterruptedException {
        if (!free.tryAcquire(permits, ANSWER_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("loading the tree: no answer to a multi after " + ANSWER_SECONDS + " s");
        }
        if (failure.get() != null) {
            throw new IOException("loading the tree: a multi failed with " + failure.get());
        }
    }
}
