package io.chainkeeper.main;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.DirectoryProtocol;
import io.chainkeeper.config.NewClusterRequest;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.ImportedDirectory;
import io.chainkeeper.server.storage.Recovery;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.storage.StopMarker.Stopped;
import io.chainkeeper.server.storage.UnexecutedWrites;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.TreeSet;

/**
 * Prepares the directory of one stopped server for another protocol: what has been executed stays, and the order with
 * its acceptor log is put aside, so that the next start moves that data in (docs/decisions/008-moving-in.md). Refuses
 * where something that the server has accepted might then be missing. Says first what it would do, and does nothing
 * without {@code --yes}.
 */
public final class SwitchProtocol {
    private static final String USAGE = "Usage: zkServer.sh switch-protocol NAME [--yes] [ZOO_CFG]";
    private static final String CONSENT = "--yes";
    private static final String EPOCH_FILE = "currentEpoch";
    private static final String ACCEPTED_EPOCH_FILE = "acceptedEpoch";
    private static final String STOP_ONCE_MORE =
            "Start all servers as they were, stop the clients' writes, wait a second,"
                    + " stop the servers with zkServer.sh stop, and run this again";
    private static final int NOT_DONE = Exit.CANNOT_START.code();

    private final List<OrderingProtocolFactory> factories = new ArrayList<>();
    private final PrintStream out;
    private final PrintStream err;

    /**
     * @param factories the protocols that there are
     * @param out where the explanation goes
     * @param err where the one line of a refusal goes
     */
    SwitchProtocol(Iterable<OrderingProtocolFactory> factories, PrintStream out, PrintStream err) {
        factories.forEach(this.factories::add);
        this.out = out;
        this.err = err;
    }

    /**
     * Runs the command and ends the process: 0 if the next start is one with the protocol, 1 if nothing was changed, 2
     * if the command line or the configuration is wrong, 3 if a directory cannot be used.
     *
     * @param args name of the protocol and path of a zoo.cfg; {@code --yes}
     */
    public static void main(String[] args) {
        System.exit(new SwitchProtocol(ServiceLoader.load(OrderingProtocolFactory.class), System.out, System.err)
                .run(args));
    }

    int run(String... args) {
        List<String> rest = new ArrayList<>(List.of(args));
        boolean consent = rest.remove(CONSENT);
        if (rest.size() != 2 || rest.stream().anyMatch(argument -> argument.startsWith("-"))) {
            err.println(USAGE);
            return Exit.INVALID_CONFIGURATION.code();
        }
        try {
            return run(rest.get(0), DataDirectories.read(Path.of(rest.get(1))), consent);
        } catch (IOException | InvalidPathException e) {
            return CommandFailure.print(e, err, NOT_DONE);
        }
    }

    private int run(String name, DataDirectories directories, boolean consent) throws IOException {
        checkName(name);
        Path ordering = directories.orderingDirectory();
        Path next = DirectoryProtocol.prepared(ordering);
        String wanted = Files.notExists(ordering) ? DirectoryProtocol.cutShort(ordering) : null;
        if (wanted != null && !wanted.equals(name)) {
            throw new IOException(DirectoryProtocol.finish(ordering, wanted));
        }
        if (wanted != null) {
            if (consent) {
                AtomicFile.rename(next, ordering);
            }
            return said("An earlier run of this command has been cut short.", name, consent);
        }
        ClusterIdentity identity = ClusterIdentity.read(ordering);
        String written = DirectoryProtocol.find(ordering, identity, factories);
        if (written == null || written.equals(name)) {
            out.println(ordering + (written == null ? " holds no order" : " is of " + name + " already")
                    + ": there is nothing to switch. Set ordering.protocol=" + name + " and start the server.");
            return 0;
        }
        if (identity == null) {
            throw new IOException(ordering + " has lost its file " + ClusterIdentity.FILE_NAME
                    + "; put the directory back from where it went");
        }
        LogStore store = AcceptorLogs.present(ordering);
        if (store == null) {
            // ordering.durability=memory: nothing is promised beyond the process.
            return run(new Switch(written, name, identity, directories, next), wholeState(directories), consent);
        }
        try (AcceptorLog log = AcceptorLogs.open(ordering, store, Durability.SYNC, AcceptorLogSettings.defaults())) {
            Stopped stopped = wholeState(directories);
            checkEverythingIsExecuted(log, stopped);
            return run(new Switch(written, name, identity, directories, next), stopped, consent);
        }
    }

