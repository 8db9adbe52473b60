package io.chainkeeper.server.maintenance;

import io.chainkeeper.server.execution.AuditVerdict;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What follows when the replicas' states differ: the minority stops serving and gets the majority's state. */
public final class DivergenceGuard implements Divergence {
    private static final Logger LOG = LoggerFactory.getLogger(DivergenceGuard.class);

    private final OrderedZooKeeperServer server;
    private final Path orderingDirectory;
    private final StateReinstall reinstall;
    private volatile boolean undecided;
    private volatile int differing;
    private volatile long position;

    /** The member whose state is wanted, 0 if none is. */
    private volatile int wantedPeer;

    /**
     * @param server stopped from serving
     * @param orderingDirectory where the marker is kept
     * @param reinstall gets the majority's state
     */
    public DivergenceGuard(OrderedZooKeeperServer server, Path orderingDirectory, StateReinstall reinstall) {
        this.server = server;
        this.orderingDirectory = orderingDirectory;
        this.reinstall = reinstall;
    }

    /**
     * Before clients are let in: looks for what an earlier start found.
     *
     * @throws IOException if what it found cannot be read
     */
    public void checkAtStart() throws IOException {
        DivergenceMarker marker = DivergenceMarker.read(orderingDirectory);
        if (marker == null) {
            return;
        }
        server.diverge();
        LOG.error("Not serving clients: {}. The state of server.{} is fetched", marker.why(), marker.fromPeer());
        wantedPeer = marker.fromPeer();
    }

    @Override
    public void judged(AuditVerdict verdict) {
        undecided = verdict.agreed() == null;
        differing = verdict.differing().size();
        position = verdict.position();
        if (verdict.ownStateDiffers()) {
            if (!server.hasDiverged()) {
                stopServing(verdict);
            }
        } else if (undecided) {
            LOG.error(
                    "The states of replicas {} differ at position {} of the order, and no majority agrees; that of this"
                            + " replica is {}. All go on serving; compare their snapshots and replace what is wrong",
                    verdict.differing(),
                    verdict.position(),
                    verdict.own() == null ? "not known" : verdict.own());
        } else if (!verdict.differing().isEmpty()) {
            LOG.warn(
                    "The state of replicas {} differs from that of {} at position {} of the order; they stop serving",
                    verdict.differing(),
                    verdict.agreeing(),
                    verdict.position());
        }
    }

    private void stopServing(AuditVerdict verdict) {
        server.diverge();
        int peer = verdict.agreeing().get(verdict.agreeing().size() - 1);
        String why = "at position " + verdict.position() + " of the order this replica's state was " + verdict.own()
                + " but that of replicas " + verdict.agreeing() + ", a majority, was " + verdict.agreed();
        DivergenceMarker marker = new DivergenceMarker(peer, why);
        try {
            marker.write(orderingDirectory);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    DivergenceMarker.file(orderingDirectory) + " cannot be written: " + e.getMessage() + "; " + why, e);
        }
        LOG.error("Not serving clients any more: {}. The state of server.{} is fetched", why, peer);
        wantedPeer = peer;
    }

    @Override
    public void tick() {
        if (wantedPeer != 0) {
            reinstall.wanted(wantedPeer);
        }
    }

    /** Numbers for monitoring, without the prefix. */
    public Map<String, LongSupplier> gauges() {
        return Map.of(
                "diverged", () -> server.hasDiverged() ? 1 : 0,
                "audit_undecided", () -> undecided ? 1 : 0,
                "audit_differing_replicas", () -> differing,
                "audit_position", () -> position);
    }
}
