package io.chainkeeper.server.maintenance;

import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.ContainerManager;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ZKDatabase;

/**
 * Lets ZooKeeper's container manager run at the leader: it proposes to delete empty containers and nodes whose time to
 * live has passed, execution decides. Two at once do no harm. Used by the maintenance thread only.
 */
public final class ContainerReaper {
    private final ZKDatabase database;
    private final RequestProcessor proposer;
    private ContainerManager manager;

    /**
     * @param database where candidates are looked for
     * @param proposer takes requests without connection
     */
    public ContainerReaper(ZKDatabase database, RequestProcessor proposer) {
        this.database = database;
        this.proposer = proposer;
    }

    /**
     * Starts or stops the manager.
     *
     * @param wanted whether this replica is to propose deletions
     */
    public void setActive(boolean wanted) {
        if (wanted && manager == null) {
            // The same settings as Apache ZooKeeper's leader reads.
            manager = new ContainerManager(
                    database,
                    proposer,
                    Integer.getInteger("znode.container.checkIntervalMs", (int) TimeUnit.MINUTES.toMillis(1)),
                    Integer.getInteger("znode.container.maxPerMinute", 10_000),
                    Long.getLong("znode.container.maxNeverUsedIntervalMs", 0));
            manager.start();
        } else if (!wanted && manager != null) {
            manager.stop();
            manager = null;
        }
    }
}
