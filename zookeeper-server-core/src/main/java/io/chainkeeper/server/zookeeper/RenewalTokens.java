package io.chainkeeper.server.zookeeper;

import org.apache.zookeeper.server.BlueThrottle;
import org.apache.zookeeper.server.ClientCnxnLimitException;
import org.apache.zookeeper.server.ServerMetrics;

/** What asking to go on with a session costs at the throttle of connections. Safe for use by any thread. */
final class RenewalTokens {
    private RenewalTokens() {}

    /**
     * Takes what ZooKeeper takes of every connection that asks to go on with a session, and counts it as it does.
     *
     * @param throttle the server's
     * @throws ClientCnxnLimitException if there is too little left: the connection is to be closed without an answer
     */
    static void take(BlueThrottle throttle) throws ClientCnxnLimitException {
        int tokens = throttle.isConnectionWeightEnabled() ? throttle.getRequiredTokensForRenew() : 1;
        if (!throttle.checkLimit(tokens)) {
            throw new ClientCnxnLimitException();
        }
        ServerMetrics.getMetrics().CONNECTION_TOKEN_DEFICIT.add(throttle.getDeficit());
        ServerMetrics.getMetrics().CONNECTION_REQUEST_COUNT.add(1);
    }
}
