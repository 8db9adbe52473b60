package io.chainkeeper.config;

import java.io.IOException;
import java.util.Map;
import java.util.Properties;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/**
 * ZooKeeper's parser, except that purging is on unless the file says {@code autopurge.purgeInterval=0}, that the
 * connection throttle can be set by the names that ZooKeeper's documentation gives its settings, and that it does not
 * write: with {@code reconfigEnabled=true} ZooKeeper's copies zoo.cfg to zoo.cfg.bak while it parses, long
 * before anyone knows whether the server can start.
 */
final class QuietPeerConfig extends QuorumPeerConfig {
    private static final String PURGE_KEY = "autopurge.purgeInterval";
    private static final String PURGE_DEFAULT = "1";
    private static final String RECONFIG_KEY = "reconfigEnabled";

    /** ZooKeeper's server looks for the second in its system properties, into which its parser puts unknown keys. */
    private static final Map<String, String> THROTTLE_KEYS = Map.of(
            "connectionMaxTokens", "connection_throttle_tokens",
            "connectionTokenFillTime", "connection_throttle_fill_time",
            "connectionTokenFillCount", "connection_throttle_fill_count",
            "connectionFreezeTime", "connection_throttle_freeze_time",
            "connectionDropIncrease", "connection_throttle_drop_increase",
            "connectionDropDecrease", "connection_throttle_drop_decrease",
            "connectionDecreaseRatio", "connection_throttle_decrease_ratio");

    @Override
    public void parseProperties(Properties properties) throws IOException, ConfigException {
        Properties others = new Properties();
        others.putAll(properties);
        Object reconfig = others.remove(RECONFIG_KEY);
        setReconfigEnabled(false);
        others.putIfAbsent(PURGE_KEY, PURGE_DEFAULT);
        THROTTLE_KEYS.forEach((documented, property) -> {
            Object value = others.remove(documented);
            if (value != null) {
                others.putIfAbsent(property, value);
            }
        });
        super.parseProperties(others);
        setReconfigEnabled(
                reconfig != null && Boolean.parseBoolean(reconfig.toString().trim()));
    }

    /** @return the keys {@code quorum.auth.*}, or null without {@code quorum.auth.enableSasl=true} */
    LinkAuthentication linkAuthentication() {
        return quorumEnableSasl
                ? new LinkAuthentication(
                        quorumLearnerRequireSasl,
                        quorumServerRequireSasl,
                        quorumServicePrincipal,
                        quorumLearnerLoginContext,
                        quorumServerLoginContext)
                : null;
    }
}
