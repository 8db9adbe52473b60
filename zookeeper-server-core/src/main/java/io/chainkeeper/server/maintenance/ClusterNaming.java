package io.chainkeeper.server.maintenance;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.ImportedState;
import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.FeatureLevelRequest;
import io.chainkeeper.config.MoveInRequest;
import io.chainkeeper.config.NewClusterRequest;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.server.state.ReplicatedState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the name of the cluster on disk and in the order the same. Normally the order names the cluster and the disk
 * notes it. After the quorum was lost for good it is the other way round: the disk has the new name first, because
 * links of the old cluster's survivors must be refused from the beginning, and the order is told.
 */
public final class ClusterNaming implements Naming {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterNaming.class);

    private final Path orderingDirectory;
    private final int replicaId;
    private final String protocol;
    private final LongSupplier wallClockMillis;
    private final Supplier<UUID> newClusterId;
    private final Runnable requestEnded;
    private volatile ClusterIdentity identity;
    private volatile boolean goingOnAlone;
    private boolean hasEndedRequest;
    private boolean caughtUp;
    private Command.ClusterFormed proposed;
    private List<Integer> goesWithout = List.of();
    private String said = "";

    /**
     * @param orderingDirectory where the name is kept
     * @param replicaId this replica
     * @param protocol which orders, as zoo.cfg names it
     * @param wallClockMillis stamped on the proposal of a name
     * @param newClusterId a name for a new cluster
     * @param requestEnded asks for another life: the request to go on alone has been carried out
     */
    public ClusterNaming(
            Path orderingDirectory,
            int replicaId,
            String protocol,
            LongSupplier wallClockMillis,
            Supplier<UUID> newClusterId,
            Runnable requestEnded) {
        this.orderingDirectory = orderingDirectory;
        this.replicaId = replicaId;
        this.protocol = protocol;
        this.wallClockMillis = wallClockMillis;
        this.newClusterId = newClusterId;
        this.requestEnded = requestEnded;
    }

    /**
     * Before any link is opened. The feature level is noted also where only a state that was fetched brings it: nothing
     * may be executed for long, and a release that does not know it must refuse the directory before it changes
     * anything.
     *
     * @param recovered the feature level of the state in the directory
     * @throws IOException if the files cannot be read or written, or belong to another replica
     */
    public void prepare(FeatureLevel recovered) throws IOException {
        ClusterIdentity found = ClusterIdentity.read(orderingDirectory);
        identity = found;
        if (found == null) {
            become(new ClusterIdentity(replicaId, null, protocol));
        } else if (found.protocol() == null) {
            // Of a release that did not note it; that its log agrees has been seen (DirectoryProtocol).
            become(found.orderedBy(protocol));
        }
        if (recovered.number() > identity.level().number()) {
            become(identity.at(recovered));
        }
        MoveInRequest moveIn = MoveInRequest.read(orderingDirectory);
        if (moveIn != null) {
            goesWithout = moveIn.without();
        }
        NewClusterRequest request = NewClusterRequest.read(orderingDirectory);
        if (request == null) {
            return;
        }
        if (request.replicaId() != replicaId) {
            throw new IOException(orderingDirectory.resolve(NewClusterRequest.FILE_NAME) + " is meant for replica "
                    + request.replicaId() + ", but this is replica " + replicaId
                    + "; run zkServer.sh force-new-cluster on the server that is to go on alone");
        }
        goingOnAlone = true;
        if (!request.clusterId().equals(identity.clusterId())) {
            become(identity.renamed(request.clusterId()));
        }
        LOG.warn(
                "Going on alone as cluster {}, as asked for at {}; servers of the clusters {} are refused",
                request.clusterId(),
                request.requestedAt(),
                identity.formerClusterIds());
    }

    private void become(ClusterIdentity next) throws IOException {
        next.write(orderingDirectory);
        identity = next;
    }

    @Override
    public List<Integer> goesWithout() {
        return goesWithout;
    }

    @Override
    public void named(UUID clusterId, UUID replaces) {
        UUID own = identity.clusterId();
        if (isKnown(clusterId)) {
            return;
        }
        if (goingOnAlone) {
            // It was on its way here when this replica was told to go on alone.
            keepFormer(clusterId);
            return;
        }
        // While the past is replayed the cluster may still get its present name, but none behind that. A link that
        // comes up then needs none.
        boolean mayBeReplaced = !caughtUp && (own == null || !own.equals(replaces));
        if (!mayBeReplaced) {
            take(clusterId);
        }
    }

    private boolean isKnown(UUID clusterId) {
        ClusterIdentity known = identity;
        return clusterId.equals(known.clusterId()) || known.formerClusterIds().contains(clusterId);
    }

    private void take(UUID clusterId) {
        UUID own = identity.clusterId();
        if (own != null) {
            throw new IllegalStateException(orderingDirectory + " belongs to cluster " + own
                    + ", but the other members form cluster " + clusterId);
        }
        keep(clusterId);
    }

    @Override
    public void caughtUp(UUID clusterId) {
        caughtUp = true;
        if (clusterId != null) {
            named(clusterId, null);
        }
    }

    /** Also while the past is replayed: whoever has executed the level cannot go back behind it. */
    @Override
    public void levelInForce(FeatureLevel level) {
        ClusterIdentity known = identity;
        if (level.number() <= known.level().number()) {
            return;
        }
        try {
            become(known.at(level));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "identity in " + orderingDirectory + " could not be written: " + e.getMessage(), e);
        }
    }

    @Override
    public void wantedLevel(IntFunction<String> raise) {
        try {
            FeatureLevelRequest wanted = FeatureLevelRequest.take(orderingDirectory);
            String refusal = wanted == null ? null : raise.apply(wanted.level());
            if (refusal != null) {
                FeatureLevelRequest.refuse(orderingDirectory, refusal);
            }
        } catch (IOException e) {
            LOG.warn(
                    "{} cannot be read or answered: {}",
                    orderingDirectory.resolve(FeatureLevelRequest.FILE_NAME),
                    e.getMessage());
        }
    }

    private void keepFormer(UUID clusterId) {
        try {
            become(identity.formerly(clusterId));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "identity in " + orderingDirectory + " could not be written: " + e.getMessage(), e);
        }
    }

    private void keep(UUID clusterId) {
        try {
            become(new ClusterIdentity(replicaId, clusterId, List.of(), protocol, identity.level()));
            MoveInRequest.delete(orderingDirectory);
            LOG.info("This replica belongs to cluster {}", clusterId);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "identity in " + orderingDirectory + " could not be written: " + e.getMessage(), e);
        }
    }

    @Override
    public Command.ClusterFormed due(
            ReplicatedState state,
            long executionProfile,
            List<Integer> members,
            List<Integer> participants,
            String configuration,
            FeatureLevel level) {
        UUID ordered = state.clusterId();
        UUID kept = identity.clusterId();
        boolean unnamed = ordered == null;
        boolean renamed =
                !unnamed && !ordered.equals(kept) && identity.formerClusterIds().contains(ordered);
        boolean repeats = proposed != null && Objects.equals(proposed.replaces(), ordered);
        if (!unnamed && !renamed || repeats) {
            return null;
        }
        ImportedState origin = unnamed ? origin(state, participants) : null;
        if (unnamed && origin == null) {
            return null;
        }
        UUID clusterId = kept == null ? newClusterId.get() : kept;
        proposed = new Command.ClusterFormed(
                wallClockMillis.getAsLong(),
                clusterId,
                executionProfile,
                members,
                configuration,
                ordered,
                origin,
                level);
        return proposed;
    }

    /** What the cluster is to begin with, null if that cannot be said yet. */
    private ImportedState origin(ReplicatedState state, List<Integer> participants) {
        Founding founding = Founding.of(state.importedStates(), goingOnAlone ? List.of(replicaId) : participants);
        String waitsFor = founding.waitsFor();
        if (waitsFor != null && !waitsFor.equals(said)) {
            said = waitsFor;
            LOG.warn("The cluster is not formed yet: {}", waitsFor);
        }
        return founding.origin();
    }

    /** @return the cluster's name as this replica's directory has it, null if it has none; any thread */
    public UUID clusterId() {
        return identity.clusterId();
    }

    @Override
    public boolean goesOnAlone() {
        return goingOnAlone;
    }

    @Override
    public void endRequestIfNamed(UUID clusterId) {
        if (!goingOnAlone || hasEndedRequest || !identity.clusterId().equals(clusterId)) {
            return;
        }
        try {
            NewClusterRequest.delete(orderingDirectory);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    orderingDirectory.resolve(NewClusterRequest.FILE_NAME) + " could not be deleted: " + e.getMessage(),
                    e);
        }
        hasEndedRequest = true;
        LOG.warn("This replica went on alone as cluster {}: from now on others may join", clusterId);
        requestEnded.run();
    }

    /**
     * Ends a request that an earlier start has carried out, before anything else looks for one.
     *
     * @param orderingDirectory where it would be
     * @param clusterId the cluster's name in the state that was recovered, null if it has none
     * @throws IOException if the file cannot be read or deleted
     */
    public static void endCarriedOut(Path orderingDirectory, UUID clusterId) throws IOException {
        NewClusterRequest request = NewClusterRequest.read(orderingDirectory);
        if (request != null && request.clusterId().equals(clusterId)) {
            NewClusterRequest.delete(orderingDirectory);
            LOG.warn("The request of {} to go on alone has been carried out", request.requestedAt());
        }
    }
}
