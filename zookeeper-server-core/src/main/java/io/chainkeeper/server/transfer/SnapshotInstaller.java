package io.chainkeeper.server.transfer;

import io.chainkeeper.command.ImportedState;
import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.release.NewerFormatException;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.server.transfer.IncomingState.Step;
import io.chainkeeper.server.transfer.StateManifest.Kind;
import io.chainkeeper.server.transfer.StateManifest.StateFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a state that has been fetched in the place of this replica's own, when it starts and before anything is loaded.
 * Whatever step a crash interrupts, the next start goes on: a file that is still in {@code incoming} has its step
 * before it, one that is no longer there behind it. The replica's old files go into directories named {@code replaced}
 * beside them (data and log may be on different devices) and are deleted at the end. The acceptor log stays: its
 * promises hold, and what was accepted above the installed position. What was accepted up to there no longer
 * counts ({@link InstalledState}).
 */
public final class SnapshotInstaller {
    /** Old files, in each directory that holds some, until the installation has ended. */
    static final String REPLACED = "replaced";

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotInstaller.class);
    private static final String COPY_SUFFIX = ".copied" + AtomicFile.TEMPORARY_SUFFIX;
    private static final Pattern SNAPSHOTS = Pattern.compile("snapshot\\..*|acceptedEpoch|currentEpoch");
    private static final Pattern LOGS = Pattern.compile("log\\..*");
    private static final Pattern CHECKPOINTS = Pattern.compile("checkpoint\\..*");

    /** Gives a file its place; fails with {@link AtomicMoveNotSupportedException} where that is on another device. */
    @FunctionalInterface
    interface Move {
        void apply(Path from, Path to) throws IOException;
    }

    private final Path orderingDirectory;
    private final Path incoming;
    private final Path snapshotDirectory;
    private final Path logDirectory;
    private final CheckpointStore checkpoints;
    private final int replicaId;
    private final Step step;
    private final Move move;
    private boolean replacesWrongState;

    /**
     * @param replicaId this replica
     * @param orderingDirectory where the acceptor log and {@code incoming} lie
     * @param snapshotDirectory {@code dataDir/version-2}
     * @param logDirectory {@code dataLogDir/version-2}
     * @param checkpoints the checkpoints
     */
    public SnapshotInstaller(
            int replicaId,
            Path orderingDirectory,
            Path snapshotDirectory,
            Path logDirectory,
            CheckpointStore checkpoints) {
        this(replicaId, orderingDirectory, snapshotDirectory, logDirectory, checkpoints, () -> {}, AtomicFile::rename);
    }

    SnapshotInstaller(
            int replicaId,
            Path orderingDirectory,
            Path snapshotDirectory,
            Path logDirectory,
            CheckpointStore checkpoints,
            Step step,
            Move move) {
        this.replicaId = replicaId;
        this.orderingDirectory = orderingDirectory;
        this.incoming = orderingDirectory.resolve(IncomingState.DIRECTORY);
        this.snapshotDirectory = snapshotDirectory;
        this.logDirectory = logDirectory;
        this.checkpoints = checkpoints;
        this.step = step;
        this.move = move;
    }

    /**
     * The own state is known to be wrong: an older one may replace it, as far as the acceptor log goes on from there.
     *
     * @return this
     */
    public SnapshotInstaller replacingWrongState() {
        replacesWrongState = true;
        return this;
    }

    /**
     * Installs the state that has arrived, if one has.
     *
     * @return whether this replica's state is now another one
     * @throws IOException if a file cannot be moved; the next start goes on from there
     */
    public boolean run() throws IOException {
        Path complete = incoming.resolve(IncomingState.COMPLETE);
        Path installing = incoming.resolve(IncomingState.INSTALLING);
        StateManifest arrived = IncomingState.read(complete);
        if (arrived != null) {
            if (!isNewer(arrived)) {
                LOG.info("The state of position {} that was fetched is not needed any more", arrived.position());
                IncomingState.deleteTree(incoming, step);
                return false;
            }
            requireNothingLost(arrived);
            step.before();
            AtomicFile.rename(complete, installing);
        }
        if (!Files.exists(installing)) {
            deleteReplaced();
            return false;
        }
        StateManifest manifest = IncomingState.read(installing);
        if (manifest == null) {
            throw new IOException(installing + " is damaged, so it is unknown which files belong to the state that was"
                    + " being installed. Delete the data directories of this server except for myid, and start it"
                    + " again: it fetches the state of another member");
        }
        install(manifest);
        return true;
    }

    /** The own acceptor log may begin after the own checkpoint, so an older state could not be continued. */
    private boolean isNewer(StateManifest arrived) throws IOException {
        return arrived.position() > ownPosition()
                || arrived.position() == ownPosition() && InstalledState.mayLackOrigin(orderingDirectory)
                || replacesWrongState && arrived.position() >= oldestPosition(checkpoints);
    }

    /** What Apache ZooKeeper has left here must not have more than the cluster began with. */
    private void requireNothingLost(StateManifest arrived) throws IOException {
        List<Checkpoint> own;
        try {
            own = checkpoints.readForStart();
        } catch (NewerFormatException e) {
            throw e;
        } catch (IOException e) {
            return; // what was noted about it is as damaged as the state
        }
        if (own.isEmpty()) {
            return;
        }
        try {
            ReplicatedState replicated = ReplicatedState.decode(own.get(0).replicatedState());
            ImportedState imported = replicated.importedStates().of(replicaId);
            if (replicated.clusterId() != null || imported == null) {
                return;
            }
            Path file = incoming.resolve(arrived.find(Kind.CHECKPOINT).name());
            ImportedState origin = ReplicatedState.decode(Checkpoint.decode(Files.readAllBytes(file), file.toString())
                            .replicatedState())
                    .importedStates()
                    .origin();
            String refusal = imported.refusalOfReplacementBy(origin == null ? ImportedState.EMPTY : origin);
            if (refusal != null) {
                throw new IOException(snapshotDirectory + " " + refusal);
            }
        } catch (MalformedMessageException e) {
            throw new IOException("a checkpoint in " + incoming + " or of this replica " + e.getMessage(), e);
        }
    }

    /**
     * Up to where the acceptor log may have been cut.
     *
     * @param checkpoints this replica's
     * @return position of the oldest one, 0 if there is none
     * @throws IOException if they cannot be read
     */
    public static long oldestPosition(CheckpointStore checkpoints) throws IOException {
        long oldest = Long.MAX_VALUE;
        for (Checkpoint checkpoint : checkpoints.readAll()) {
            oldest = Math.min(oldest, checkpoint.position());
        }
        return oldest == Long.MAX_VALUE ? 0 : oldest;
    }

    private long ownPosition() {
        try {
            List<Checkpoint> own = checkpoints.readForStart();
            return own.isEmpty() ? 0 : own.get(0).position();
        } catch (IOException e) {
            LOG.warn("This replica's own state is of no use: {}", e.getMessage());
            return 0;
        }
    }

    private void install(StateManifest manifest) throws IOException {
        LOG.info("Installing the state of position {}", manifest.position());
        AtomicFile.createDirectories(snapshotDirectory);
        AtomicFile.createDirectories(logDirectory);
        setAside(snapshotDirectory, SNAPSHOTS, manifest);
        setAside(logDirectory, LOGS, manifest);
        setAside(checkpoints.directory(), CHECKPOINTS, manifest);
        for (Kind kind : new Kind[] {Kind.TRANSACTIONS, Kind.SNAPSHOT, Kind.CHECKPOINT}) {
            for (StateFile file : manifest.files()) {
                if (file.kind() == kind) {
                    place(incoming.resolve(file.name()), target(file));
                }
            }
        }
        mark(manifest);
        IncomingState.deleteTree(incoming, step);
        deleteReplaced();
        LOG.info("The state of position {} is installed", manifest.position());
    }

    private Path target(StateFile file) {
        return switch (file.kind()) {
            case CHECKPOINT -> checkpoints.directory().resolve(file.name());
            case SNAPSHOT -> snapshotDirectory.resolve(file.name());
            case TRANSACTIONS -> logDirectory.resolve(file.name());
        };
    }

    /** Old files, and what an interrupted copy left; not those that have been put in their places before a crash. */
    private void setAside(Path directory, Pattern names, StateManifest manifest) throws IOException {
        List<Path> old = new ArrayList<>();
        for (Path file : DataFiles.all(directory)) {
            String name = file.getFileName().toString();
            boolean placed = manifest.names(name) && !Files.exists(incoming.resolve(name));
            if (names.matcher(name).matches() && !placed) {
                old.add(file);
            }
        }
        Path replaced = directory.resolve(REPLACED);
        AtomicFile.createDirectories(replaced);
        for (Path file : old) {
            step.before();
            Files.move(
                    file,
                    replaced.resolve(file.getFileName()),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        }
        AtomicFile.forceDirectory(replaced);
        AtomicFile.forceDirectory(directory);
    }

    private void place(Path from, Path to) throws IOException {
        if (!Files.exists(from)) {
            return;
        }
        step.before();
        try {
            move.apply(from, to);
        } catch (AtomicMoveNotSupportedException e) {
            placeOnOtherDevice(from, to);
        }
        AtomicFile.forceDirectory(from.toAbsolutePath().getParent());
    }

    private void placeOnOtherDevice(Path from, Path to) throws IOException {
        Path copy = to.resolveSibling(to.getFileName() + COPY_SUFFIX);
        Files.copy(from, copy, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        step.before();
        AtomicFile.rename(copy, to);
        step.before();
        Files.delete(from);
    }

    /**
     * The name that the cluster had by then is not noted: while its past is replayed it may still get another one (see
     * {@link io.chainkeeper.server.maintenance.ClusterNaming}).
     */
    private void mark(StateManifest manifest) throws IOException {
        ClusterIdentity known = ClusterIdentity.read(orderingDirectory);
        InstalledState before = InstalledState.read(orderingDirectory);
        boolean isNew = known == null || known.clusterId() == null;
        step.before();
        new InstalledState(manifest.position(), isNew || before != null && before.newDirectory(), manifest.promise())
                .write(orderingDirectory);
    }

    private void deleteReplaced() throws IOException {
        for (Path directory : new Path[] {snapshotDirectory, logDirectory, checkpoints.directory()}) {
            IncomingState.deleteTree(directory.resolve(REPLACED), step);
        }
    }
}
