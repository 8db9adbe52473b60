package io.chainkeeper.server.zookeeper;

/** Shows a server in metrics and JMX. Called by ZooKeeper's server while it starts and stops. */
public interface ServerMonitoring {
    /** Adds to the metrics that ZooKeeper's server has just registered. */
    void registerMetrics();

    /** Takes back {@link #registerMetrics}; nothing happens if it was not called. */
    void unregisterMetrics();

    /** Registers the JMX beans, and tells the server its own: {@link OrderedZooKeeperServer#showBelow}. */
    void registerBeans();

    /** Takes back {@link #registerBeans}; nothing happens if it was not called. */
    void unregisterBeans();
}
