package io.chainkeeper.server.admin;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.servlet.http.HttpServletResponse;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.server.ServerMetrics;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.admin.AuthRequest;
import org.apache.zookeeper.server.admin.CommandResponse;
import org.apache.zookeeper.server.admin.Commands;
import org.apache.zookeeper.server.admin.PostCommand;
import org.apache.zookeeper.server.quorum.ReadOnlyZooKeeperServer;
import org.apache.zookeeper.server.util.RateLimiter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The AdminServer's {@code restore}, with ZooKeeper's rights, settings and answer, by {@link OrderedRestore}, and with
 * the reason of a failure in the answer. There is one for the whole process, because ZooKeeper keeps its commands so;
 * servers that it does not know are ZooKeeper's own. Any thread.
 */
final class RestoreCommand extends PostCommand {
    private static final String ENABLED = "zookeeper.admin.restore.enabled";
    private static final String INTERVAL = "zookeeper.admin.rateLimiterIntervalInMS";
    private static final long DEFAULT_INTERVAL_MILLIS = 300_000;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final Logger LOG = LoggerFactory.getLogger(RestoreCommand.class);
    private static final RestoreCommand OF_PROCESS = new RestoreCommand();

    private final PostCommand original = new Commands.RestoreCommand();

    /** For each server with an AdminServer how it restores, and how often it may. */
    private final Map<ZooKeeperServer, Restoring> servers = new HashMap<>();

    private record Restoring(OrderedRestore restore, RateLimiter limiter) {}

    private RestoreCommand() {
        super(List.of("restore", "rest"), true, new AuthRequest(ZooDefs.Perms.ALL, "/"));
    }

    /**
     * Until {@link #unregister}: whoever is known here is kept from being collected, with its tree.
     *
     * @param server that is asked
     * @param restore carries it out
     */
    static void register(ZooKeeperServer server, OrderedRestore restore) {
        Commands.registerCommand(OF_PROCESS);
        long interval = Long.getLong(INTERVAL, DEFAULT_INTERVAL_MILLIS);
        synchronized (OF_PROCESS.servers) {
            OF_PROCESS.servers.put(server, new Restoring(restore, new RateLimiter(1, interval, TimeUnit.MILLISECONDS)));
        }
    }

    /** @param server that is asked no more; one that is not known is none */
    static void unregister(ZooKeeperServer server) {
        synchronized (OF_PROCESS.servers) {
            OF_PROCESS.servers.remove(server);
        }
    }

    @Override
    public CommandResponse runPost(ZooKeeperServer server, InputStream snapshot) {
        Restoring of;
        synchronized (servers) {
            of = servers.get(server);
        }
        if (server instanceof ReadOnlyZooKeeperServer) {
            // ZooKeeper's own would say that it is done, and change what this server alone shows until there is a
            // leader.
            return failed(
                    "this server has no leader and serves readers only: ask another one; nothing was changed",
                    HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        }
        return of == null ? original.runPost(server, snapshot) : restored(of, snapshot);
    }

    private CommandResponse restored(Restoring of, InputStream snapshot) {
        if (!Boolean.parseBoolean(System.getProperty(ENABLED, "true"))) {
            return failed("restore is disabled (admin.restore.enabled)", HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        }
        if (snapshot == null) {
            return failed("send a snapshot as the body of the request", HttpServletResponse.SC_BAD_REQUEST);
        }
        if (!of.limiter().allow()) {
            ServerMetrics.getMetrics().RESTORE_RATE_LIMITED_COUNT.add(1);
            return failed("restore was asked for a moment ago (admin.rateLimiterIntervalInMS)", TOO_MANY_REQUESTS);
        }
        try {
            CommandResponse response = initializeResponse();
            long beginNanos = System.nanoTime();
            response.put("last_zxid", of.restore().restore(snapshot));
            ServerMetrics.getMetrics().RESTORE_TIME.add((System.nanoTime() - beginNanos) / 1_000_000);
            return response;
        } catch (IOException e) {
            ServerMetrics.getMetrics().RESTORE_ERROR_COUNT.add(1);
            String reason = e.getMessage().replaceAll("\\R+", " ");
            LOG.warn("Not restored: {}", reason);
            return failed(reason, HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
        }
    }

    private CommandResponse failed(String reason, int status) {
        return new CommandResponse(getPrimaryName(), reason, status);
    }
}
