package io.chainkeeper.simulation.znode;

import io.chainkeeper.command.Command;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.bootstrap.OrderingFactory;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.order.SessionEvidence;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.util.function.LongSupplier;

/** The replica's host as the order below a server. */
final class RunningHost implements OrderingFactory.RunningOrder {
    private final ReplicaHost host;
    private final ServerPlace place;
    private final SessionEvidence evidence;
    private final LongSupplier begun;
    private final TotalOrder order;

    /**
     * @param host of the replica
     * @param place where the server lives
     * @param evidence sees what is proposed about sessions
     * @param begun the latest position that the server has begun to execute
     */
    RunningHost(ReplicaHost host, ServerPlace place, SessionEvidence evidence, LongSupplier begun) {
        this.host = host;
        this.place = place;
        this.evidence = evidence;
        this.begun = begun;
        this.order = new WatchedOrder(host, this::expiryProposed);
    }

    /** When a stranger's sessions were heard of is known only in the time of the cluster that it comes from. */
    private void expiryProposed(Command.Expire expire) {
        if (!place.isOfAStranger()) {
            evidence.expiryProposed(host.id(), begun.getAsLong(), expire);
        }
    }

    @Override
    public TotalOrder totalOrder() {
        return order;
    }

    @Override
    public StateChannel openStateChannel(int peer) throws IOException {
        if (place.isOfAStranger()) {
            throw new IOException("server " + peer + " belongs to another cluster");
        }
        return new MemberChannel(host.id(), place.cluster(), peer);
    }

    /** One stack for all parts: if one of them waits in the middle of something, it is as if it had been killed. */
    @Override
    public void close() {
        if (!host.isWaiting()) {
            host.closeOrder();
        }
    }
}
