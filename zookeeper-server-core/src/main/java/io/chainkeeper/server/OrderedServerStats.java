package io.chainkeeper.server;

import java.util.function.Supplier;
import org.apache.zookeeper.server.ServerStats;

/**
 * ZooKeeper's four-letter words cast the server to its own leader class when the state reads "leader". This state reads
 * the same to people and monitoring, but is not that string.
 */
final class OrderedServerStats extends ServerStats {
    private static final String LEADER = "leader";

    private final ServerStats.Provider provider;
    private volatile Supplier<String> leaderLine = () -> null;

    OrderedServerStats(ServerStats.Provider provider) {
        super(provider);
        this.provider = provider;
    }

    /** Adds a line to {@link #toString} while this server leads, as ZooKeeper's leader has one. */
    void appendWhenLeading(Supplier<String> line) {
        leaderLine = line;
    }

    @Override
    public String getServerState() {
        String state = provider.getState();
        return LEADER.equals(state) ? LEADER + " " : state;
    }

    @Override
    public String toString() {
        String text = super.toString();
        String mode = "Mode: " + LEADER + " \n";
        if (!text.endsWith(mode)) {
            return text;
        }
        String line = leaderLine.get();
        return text.replace(mode, mode.replace(" \n", "\n")) + (line == null ? "" : line + "\n");
    }
}
