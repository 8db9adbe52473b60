package io.chainkeeper.config;

import java.io.IOException;
import java.util.Properties;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/**
 * ZooKeeper's parser, except that purging is on unless the file says {@code autopurge.purgeInterval=0}, and that it
 * does not write: with {@code reconfigEnabled=true} ZooKeeper's copies zoo.cfg to zoo.cfg.bak while it parses, long
 * before anyone knows whether the server can start.
 */
final class QuietPeerConfig extends QuorumPeerConfig {
    private static final String PURGE_KEY = "autopurge.purgeInterval";
    private static final String PURGE_DEFAULT = "1";
    private static final String RECONFIG_KEY = "reconfigEnabled";

    @Override
    public void parseProperties(Properties properties) throws IOException, ConfigException {
        Properties others = new Properties();
        others.putAll(properties);
        Object reconfig = others.remove(RECONFIG_KEY);
        setReconfigEnabled(false);
        others.putIfAbsent(PURGE_KEY, PURGE_DEFAULT);
        super.parseProperties(others);
        setReconfigEnabled(
                reconfig != null && Boolean.parseBoolean(reconfig.toString().trim()));
    }
}
