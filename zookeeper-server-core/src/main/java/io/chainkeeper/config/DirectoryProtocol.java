package io.chainkeeper.config;

import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.LogTraces;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/**
 * Which protocol a data directory is of. Another one would take its records for its own: the same numbers mean
 * something else there. Reads only. Stateless.
 */
public final class DirectoryProtocol {
    private static final String WAY = "zkServer.sh switch-protocol";
    private static final String NEXT_SUFFIX = ".next";

    private DirectoryProtocol() {}

    /**
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}
     * @return where {@code switch-protocol} prepares what is to take its place
     */
    public static Path prepared(Path orderingDirectory) {
        return orderingDirectory.resolveSibling(orderingDirectory.getFileName() + NEXT_SUFFIX);
    }

    /**
     * Finds a {@code switch-protocol} that was cut short between moving the old order aside and putting the next one
     * into its place. Whoever started then would take the data for that of a new server.
     *
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}
     * @return the protocol that it switches to; null if there is none
     * @throws IOException if the prepared directory cannot be read
     */
    public static String cutShort(Path orderingDirectory) throws IOException {
        if (Files.exists(orderingDirectory.resolve(ClusterIdentity.FILE_NAME))) {
            return null;
        }
        ClusterIdentity next = ClusterIdentity.read(prepared(orderingDirectory));
        return next == null ? null : next.protocol();
    }

    /**
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}
     * @param to what {@link #cutShort} has found
     * @return what to do, one line
     */
    public static String finish(Path orderingDirectory, String to) {
        return orderingDirectory + ": a " + WAY + " " + to + " was cut short; finish it with " + WAY + " " + to
                + " --yes, or delete " + prepared(orderingDirectory) + " and put the directory "
                + orderingDirectory.getFileName() + "-of-... back (docs/moving.md)";
    }

    /**
     * Finds out which protocol has written a directory: from its identity, from its log, or, where neither bears the
     * name, from the records of the log.
     *
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}; need not exist
     * @param identity what {@link ClusterIdentity#read} found there
     * @param factories the protocols that there are
     * @return name of the protocol; null if none has written anything
     * @throws IOException if the log cannot be read, or its protocol cannot be told; one line
     */
    public static String find(
            Path orderingDirectory, ClusterIdentity identity, Collection<OrderingProtocolFactory> factories)
            throws IOException {
        if (identity != null && identity.protocol() != null) {
            return identity.protocol();
        }
        LogTraces traces = AcceptorLogs.traces(orderingDirectory);
        if (traces == null) {
            return null;
        }
        LogRecord named = traces.metadata(LogRecord.PROTOCOL_KIND);
        if (named != null) {
            return new String(named.head().toByteArray(), StandardCharsets.UTF_8);
        }
        List<String> possible = factories.stream()
                .filter(factory -> factory.mayHaveWritten(traces))
                .map(OrderingProtocolFactory::name)
                .toList();
        if (possible.size() == 1) {
            return possible.get(0);
        }
        if (possible.isEmpty() && traces.positionalKinds().isEmpty()) {
            // Nothing has been promised or accepted: what else may be there is the same in all protocols.
            return null;
        }
        throw new UserMistakeException(
                Exit.CANNOT_START,
                orderingDirectory + ": it cannot be told with which ordering.protocol the acceptor log here was written"
                        + " (possible: " + possible + "); start it with the release that wrote it, or put the"
                        + " directory of this server back from where it went");
    }

    /**
     * Refuses a directory that another protocol has written.
     *
     * @param zooCfg asks for a protocol
     * @param orderingDirectory see {@link OrderingConfig#orderingDirectory()}; need not exist
     * @param identity what {@link ClusterIdentity#read} found there
     * @param configured the protocol that the file asks for
     * @param factories the protocols that there are
     * @throws UserMistakeException if the directory is another one's
     */
    static void check(
            SettingsFile zooCfg,
            Path orderingDirectory,
            ClusterIdentity identity,
            String configured,
            Collection<OrderingProtocolFactory> factories)
            throws UserMistakeException {
        String written = findForStart(orderingDirectory, identity, factories);
        if (written == null || written.equals(configured)) {
            return;
        }
        String asked = zooCfg.find(OrderingSettings.PROTOCOL)
                .map(zooCfg::at)
                .orElse(zooCfg.path() + ": " + OrderingSettings.PROTOCOL + " is " + configured + " unless set");
        throw refusal(asked, orderingDirectory, written, configured);
    }

    /**
     * Refuses, to ZooKeeper's own server, a directory that one of our protocols has written: what the acceptor log
     * holds and this server has not executed would be lost.
     *
     * @param asked where and how that server was asked for, begins the message
     * @param logDirectory its {@code dataLogDir}, or {@code dataDir}
     * @param factories the protocols that there are
     * @throws UserMistakeException if the directory is one of ours
     */
    public static void checkStock(String asked, Path logDirectory, Collection<OrderingProtocolFactory> factories)
            throws UserMistakeException {
        Path orderingDirectory = logDirectory.resolve(OrderingConfig.ORDERING_DIRECTORY);
        String written = findForStart(orderingDirectory, read(orderingDirectory), factories);
        if (written != null) {
            throw refusal(asked, orderingDirectory, written, OrderingConfig.ZAB);
        }
    }

    /** As {@link ClusterIdentity#read}. */
    static ClusterIdentity read(Path orderingDirectory) throws UserMistakeException {
        try {
            return ClusterIdentity.read(orderingDirectory);
        } catch (IOException e) {
            throw UserMistakeException.inDirectory("%s", FileFailure.text(e));
        }
    }

    private static String findForStart(
            Path orderingDirectory, ClusterIdentity identity, Collection<OrderingProtocolFactory> factories)
            throws UserMistakeException {
        try {
            String written = find(orderingDirectory, identity, factories);
            String wanted = written == null ? cutShort(orderingDirectory) : null;
            if (wanted != null) {
                throw new UserMistakeException(Exit.CANNOT_START, finish(orderingDirectory, wanted));
            }
            return written;
        } catch (UserMistakeException e) {
            throw e;
        } catch (IOException e) {
            throw new UserMistakeException(Exit.CANNOT_START, FileFailure.text(e));
        }
    }

    private static UserMistakeException refusal(
            String asked, Path orderingDirectory, String written, String configured) {
        return new UserMistakeException(
                Exit.CANNOT_START,
                asked + ", but " + orderingDirectory + " holds the data of a server with ordering.protocol=" + written
                        + ": nothing was changed. Start it so, or switch all servers, stopped: " + WAY + " "
                        + configured + " (docs/moving.md)");
    }
}
