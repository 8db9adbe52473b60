package io.chainkeeper.server.connection;

import io.chainkeeper.server.storage.SlowForces;
import java.util.function.Supplier;
import org.apache.zookeeper.server.ServerStats;

/**
 * ZooKeeper's four-letter words cast the server to its own leader class when the state reads "leader". This state reads
 * the same to people and monitoring, but is not that string.
 */
public final class OrderedServerStats extends ServerStats {
    private static final String LEADER = "leader";

    private final ServerStats.Provider provider;
    private final ThreadLocal<String> lastLine = new ThreadLocal<>();
    private volatile Supplier<String> leaderLine = () -> null;
    private volatile Runnable leaderReset = () -> {};
    private volatile long slowForcesBefore;

    /** @param provider the server that they are about */
    public OrderedServerStats(ServerStats.Provider provider) {
        super(provider);
        this.provider = provider;
    }

    /**
     * Sets the line with which the answers of the words {@code stat} and {@code srvr} end while this server leads, as
     * those of ZooKeeper's leader do.
     *
     * @param line tells numbers
     * @param reset has them begin anew; run by {@code srst}, which ZooKeeper lets only its own class of leader do
     */
    public void appendWhenLeading(Supplier<String> line, Runnable reset) {
        leaderLine = line;
        leaderReset = reset;
    }

    /** What ZooKeeper's {@code srst} resets: latency, packets, sizes, the summaries of its metrics. */
    @Override
    public void reset() {
        super.reset();
        leaderReset.run();
    }

    @Override
    public String getServerState() {
        String state = provider.getState();
        return LEADER.equals(state) ? LEADER + " " : state;
    }

    @Override
    public long getFsyncThresholdExceedCount() {
        return SlowForces.OF_PROCESS.count() - slowForcesBefore;
    }

    @Override
    public void resetFsyncThresholdExceedCount() {
        slowForcesBefore = SlowForces.OF_PROCESS.count();
    }

    @Override
    public String toString() {
        String text = super.toString();
        String mode = "Mode: " + LEADER + " \n";
        if (!text.endsWith(mode)) {
            return text;
        }
        lastLine.set(leaderLine.get());
        return text.replace(mode, mode.replace(" \n", "\n"));
    }

    /**
     * Returns the line that has to follow what the calling thread has printed of these statistics, once; null if there
     * is none. ZooKeeper's command prints a line of its own in between.
     */
    String pollLastLine() {
        String line = lastLine.get();
        lastLine.remove();
        return line;
    }
}