    private void checkName(String name) throws UserMistakeException {
        TreeSet<String> names = new TreeSet<>(List.of(OrderingConfig.ZAB));
        factories.forEach(factory -> names.add(factory.name()));
        if (!names.contains(name)) {
            throw new UserMistakeException(
                    Exit.INVALID_CONFIGURATION, name + ": unknown protocol; use one of " + String.join(", ", names));
        }
    }

    /** What a server that was stopped, and not killed, has left. */
    private static Stopped wholeState(DataDirectories directories) throws IOException {
        Path ordering = directories.orderingDirectory();
        if (NewClusterRequest.read(ordering) != null) {
            throw new IOException(ordering.resolve(NewClusterRequest.FILE_NAME)
                    + " has not been carried out yet: start this server first, or delete that file");
        }
        StopMarker.Growth growth =
                StopMarker.growth(ordering, directories.transactions()).orElse(null);
        if (growth != null) {
            throw new IOException("transaction log in " + directories.transactions() + " ends at "
                    + Zxids.text(growth.last()) + " but this server stopped at " + Zxids.text(growth.stopped())
                    + ": it was changed outside this cluster's order, probably by Apache ZooKeeper; to move that data"
                    + " in, delete the ordering directory of every server (docs/moving.md)");
        }
        Stopped stopped = StopMarker.stopped(ordering).orElse(null);
        if (stopped == null || stopped.position() == StopMarker.NO_POSITION) {
            throw new IOException(ordering + ": this server "
                    + (stopped == null ? "was killed" : "stopped without the whole state of its cluster")
                    + ", so what it has acknowledged may not be in its transaction log. " + STOP_ONCE_MORE);
        }
        return new Stopped(Math.max(stopped.zxid(), ofCheckpoint(ordering)), stopped.position());
    }

    /** Behind a state that was fetched or restored there may be no transaction yet. */
    private static long ofCheckpoint(Path ordering) throws IOException {
        Path checkpoints = ordering.resolve(CheckpointStore.DIRECTORY);
        // The store would make the directory, and nothing is to be changed yet.
        List<Checkpoint> all =
                Files.isDirectory(checkpoints) ? new CheckpointStore(checkpoints).readForStart() : List.of();
        return all.isEmpty() ? 0 : all.get(0).zxid();
    }

