package io.chainkeeper.config;

import java.io.IOException;
import java.util.Properties;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/**
 * ZooKeeper's parser without its one write: with {@code reconfigEnabled=true} it copies zoo.cfg to zoo.cfg.bak while it
 * parses, long before anyone knows whether the server can start.
 */
final class QuietPeerConfig extends QuorumPeerConfig {
    private static final String RECONFIG_KEY = "reconfigEnabled";

    @Override
    public void parseProperties(Properties properties) throws IOException, ConfigException {
        Properties others = new Properties();
        others.putAll(properties);
        Object reconfig = others.remove(RECONFIG_KEY);
        setReconfigEnabled(false);
        super.parseProperties(others);
        setReconfigEnabled(
                reconfig != null && Boolean.parseBoolean(reconfig.toString().trim()));
    }
}
