package io.chainkeeper.simulation.znode;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.Latencies;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.StageTimes;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.transport.PeerAddress;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The order, with an eye on what is proposed about sessions. */
record WatchedOrder(ReplicaHost order, Consumer<Command.Expire> expiries) implements TotalOrder {
    @Override
    public boolean propose(Proposal proposal) {
        look(proposal);
        return order.propose(proposal, order.order()::propose);
    }

    /** One that finds no room is offered again, and seen again. */
    @Override
    public boolean offer(Proposal proposal) {
        look(proposal);
        return order.propose(proposal, order.order()::offer);
    }

    private void look(Proposal proposal) {
        try {
            if (CommandCodec.decode(proposal.command()) instanceof Command.Expire expire) {
                expiries.accept(expire);
            }
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("a proposed command does not decode: " + e.getMessage());
        }
    }

    @Override
    public void reconsider() {
        order.order().reconsider();
        order.threads().reconsider();
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
    public Latencies latencies() {
        return order.order().latencies();
    }

    @Override
    public long silentMillis() {
        return order.order().silentMillis();
    }

    @Override
    public long stuckMillis() {
        return order.order().stuckMillis();
    }

    @Override
    public Map<Integer, Long> linkedSinceNanos() {
        return order.order().linkedSinceNanos();
    }

    @Override
    public Set<Integer> linkedPeers() {
        return order.order().linkedPeers();
    }

    @Override
    public boolean hasTriedPeers() {
        return order.order().hasTriedPeers();
    }

    @Override
    public boolean admitsUnauthenticated() {
        return order.order().admitsUnauthenticated();
    }

    @Override
    public StageTimes stages(long position) {
        return order.order().stages(position);
    }

    @Override
    public int streamCount() {
        return order.order().streamCount();
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

    @Override
    public void leave() {
        order.order().leave();
    }
}
