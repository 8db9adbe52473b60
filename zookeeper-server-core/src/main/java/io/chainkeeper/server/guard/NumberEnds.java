package io.chainkeeper.server.guard;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Numbers of a tree that end: how many children a znode has been given, of which the names of sequential znodes are
 * made, how often data was set, and the epoch of zxids. All are ints. Written by the thread that changes the tree, read
 * by any.
 */
public final class NumberEnds {
    /** The last one that there is. */
    public static final int LAST = Integer.MAX_VALUE;

    private static final Logger LOG = LoggerFactory.getLogger(NumberEnds.class);

    /** From here on a number is near its end: nine tenths. */
    static final int NEAR = LAST / 10 * 9;

    /** Said again after each further hundredth. */
    private static final int STEP = LAST / 100;

    /** More znodes than ever get there. */
    private static final int MAX_NEAR = 1000;

    private static final String CHILDREN = "children have been created";
    private static final String VERSIONS = "times its data has been set";
    private static final String NO_NAMES =
            "Then creating sequential znodes there fails: let clients create them below another znode";
    private static final String AGAIN =
            "Then its version begins anew below zero: delete it and create it again if clients compare versions";

    private static final String ZXID = "zxid";
    private static final String EPOCHS = "epochs have been begun";
    private static final String NO_ZXIDS =
            "Then no transaction can be numbered: move the data to a new ensemble (docs/moving.md) before";

    private final Map<String, Integer> epochsNear = new ConcurrentHashMap<>();
    private final Map<String, Integer> childrenNear = new ConcurrentHashMap<>();
    private final Map<String, Integer> versionsNear = new ConcurrentHashMap<>();
    private volatile int highest;

    /**
     * A znode has been given a child.
     *
     * @param child path of the child
     * @param created children that its parent has been given
     * @param zxid of the transaction
     */
    public void childCreated(String child, int created, long zxid) {
        int epoch = (int) Math.min(LAST, zxid >>> Integer.SIZE);
        if (epoch >= NEAR) {
            near(epochsNear, ZXID, epoch, EPOCHS, NO_ZXIDS);
        }
        if (created > highest) {
            highest = created;
        }
        if (created >= NEAR) {
            int end = child.lastIndexOf('/');
            near(childrenNear, end <= 0 ? "/" : child.substring(0, end), created, CHILDREN, NO_NAMES);
        }
    }

    /**
     * Data has been set.
     *
     * @param path of the znode
     * @param version of the data
     */
    public void dataSet(String path, int version) {
        if (version >= NEAR) {
            near(versionsNear, path, version, VERSIONS, AGAIN);
        } else if (version < 0 && !versionsNear.isEmpty()) {
            versionsNear.remove(path); // has begun again
        }
    }

    /**
     * A znode has been read from a snapshot.
     *
     * @param path of the znode
     * @param created children that it has been given
     * @param version of its data
     */
    public void read(String path, int created, int version) {
        if (created > highest) {
            highest = created;
        }
        if (created >= NEAR) {
            near(childrenNear, path.isEmpty() ? "/" : path, created, CHILDREN, NO_NAMES);
        }
        dataSet(path, version);
    }

    /** @param path of a znode that is gone */
    public void deleted(String path) {
        if (!childrenNear.isEmpty()) {
            childrenNear.remove(path);
        }
        if (!versionsNear.isEmpty()) {
            versionsNear.remove(path);
        }
    }

    /** Forgets everything, before a snapshot is read. */
    public void clear() {
        childrenNear.clear();
        versionsNear.clear();
        epochsNear.clear();
        highest = 0;
    }

    private static void near(Map<String, Integer> all, String path, int number, String what, String then) {
        Integer said = all.get(path);
        if (said != null && number - said < STEP || said == null && all.size() == MAX_NEAR) {
            return;
        }
        all.put(path, number);
        LOG.warn("{}: {} {} of at most {}. {}", path, number, what, LAST, then);
    }

    /** Numbers for monitoring, without the prefix. */
    public Map<String, LongSupplier> gauges() {
        return Map.of(
                "children_created_max",
                () -> highest,
                "sequences_near_end",
                childrenNear::size,
                "versions_near_end",
                versionsNear::size,
                "zxid_epochs_near_end",
                epochsNear::size);
    }
}
