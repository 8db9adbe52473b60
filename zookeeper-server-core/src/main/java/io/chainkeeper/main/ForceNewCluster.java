package io.chainkeeper.main;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.NewClusterRequest;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.config.StartupConfig;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.Durability;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.TxnLogScanner;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The way on when the quorum is lost for good: makes one server, stopped, the only member of a new cluster with the
 * state that it has. Says first what that may lose, and does nothing without {@code --yes}. Holds the lock of the log
 * meanwhile, so it refuses while a server runs on the directory.
 */
public final class ForceNewCluster {
    private static final String USAGE = "Usage: zkServer.sh force-new-cluster [--yes] [ZOO_CFG]";
    private static final String CONSENT = "--yes";
    private static final int NOT_DONE = Exit.CANNOT_START.code();

    private final Iterable<OrderingProtocolFactory> factories;
    private final Clock clock;
    private final PrintStream out;
    private final PrintStream err;

    /**
     * @param factories the protocols that there are
     * @param clock when it was asked for
     * @param out where the explanation goes
     * @param err where the one line of a refusal goes
     */
    ForceNewCluster(Iterable<OrderingProtocolFactory> factories, Clock clock, PrintStream out, PrintStream err) {
        this.factories = factories;
        this.clock = clock;
        this.out = out;
        this.err = err;
    }

    /**
     * Runs the command and ends the process: 0 if the next start goes on alone, 1 if nothing was changed, 2 if the
     * command line or the configuration is wrong, 3 if a directory cannot be used.
     *
     * @param args path of a zoo.cfg, and {@code --yes}
     */
    public static void main(String[] args) {
        ForceNewCluster command = new ForceNewCluster(
                ServiceLoader.load(OrderingProtocolFactory.class), Clock.systemUTC(), System.out, System.err);
        System.exit(command.run(args));
    }

    int run(String... args) {
        List<String> rest = new ArrayList<>(List.of(args));
        boolean consent = rest.remove(CONSENT);
        if (rest.size() != 1 || rest.get(0).startsWith("-")) {
            err.println(USAGE);
            return Exit.INVALID_CONFIGURATION.code();
        }
        try {
            StartupConfig config = new OrderingConfigParser(factories)
                    .parse(Path.of(rest.get(0)))
                    .orElseThrow(() -> new UserMistakeException(
                            Exit.INVALID_CONFIGURATION,
                            rest.get(0) + " describes no replicated ensemble of ours; there is no quorum to lose"));
            return run(config, consent);
        } catch (IOException | InvalidPathException e) {
            return CommandFailure.print(e, err, NOT_DONE);
        }
    }

    private int run(StartupConfig config, boolean consent) throws IOException {
        OrderingConfig ordering = config.ordering();
        Path directory = ordering.orderingDirectory();
        if (ordering.durability() == Durability.MEMORY) {
            throw new UserMistakeException(
                    Exit.INVALID_CONFIGURATION, "ordering.durability=memory keeps nothing to go on from; start anew");
        }
        if (config.factory().sharedDisks() != null) {
            throw new UserMistakeException(
                    Exit.INVALID_CONFIGURATION,
                    "servers that share disks (ordering.protocol=" + ordering.protocol()
                            + ") need no quorum of servers:"
                            + " any one goes on alone. Start it as always, and remove the others with reconfig");
        }
        ClusterIdentity identity = ClusterIdentity.read(directory);
        if (identity == null) {
            throw new IOException(directory + " holds no data of a cluster; run this on the server whose data is to be"
                    + " kept, with its zoo.cfg");
        }
        AcceptorLogSettings settings = AcceptorLogSettings.defaults().withRetentionBytes(ordering.logRetentionBytes());
        try (AcceptorLog log = AcceptorLogs.open(directory, ordering.logStore(), ordering.durability(), settings)) {
            NewClusterRequest request = NewClusterRequest.read(directory);
            boolean asked = request != null;
            if (!asked) {
                request = new NewClusterRequest(
                        ordering.replicaId(), UUID.randomUUID(), clock.instant().truncatedTo(ChronoUnit.SECONDS));
            }
            explain(config, identity, request, log);
            if (asked) {
                out.println("This was asked for at " + request.requestedAt() + " already; start the server.");
                return consent ? 0 : NOT_DONE;
            }
            if (!consent) {
                out.println("Nothing has been changed. To do it, add " + CONSENT + ".");
                return NOT_DONE;
            }
            request.write(directory);
            out.println("Done: the next start of this server carries it out.");
            return 0;
        }
    }

    private void explain(StartupConfig config, ClusterIdentity identity, NewClusterRequest request, AcceptorLog log)
            throws IOException {
        OrderingConfig ordering = config.ordering();
        List<Checkpoint> checkpoints =
                new CheckpointStore(ordering.orderingDirectory().resolve(CheckpointStore.DIRECTORY)).readForStart();
        long checkpointPosition = checkpoints.isEmpty() ? 0 : checkpoints.get(0).position();
        long accepted =
                Math.max(checkpointPosition, log.recovered(checkpointPosition).lastPosition());
        Path transactions = config.peerConfig().getDataLogDir().toPath().resolve(DataDirectories.VERSION_DIRECTORY);
        // Behind a state that was fetched or restored there may be no transaction yet.
        long executed = checkpoints.isEmpty() ? 0 : checkpoints.get(0).zxid();
        long zxid = Math.max(executed, TxnLogScanner.lastZxid(transactions));
        String others = ordering.members().keySet().stream()
                .filter(id -> id != ordering.replicaId())
                .map(id -> "server." + id)
                .collect(Collectors.joining(", "));
        out.println("Server " + ordering.replicaId() + " of cluster " + name(identity.clusterId())
                + " will go on alone, as the only member of the new cluster " + request.clusterId() + ".");
        out.println("  Kept:  what this server has: accepted up to position " + accepted + " of the order, executed at"
                + " least up to zxid " + Zxids.text(zxid) + ".");
        out.println("         What it has accepted counts as decided, also writes that were never acknowledged.");
        out.println("  Lost:  every write that only " + others + " held, even if it was acknowledged.");
        out.println("  Never: start " + others + " with the data they have now. This server refuses them, but"
                + " enough of them together would go on as the old cluster, beside this one.");
        out.println("         To take them in again, give them empty dataDir and dataLogDir directories.");
    }

    private static String name(UUID clusterId) {
        return clusterId == null ? "(not named yet)" : clusterId.toString();
    }
}
