package io.chainkeeper.main;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.MoveInRequest;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.config.StartupConfig;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.storage.TxnLogScanner;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * Says how far the data of a stopped server reaches, its own or what Apache ZooKeeper has left; and takes the user's
 * decision that such data is moved in although other servers are missing. See docs/moving.md.
 */
public final class MoveIn {
    private static final String USAGE =
            "Usage: zkServer.sh position [ZOO_CFG] | zkServer.sh move-in --without ID[,ID...] [--yes] [ZOO_CFG]";
    private static final String WITHOUT = "--without";
    private static final String CONSENT = "--yes";
    private static final String VERSION_DIRECTORY = "version-2";
    private static final int NOT_DONE = Exit.CANNOT_START.code();

    private final Iterable<OrderingProtocolFactory> factories;
    private final PrintStream out;
    private final PrintStream err;

    /**
     * @param factories the protocols that there are
     * @param out where the answer goes
     * @param err where the one line of a refusal goes
     */
    MoveIn(Iterable<OrderingProtocolFactory> factories, PrintStream out, PrintStream err) {
        this.factories = factories;
        this.out = out;
        this.err = err;
    }

    /**
     * Runs the command and ends the process: 0 if it did what was asked, 1 if nothing was changed, 2 if the command
     * line or the configuration is wrong, 3 if a directory cannot be used.
     *
     * @param args path of a zoo.cfg; before it {@code --without} with replica ids, and {@code --yes}
     */
    public static void main(String[] args) {
        System.exit(new MoveIn(ServiceLoader.load(OrderingProtocolFactory.class), System.out, System.err).run(args));
    }

    int run(String... args) {
        List<String> rest = new ArrayList<>(List.of(args));
        boolean consent = rest.remove(CONSENT);
        int at = rest.indexOf(WITHOUT);
        String without = null;
        if (at >= 0 && at + 1 < rest.size()) {
            without = rest.remove(at + 1);
            rest.remove(at);
        }
        if (rest.size() != 1 || rest.get(0).startsWith("-") || consent && without == null) {
            err.println(USAGE);
            return Exit.INVALID_CONFIGURATION.code();
        }
        try {
            StartupConfig config = new OrderingConfigParser(factories)
                    .parse(Path.of(rest.get(0)))
                    .orElseThrow(() -> new UserMistakeException(
                            Exit.INVALID_CONFIGURATION,
                            rest.get(0) + " describes no replicated ensemble of ours; set ordering.protocol there"));
            return without == null ? position(config) : moveIn(config, without, consent);
        } catch (IOException | InvalidPathException e) {
            return CommandFailure.print(e, err, NOT_DONE);
        }
    }

    private int position(StartupConfig config) throws IOException {
        ClusterIdentity identity = ClusterIdentity.read(config.ordering().orderingDirectory());
        boolean own = identity != null && identity.clusterId() != null;
        out.println("Server " + config.ordering().replicaId() + ": last transaction " + Zxids.text(lastZxid(config))
                + (own ? ofCluster(identity, config) : epoch(config)));
        return 0;
    }

    private static String ofCluster(ClusterIdentity identity, StartupConfig config) throws IOException {
        String cluster = "cluster " + identity.clusterId();
        return StopMarker.growth(config.ordering().orderingDirectory(), logs(config))
                .map(growth -> ", not of " + cluster + ", which this server left at " + Zxids.text(growth.stopped())
                        + ": it was changed since, probably by Apache ZooKeeper, and does not start; to move it in"
                        + " again, delete the ordering directory of every server")
                .orElse(", " + cluster);
    }

    private static String epoch(StartupConfig config) throws IOException {
        Path file = config.peerConfig()
                .getDataDir()
                .toPath()
                .resolve(VERSION_DIRECTORY)
                .resolve("currentEpoch");
        return Files.exists(file)
                ? ", epoch " + Files.readString(file).trim() + " of Apache ZooKeeper"
                : ", of no ensemble";
    }

    private static long lastZxid(StartupConfig config) throws IOException {
        Path directory = config.peerConfig().getDataDir().toPath().resolve(VERSION_DIRECTORY);
        List<Path> snapshots = Files.isDirectory(directory) ? DataFiles.snapshots(directory) : List.of();
        long zxid = snapshots.isEmpty() ? 0 : DataFiles.snapshotZxid(snapshots.get(0));
        return Math.max(zxid, TxnLogScanner.lastZxid(logs(config)));
    }

    private static Path logs(StartupConfig config) {
        return config.peerConfig().getDataLogDir().toPath().resolve(VERSION_DIRECTORY);
    }

    private int moveIn(StartupConfig config, String text, boolean consent) throws IOException {
        OrderingConfig ordering = config.ordering();
        Path directory = ordering.orderingDirectory();
        List<Integer> without = without(ordering, text);
        ClusterIdentity identity = ClusterIdentity.read(directory);
        if (identity != null && identity.clusterId() != null) {
            throw new IOException(directory + " belongs to cluster " + identity.clusterId()
                    + ": this server's data has been moved in already");
        }
        long zxid = lastZxid(config);
        if (zxid == 0) {
            throw new IOException(config.peerConfig().getDataDir() + " holds no data; run this on a server whose data"
                    + " is to be moved in");
        }
        String names = without.stream().map(id -> "server." + id).collect(Collectors.joining(", "));
        out.println("The cluster may be formed without the data of " + names + ".");
        out.println("  Kept:  the most advanced data of the other servers; here up to " + Zxids.text(zxid)
                + epoch(config) + ".");
        out.println("  Lost:  every write that only " + names + " held, even if it was acknowledged.");
        if (!consent) {
            out.println("Nothing has been changed. To do it, add " + CONSENT + ".");
            return NOT_DONE;
        }
        Files.createDirectories(directory);
        AcceptorLogSettings settings = AcceptorLogSettings.defaults().withRetentionBytes(ordering.logRetentionBytes());
        // Its lock shows whether a server runs on the directory.
        try (AcceptorLog log = AcceptorLogs.open(directory, ordering.logStore(), ordering.durability(), settings)) {
            new MoveInRequest(without).write(directory);
        }
        out.println("Done: the next start of this server carries it out.");
        return 0;
    }

    private static List<Integer> without(OrderingConfig ordering, String text) throws UserMistakeException {
        try {
            List<Integer> ids = MoveInRequest.ids(text);
            if (ids.isEmpty()) {
                throw new IllegalArgumentException("'" + text + "' is no list of server ids such as 2,3");
            }
            for (int id : ids) {
                if (id == ordering.replicaId() || !ordering.members().containsKey(id)) {
                    throw new IllegalArgumentException("server." + id + " is not one of the other servers");
                }
            }
            return ids;
        } catch (IllegalArgumentException e) {
            throw new UserMistakeException(Exit.INVALID_CONFIGURATION, WITHOUT + ": " + e.getMessage());
        }
    }
}
