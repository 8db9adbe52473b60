package io.chainkeeper.server;

import org.apache.zookeeper.server.ServerStats;

/**
 * ZooKeeper's four-letter words cast the server to its own leader class when the state reads "leader". This state reads
 * the same to people and monitoring, but is not that string.
 */
final class OrderedServerStats extends ServerStats {
    private static final String LEADER = "leader";

    private final ServerStats.Provider provider;

    OrderedServerStats(ServerStats.Provider provider) {
        super(provider);
        this.provider = provider;
    }

    @Override
    public String getServerState() {
        String state = provider.getState();
        return LEADER.equals(state) ? LEADER + " " : state;
    }

    @Override
    public String toString() {
        return super.toString().replace("Mode: " + LEADER + " \n", "Mode: " + LEADER + "\n");
    }
}
