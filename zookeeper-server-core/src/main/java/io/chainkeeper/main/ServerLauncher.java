package io.chainkeeper.main;

import io.chainkeeper.config.DirectoryProtocol;
import io.chainkeeper.config.FileFailure;
import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.config.StartupConfig;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.log.Durability;
import io.chainkeeper.main.ServerStarter.RunningServer;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.zookeeper.audit.ZKAuditProvider;
import org.apache.zookeeper.server.ExitCode;
import org.apache.zookeeper.server.admin.AdminServer.AdminServerException;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog.DatadirException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses the server that a zoo.cfg asks for, runs it, and turns what goes wrong into one line and an exit code. */
final class ServerLauncher {
    private static final Logger LOG = LoggerFactory.getLogger(ServerLauncher.class);
    private static final String USAGE = "Usage: ChainkeeperMain configfile | port dataDir [tickTime] [maxClientCnxns]";

    private final Iterable<OrderingProtocolFactory> factories;
    private final ServerStarter starter;
    private final Consumer<String[]> stockServer;
    private final PrintStream err;

    /**
     * Creates a launcher.
     *
     * @param factories the protocols that there are
     * @param starter starts a replica
     * @param stockServer main program of the stock server; given the command line
     * @param err where the one line for the user goes
     */
    ServerLauncher(
            Iterable<OrderingProtocolFactory> factories,
            ServerStarter starter,
            Consumer<String[]> stockServer,
            PrintStream err) {
        this.factories = factories;
        this.starter = starter;
        this.stockServer = stockServer;
        this.err = err;
    }

    /**
     * Runs a server until it ends.
     *
     * @param args the command line
     * @return the process's exit code, one of ZooKeeper's
     */
    int run(String[] args) {
        if (args.length == 0 || args.length > 4) {
            err.println(USAGE);
            return Exit.INVALID_CONFIGURATION.code();
        }
        try {
            Optional<StartupConfig> config =
                    args.length == 1 ? new OrderingConfigParser(factories).parse(path(args[0])) : Optional.empty();
            if (config.isPresent()) {
                return runReplica(config.get());
            }
            if (args.length > 1) {
                checkStandAlone(path(args[1]));
            }
            stockServer.accept(args);
            return 0;
        } catch (UserMistakeException e) {
            return refuse(e.getMessage(), e.exit().code());
        } catch (IOException e) {
            LOG.debug("Not started", e);
            return refuse(FileFailure.text(e), exitCode(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return refuse("interrupted while running", Exit.CANNOT_START.code());
        } catch (InvalidPathException e) {
            return refuse(CommandFailure.text(e), Exit.INVALID_CONFIGURATION.code());
        } catch (RuntimeException e) {
            LOG.error("Unexpected failure, exiting abnormally", e);
            return refuse("unexpected failure: " + e + "; the log has the details", Exit.CANNOT_START.code());
        }
    }

    /** ZooKeeper's exit code for what stands behind a failure to start. */
    private static int exitCode(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UserMistakeException mistake) {
                return mistake.exit().code();
            }
            if (cause instanceof DatadirException) {
                return ExitCode.UNABLE_TO_ACCESS_DATADIR.getValue();
            }
            if (cause instanceof AdminServerException) {
                return ExitCode.ERROR_STARTING_ADMIN_SERVER.getValue();
            }
        }
        return ExitCode.UNEXPECTED_ERROR.getValue();
    }

    private static Path path(String argument) throws UserMistakeException {
        try {
            return Path.of(argument);
        } catch (InvalidPathException e) {
            throw new UserMistakeException(
                    Exit.INVALID_CONFIGURATION,
                    "'" + argument + "' is not a path; give the path of a zoo.cfg, or of a data directory");
        }
    }

    private void checkStandAlone(Path dataDirectory) throws UserMistakeException {
        List<OrderingProtocolFactory> known = new ArrayList<>();
        factories.forEach(known::add);
        DirectoryProtocol.checkStock("port and dataDir ask for ZooKeeper's stand-alone server", dataDirectory, known);
    }

    private int runReplica(StartupConfig config) throws IOException, InterruptedException {
        if (config.ordering().durability() != Durability.SYNC) {
            LOG.warn(
                    "ordering.durability={}: writes that were acknowledged can be lost when the machine fails{}",
                    config.ordering().durability(),
                    config.ordering().durability() == Durability.MEMORY ? ", or when this process ends" : "");
        }
        RunningServer server = starter.start(config);
        Thread stopper = new Thread(server::close, "stop-on-signal");
        Runtime.getRuntime().addShutdownHook(stopper);
        try (server) {
            int exitCode = server.awaitEnd();
            if (server.failureMessage() != null) {
                err.println(line(server.failureMessage()));
            }
            return exitCode;
        } finally {
            removeHook(stopper);
        }
    }

    private static void removeHook(Thread stopper) {
        try {
            Runtime.getRuntime().removeShutdownHook(stopper);
        } catch (IllegalStateException alreadyShuttingDown) {
            LOG.debug("The process is ending");
        }
    }

    private static String line(String message) {
        return message.replaceAll("\\R+", " ");
    }

    private int refuse(String message, int exitCode) {
        String line = line(message);
        LOG.error("Not started: {}", line);
        err.println(line);
        ZKAuditProvider.addServerStartFailureAuditLog();
        return exitCode;
    }
}
