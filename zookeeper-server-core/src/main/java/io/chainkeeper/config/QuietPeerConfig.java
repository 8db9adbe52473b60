package io.chainkeeper.config;

import java.io.IOException;
import java.util.Map;
import java.util.Properties;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/**
 * ZooKeeper's parser, except that purging is on unless the file says {@code autopurge.purgeInterval=0}, that the
 * throttles of connections and requests can be set by the names that ZooKeeper's documentation gives their settings,
 * and that it does not write: with {@code reconfigEnabled=true} ZooKeeper's copies zoo.cfg to zoo.cfg.bak while it
 * parses, long before anyone knows whether the server can start.
 */
final class QuietPeerConfig extends QuorumPeerConfig {
    private static final String PURGE_KEY = "autopurge.purgeInterval";
    private static final String PURGE_DEFAULT = "1";
    private static final String RECONFIG_KEY = "reconfigEnabled";

    /** ZooKeeper's server looks for the second in its system properties, into which its parser puts unknown keys. */
    private static final Map<String, String> THROTTLE_KEYS = Map.ofEntries(
            Map.entry("connectionMaxTokens", "connection_throttle_tokens"),
            Map.entry("connectionTokenFillTime", "connection_throttle_fill_time"),
            Map.entry("connectionTokenFillCount", "connection_throttle_fill_count"),
            Map.entry("connectionFreezeTime", "connection_throttle_freeze_time"),
            Map.entry("connectionDropIncrease", "connection_throttle_drop_increase"),
            Map.entry("connectionDropDecrease", "connection_throttle_drop_decrease"),
            Map.entry("connectionDecreaseRatio", "connection_throttle_decrease_ratio"),
            Map.entry("requestThrottleLimit", "request_throttle_max_requests"),
            Map.entry("requestThrottleStallTime", "request_throttle_stall_time"),
            Map.entry("requestThrottleDropStale", "request_throttle_drop_stale"),
            Map.entry("requestStaleLatencyCheck", "request_stale_latency_check"),
            Map.entry("requestStaleConnectionCheck", "request_stale_connection_check"),
            Map.entry("throttledOpWaitTime", "throttled_op_wait_time"));

    /** @param replicaId this server's id, which is not asked for if there is no file with it */
    QuietPeerConfig(int replicaId) {
        serverId = replicaId;
    }

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
