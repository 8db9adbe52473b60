package io.chainkeeper.server.admin;

import io.chainkeeper.server.tracing.RequestWatch;
import java.util.List;
import java.util.Map;
import javax.servlet.http.HttpServletResponse;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.admin.CommandResponse;
import org.apache.zookeeper.server.admin.GetCommand;

/**
 * The AdminServer's {@code traces}: the latest traced requests of this server, with the times of their stages.
 * Arguments: {@code limit}; {@code session} for those of one session; {@code watch=true} with it to have all further
 * requests of the session traced for ten minutes.
 */
final class TracesCommand extends GetCommand {
    private static final String SESSION = "session";
    private static final int DEFAULT_LIMIT = 100;

    private final int replicaId;
    private final RequestWatch watch;

    /**
     * @param replicaId this replica
     * @param watch has the traces
     */
    TracesCommand(int replicaId, RequestWatch watch) {
        super(List.of("traces"), false);
        this.replicaId = replicaId;
        this.watch = watch;
    }

    @Override
    public CommandResponse runGet(ZooKeeperServer server, Map<String, String> arguments) {
        int limit;
        Long session;
        try {
            limit = Integer.parseInt(arguments.getOrDefault("limit", Integer.toString(DEFAULT_LIMIT)));
            session = arguments.containsKey(SESSION) ? sessionId(arguments.get(SESSION)) : null;
        } catch (NumberFormatException e) {
            return refused("limit is a number, session the id of a session, such as 0x1000056e1230001");
        }
        if (limit < 1 || limit > RequestWatch.KEPT) {
            return refused("limit is a number from 1 to " + RequestWatch.KEPT);
        }
        boolean watches = Boolean.parseBoolean(arguments.get("watch"));
        if (watches && session == null) {
            return refused("watch=true needs a session");
        }
        if (watches && !watch.watch(session)) {
            return refused("too many sessions are watched; each is for ten minutes");
        }
        CommandResponse response = initializeResponse();
        response.put("server_id", replicaId);
        response.put("trace_every", watch.traceEvery());
        response.put("traces", watch.traces(limit, session));
        return response;
    }

    /** Ids of sessions are written in hexadecimal, with 0x in front. */
    private static long sessionId(String text) {
        return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseLong(text);
    }

    private CommandResponse refused(String reason) {
        return new CommandResponse(getPrimaryName(), reason, HttpServletResponse.SC_BAD_REQUEST);
    }
}
