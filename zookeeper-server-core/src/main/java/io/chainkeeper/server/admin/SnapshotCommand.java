package io.chainkeeper.server.admin;

import java.util.List;
import java.util.Map;
import javax.servlet.http.HttpServletResponse;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.admin.AuthRequest;
import org.apache.zookeeper.server.admin.CommandResponse;
import org.apache.zookeeper.server.admin.Commands;
import org.apache.zookeeper.server.admin.GetCommand;
import org.apache.zookeeper.server.quorum.ReadOnlyZooKeeperServer;

/**
 * ZooKeeper's {@code snapshot}, except that a server without a leader takes none: ZooKeeper's read-only server would
 * write one that belongs to no position of the order, and the next start refuses a directory with such data. Any
 * thread.
 */
final class SnapshotCommand extends GetCommand {
    private static final SnapshotCommand OF_PROCESS = new SnapshotCommand();

    private final GetCommand original = new Commands.SnapshotCommand();

    private SnapshotCommand() {
        super(List.of("snapshot", "snap"), true, new AuthRequest(ZooDefs.Perms.ALL, "/"));
    }

    /** Takes the place of ZooKeeper's; for all AdminServers of this process. */
    static void register() {
        Commands.registerCommand(OF_PROCESS);
    }

    @Override
    public CommandResponse runGet(ZooKeeperServer server, Map<String, String> arguments) {
        if (server instanceof ReadOnlyZooKeeperServer) {
            return new CommandResponse(
                    getPrimaryName(),
                    "this server has no leader and serves readers only: ask another one, or again when it has a leader;"
                            + " no snapshot was taken",
                    HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        }
        return original.runGet(server, arguments);
    }
}