    /**
     * Everything that was acknowledged has been accepted by a quorum. If each server has executed all writes that it
     * has accepted, a quorum has executed every acknowledged one, and it is in their transaction logs.
     */
    private static void checkEverythingIsExecuted(AcceptorLog log, Stopped stopped) throws IOException {
        UnexecutedWrites writes = new UnexecutedWrites();
        try {
            log.recovered(stopped.position()).forEachPosition(stopped.position() + 1, writes::look);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        if (writes.first() != 0) {
            throw new IOException("this server has accepted " + writes.count() + " writes, the first at position "
                    + writes.first() + ", that it had not executed when it stopped at position " + stopped.position()
                    + ": they may have been acknowledged. " + STOP_ONCE_MORE);
        }
    }

    /** What is to be done: the old protocol, the new one, whose directory it is, and where the next one is prepared. */
    private record Switch(
            String from, String to, ClusterIdentity identity, DataDirectories directories, Path prepared) {
        boolean toStockServer() {
            return to.equals(OrderingConfig.ZAB);
        }
    }

    private int run(Switch wanted, Stopped stopped, boolean consent) throws IOException {
        Path aside = aside(wanted);
        ClusterIdentity identity = wanted.identity();
        out.println("Server " + identity.replicaId() + " of cluster "
                + (identity.clusterId() == null ? "(not named yet)" : identity.clusterId()) + " stands at zxid "
                + Zxids.text(stopped.zxid()) + ". It is to be switched from " + wanted.from() + " to " + wanted.to()
                + ".");
        out.println("  Kept:  what it has executed, with sessions and ephemeral nodes. No write that it has accepted"
                + " waits to be executed.");
        out.println("  Moved: " + wanted.directories().orderingDirectory() + " to " + aside.getFileName()
                + ", not needed any more when all servers serve again.");
        out.println("  Then:  the same on every other server. "
                + (wanted.toStockServer()
                        ? "All must stand at " + Zxids.text(stopped.zxid())
                                + ": Apache ZooKeeper begins with what a majority has."
                        : "Those that stand at less fetch the rest when they start; one that is missing is waited"
                                + " for."));
        if (consent) {
            carryOut(wanted, stopped, aside);
        }
        return said("", wanted.to(), consent);
    }

    private int said(String first, String name, boolean consent) {
        if (!first.isEmpty()) {
            out.println(first);
        }
        if (!consent) {
            out.println("Nothing has been changed. To do it, add " + CONSENT + ".");
            return NOT_DONE;
        }
        out.println("Done: set ordering.protocol=" + name + " in the zoo.cfg of every server, and start them.");
        return 0;
    }

    /** Where the old order goes; a name that is free. */
    private static Path aside(Switch wanted) {
        Path ordering = wanted.directories().orderingDirectory();
        String name = OrderingConfig.ORDERING_DIRECTORY + "-of-" + wanted.from() + "-"
                + (wanted.identity().clusterId() == null
                        ? "unnamed"
                        : wanted.identity().clusterId());
        Path aside = ordering.resolveSibling(name);
        for (int number = 2; Files.exists(aside); number++) {
            aside = ordering.resolveSibling(name + "-" + number);
        }
        return aside;
    }

    private static void carryOut(Switch wanted, Stopped stopped, Path aside) throws IOException {
        Path ordering = wanted.directories().orderingDirectory();
        Path next = wanted.prepared();
        boolean formed = wanted.identity().clusterId() != null
                || Recovery.isOfCluster(
                        new CheckpointStore(ordering.resolve(CheckpointStore.DIRECTORY)), stopped.zxid());
        deletePrepared(next);
        if (wanted.toStockServer()) {
            if (formed) {
                evenEpoch(wanted.directories().snapshots(), Zxids.epoch(stopped.zxid()));
            }
        } else {
            Files.createDirectories(next);
            ImportedDirectory.carryOver(ordering, formed, next);
            new ClusterIdentity(wanted.identity().replicaId(), null, wanted.to()).write(next);
        }
        Files.move(ordering, aside, StandardCopyOption.ATOMIC_MOVE);
        AtomicFile.forceDirectory(wanted.directories().logDirectory());
        if (!wanted.toStockServer()) {
            AtomicFile.rename(next, ordering);
        }
    }

    /** Of a run that was cut short before it had moved anything. The identity goes first: it says that all is there. */
    private static void deletePrepared(Path next) throws IOException {
        if (!Files.isDirectory(next)) {
            return;
        }
        Files.deleteIfExists(next.resolve(ClusterIdentity.FILE_NAME));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(next)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(next);
    }

    /**
     * Servers of one cluster differ in their zxids only: nothing else may decide whose data ZooKeeper begins with. It
     * starts in no epoch that it has not accepted, as one that has begun here because the numbers of the former one
     * were used up.
     */
    private static void evenEpoch(Path snapshots, long epoch) throws IOException {
        Path accepted = snapshots.resolve(ACCEPTED_EPOCH_FILE);
        if (Files.exists(accepted) && read(accepted) < epoch) {
            write(accepted, epoch);
        }
        Path current = snapshots.resolve(EPOCH_FILE);
        if (Files.exists(current)) {
            write(current, epoch);
        }
    }

    private static void write(Path file, long epoch) throws IOException {
        AtomicFile.write(file, Long.toString(epoch).getBytes(StandardCharsets.UTF_8));
    }

    private static long read(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.UTF_8).trim();
        if (!text.matches("[0-9]{1,18}")) {
            throw new IOException(file + " is damaged: it must hold the number of an epoch; nothing was changed");
        }
        return Long.parseLong(text);
    }
}
