package io.chainkeeper.main;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.NewClusterRequest;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.Durability;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.LogAtStart;
import io.chainkeeper.replica.Replica;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.server.storage.ClusterNames;
import io.chainkeeper.server.storage.SlowForces;
import io.chainkeeper.server.transfer.InstalledState;
import java.io.IOException;

/**
 * What each start of an order does with its files before the protocol takes them up, for as long as the process lives.
 * Safe for use by any thread.
 */
public final class OrderStart {
    private final OrderingConfig config;
    private final Scheduler scheduler;
    private final boolean sharesDisks;

    /** The latest incarnation of this replica in the order, as far as an earlier start of this process has seen. */
    private volatile long supersededBy = Long.MIN_VALUE;

    /**
     * @param config the ordering part of the zoo.cfg
     * @param scheduler gives time and chance
     * @param sharesDisks whether disks that all servers share remember what this one has promised, and not its log
     */
    public OrderStart(OrderingConfig config, Scheduler scheduler, boolean sharesDisks) {
        this.config = config;
        this.sharesDisks = sharesDisks;
        this.scheduler = scheduler;
    }

    /**
     * Opens the acceptor log, all of which is read and checked.
     *
     * @param settings of the log
     * @return the log
     * @throws IOException if it cannot be read or is damaged; the message names the file
     */
    public AcceptorLog openLog(AcceptorLogSettings settings) throws IOException {
        AcceptorLog log = AcceptorLogs.open(
                config.orderingDirectory(),
                config.logStore(),
                config.durability(),
                settings.withRetentionBytes(config.logRetentionBytes()));
        log.syncStatistics().watch(SlowForces.OF_PROCESS::acceptorLog);
        return log;
    }

    /**
     * Brings a log in line with the state that the application has recovered.
     *
     * @param log just opened
     * @param application recovered
     * @throws IOException if they do not belong together, or a file cannot be read or written
     */
    public void prepare(AcceptorLog log, Application application) throws IOException {
        InstalledState installed = InstalledState.read(config.orderingDirectory());
        requireLogIsThere(log, application.recoveredPosition(), installed);
        if (installed != null) {
            discardReplaced(log, installed);
        }
    }

    private void requireLogIsThere(AcceptorLog log, long appliedPosition, InstalledState installed) throws IOException {
        boolean isNew = installed != null && installed.newDirectory() && installed.position() == appliedPosition;
        if (config.durability() == Durability.SYNC
                && !sharesDisks
                && appliedPosition > 0
                && !isNew
                && !LogAtStart.remembersAStart(log)) {
            throw new IOException("dataDir holds the state of position " + appliedPosition + " but the acceptor log in "
                    + config.orderingDirectory() + " is empty, so this replica has forgotten what it promised; put the"
                    + " directory back from where it went");
        }
    }

    /**
     * What this replica had accepted up to the position of a state that came from another member need not be what was
     * decided there, and must never pass for it. Here and not at the installation, because every crash leaves the state
     * known as installed.
     */
    private static void discardReplaced(AcceptorLog log, InstalledState installed) throws IOException {
        LogAtStart.keepPromise(log, installed.position(), installed.promise());
        log.discardThrough(installed.position());
    }

    /**
     * Numbers all further starts above one that the order holds.
     *
     * @param incarnation of this replica
     */
    public void startAbove(long incarnation) {
        supersededBy = Math.max(supersededBy, incarnation);
    }

    /**
     * Numbers a start.
     *
     * @param log prepared
     * @param application recovered
     * @return see {@link Replica#nextIncarnation}
     */
    public long nextIncarnation(AcceptorLog log, Application application) {
        long inOrder = application.proposerTable().incarnationOf(config.replicaId());
        return Replica.nextIncarnation(log, Math.max(inOrder, supersededBy), scheduler);
    }

    /**
     * A request to go on alone that has been carried out has no effect any more. It has been if the log holds the name
     * that it gives: nothing is ordered under that name before the order says who is left.
     *
     * @param log prepared
     * @param appliedPosition up to here the state was recovered, which does not have that name
     * @return what a start may rely on
     * @throws IOException if a file cannot be read; the message names it
     */
    public ProtocolContext.Start kind(AcceptorLog log, long appliedPosition) throws IOException {
        if (config.durability() == Durability.MEMORY) {
            return ProtocolContext.Start.FORGETFUL;
        }
        NewClusterRequest request = NewClusterRequest.read(config.orderingDirectory());
        return request == null
                        || ClusterNames.of(log.recovered(appliedPosition), appliedPosition)
                                .contains(request.clusterId())
                ? ProtocolContext.Start.ORDINARY
                : ProtocolContext.Start.SOLE_SURVIVOR;
    }

    /**
     * @return whether the cluster has another name than before, so that members of the former one may refuse links
     * @throws IOException if a file cannot be read; the message names it
     */
    public boolean hasBeenRenamed() throws IOException {
        ClusterIdentity identity = ClusterIdentity.read(config.orderingDirectory());
        return identity != null && !identity.formerClusterIds().isEmpty();
    }
}
