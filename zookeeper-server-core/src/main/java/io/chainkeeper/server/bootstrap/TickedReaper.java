package io.chainkeeper.server.bootstrap;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.ContainerManager;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ZKDatabase;

/** Deletes containers and nodes whose time has passed as ZooKeeper's thread does, by given clocks. One thread's. */
final class TickedReaper extends ContainerManager {
    private static final int NO_LIMIT_PER_MINUTE = Integer.MAX_VALUE;

    private final LongSupplier wallClockMillis;
    private final LongSupplier monotonicMillis;
    private final long pauseMillis;
    private long nextMillis;

    /** Looks each time it is told to. */
    TickedReaper(ZKDatabase database, RequestProcessor proposer, LongSupplier wallClockMillis) {
        this(database, proposer, wallClockMillis, wallClockMillis, 0);
    }

    /** Looks as often as ZooKeeper's thread does. */
    TickedReaper(
            ZKDatabase database,
            RequestProcessor proposer,
            LongSupplier wallClockMillis,
            LongSupplier monotonicMillis) {
        this(
                database,
                proposer,
                wallClockMillis,
                monotonicMillis,
                Integer.getInteger("znode.container.checkIntervalMs", (int) TimeUnit.MINUTES.toMillis(1)));
    }

    private TickedReaper(
            ZKDatabase database,
            RequestProcessor proposer,
            LongSupplier wallClockMillis,
            LongSupplier monotonicMillis,
            long pauseMillis) {
        super(database, proposer, 0, NO_LIMIT_PER_MINUTE, 0);
        super.stop(); // ends the thread that ZooKeeper's class has begun to wait with, which nobody would end later
        this.wallClockMillis = wallClockMillis;
        this.monotonicMillis = monotonicMillis;
        this.pauseMillis = pauseMillis;
        this.nextMillis = pauseMillis == 0 ? Long.MIN_VALUE : monotonicMillis.getAsLong() + pauseMillis;
    }

    /** @param active whether this replica is to propose deletions */
    void look(boolean active) {
        long now = monotonicMillis.getAsLong();
        if (!active || now < nextMillis) {
            return;
        }
        nextMillis = now + pauseMillis;
        try {
            checkContainers();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while containers were looked at", e);
        }
    }

    @Override
    protected long getMinIntervalMs() {
        return 0;
    }

    @Override
    protected long getElapsed(DataNode node) {
        return wallClockMillis.getAsLong() - node.stat.getMtime();
    }
}
