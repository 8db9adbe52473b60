package io.chainkeeper.simulation.znode;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.transport.PeerAddress;
import java.util.Map;
import java.util.function.Consumer;

/** The order, with an eye on what is proposed about sessions. */
record WatchedOrder(ReplicaHost order, Consumer<Command.Expire> expiries) implements TotalOrder {
    @Override
    public void propose(Proposal proposal) {
        try {
            if (CommandCodec.decode(proposal.command()) instanceof Command.Expire expire) {
                expiries.accept(expire);
            }
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("a proposed command does not decode: " + e.getMessage());
        }
        order.propose(proposal);
    }

    @Override
    public void readBarrier(ReadWaiter waiter) {
        order.replica().reads();
        order.readBarrier(waiter);
    }

    @Override
    public OrderingStatus status() {
        return order.status();
    }

    @Override
    public Map<String, Long> gauges() {
        return order.gauges();
    }

    @Override
    public int streamCount() {
        return order.streamCount();
    }

    @Override
    public void checkpointTaken(long covered) {
        order.replica().covers(covered);
        order.checkpointDurable(covered);
    }

    @Override
    public void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses) {
        order.configure(ensemble, addresses);
    }
}
