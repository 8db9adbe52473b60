package io.chainkeeper.main;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.FeatureLevelRequest;
import io.chainkeeper.config.FileFailure;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** Shows the feature level of a server's cluster, or has its running server raise it (docs/upgrading.md). */
public final class FeatureLevelCommand {
    private static final String USAGE = "Usage: zkServer.sh feature-level [LEVEL] [ZOO_CFG]";
    private static final long LIMIT_MILLIS = 30_000;
    private static final long LOOK_EVERY_MILLIS = 100;
    private static final int NOT_DONE = Exit.CANNOT_START.code();

    private final PrintStream out;
    private final PrintStream err;
    private final long limitMillis;

    /**
     * @param out where the level is printed
     * @param err where the one line of a refusal goes
     * @param limitMillis how long the running server may take
     */
    FeatureLevelCommand(PrintStream out, PrintStream err, long limitMillis) {
        this.out = out;
        this.err = err;
        this.limitMillis = limitMillis;
    }

    /**
     * Runs the command and ends the process: 0 if the level was shown or is in force, 1 if it is not, 2 if the command
     * line or the configuration is wrong, 3 if a directory cannot be used.
     *
     * @param args a level, if it is to be raised, and the path of a zoo.cfg
     * @throws InterruptedException if the waiting thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        System.exit(new FeatureLevelCommand(System.out, System.err, LIMIT_MILLIS).run(List.of(args)));
    }

    int run(List<String> args) throws InterruptedException {
        boolean raises = args.size() == 2;
        if (args.isEmpty() || args.size() > 2 || raises && !args.get(0).matches("[1-9]\\d{0,8}")) {
            err.println(USAGE);
            return Exit.INVALID_CONFIGURATION.code();
        }
        try {
            Path ordering =
                    DataDirectories.read(Path.of(args.get(args.size() - 1))).orderingDirectory();
            ClusterIdentity identity = ClusterIdentity.read(ordering);
            if (identity == null || identity.clusterId() == null) {
                err.println(
                        ordering + " belongs to no cluster yet: it will begin with the newest feature level that its"
                                + " servers know");
                return NOT_DONE;
            }
            return raises ? raise(ordering, Integer.parseInt(args.get(0))) : show(identity.level());
        } catch (IOException | InvalidPathException e) {
            return CommandFailure.print(e, err, NOT_DONE);
        }
    }

    private int show(FeatureLevel level) {
        out.println((level.number() == FeatureRange.NO_LEVEL
                        ? "The feature level is not known here yet: start the server once"
                        : "Feature level " + level.number() + " is in force, which release " + level.release()
                                + " brought")
                + ". This is release " + Release.name() + ", which knows " + Release.levels() + ".");
        return 0;
    }

    /** A request that outlived this command would be taken by whatever server starts on the directory one day. */
    private int raise(Path ordering, int level) throws IOException, InterruptedException {
        Thread withdrawal = new Thread(() -> withdraw(ordering), "withdraw-feature-level");
        Runtime.getRuntime().addShutdownHook(withdrawal);
        try {
            return raiseWithin(ordering, level);
        } finally {
            removeHook(withdrawal);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException interrupted) {
            // The hook runs, or has run.
        }
    }

    private void withdraw(Path ordering) {
        try {
            if (FeatureLevelRequest.giveUp(ordering)) {
                err.println("Interrupted: no server has taken the request, and it is withdrawn");
            }
        } catch (IOException e) {
            err.println("Interrupted, but the request stays: " + FileFailure.text(e) + "; delete "
                    + ordering.resolve(FeatureLevelRequest.FILE_NAME) + " unless the level is to be raised");
        }
    }

    private int raiseWithin(Path ordering, int level) throws IOException, InterruptedException {
        new FeatureLevelRequest(level).write(ordering);
        for (long waited = 0; waited < limitMillis; waited += LOOK_EVERY_MILLIS) {
            FeatureLevel present = ClusterIdentity.read(ordering).level();
            String refusal = FeatureLevelRequest.refusal(ordering);
            if (refusal != null) {
                err.println("Feature level " + level + " is not put in force: " + refusal);
                return NOT_DONE;
            }
            if (present.number() >= level) {
                FeatureLevelRequest.giveUp(ordering);
                return show(present);
            }
            Thread.sleep(LOOK_EVERY_MILLIS);
        }
        boolean untaken = FeatureLevelRequest.giveUp(ordering);
        err.println("Feature level " + level + " is not in force: "
                + (untaken
                        ? "no server runs on " + ordering + "; start it, and try again"
                        : "the order has not answered within " + limitMillis / 1000
                                + " s; see whether a majority of the servers serves, and try again"));
        return NOT_DONE;
    }
}
