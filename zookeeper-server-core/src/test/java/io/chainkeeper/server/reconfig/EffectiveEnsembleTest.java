package io.chainkeeper.server.reconfig;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.transport.PeerAddress;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** What the order is told when a configuration changes addresses. */
public class EffectiveEnsembleTest {
    private static final int SELF = 1;
    private static final int OTHER = 2;

    /** Remembers the addresses that it was told last. */
    private static final class ToldOrder implements TotalOrder {
        private Map<Integer, PeerAddress> addresses = Map.of();

        @Override
        public void configure(Ensemble ensemble, Map<Integer, PeerAddress> told) {
            addresses = new TreeMap<>(told);
        }

        @Override
        public boolean propose(Proposal proposal) {
            throw new AssertionError("nothing is proposed");
        }

        @Override
        public void readBarrier(ReadWaiter waiter) {
            throw new AssertionError("nothing is read");
        }

        @Override
        public OrderingStatus status() {
            return new OrderingStatus(OrderingStatus.Role.LOOKING, OrderingStatus.NO_LEADER, 0);
        }

        @Override
        public Map<String, Long> gauges() {
            return Map.of();
        }

        @Override
        public int streamCount() {
            return 1;
        }

        @Override
        public void checkpointTaken(long position) {
            throw new AssertionError("no checkpoint is taken");
        }
    }

    private static EnsembleConfig configuration(long version, int... quorumPorts) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < quorumPorts.length; i++) {
            text.append("server." + (i + 1) + "=host:" + quorumPorts[i] + ":1:participant\n");
        }
        return EnsembleConfig.parse(text + "version=" + Long.toHexString(version));
    }

    private static PeerAddress at(int port) {
        return new PeerAddress("host", port);
    }

    private final ReplicatedState state = ReplicatedState.initial(0);
    private final ToldOrder order = new ToldOrder();

    private EffectiveEnsemble ensemble(EnsembleConfig first) {
        state.configured(first, 0);
        EffectiveEnsemble ensemble = new EffectiveEnsemble(SELF, first, false, state);
        ensemble.connect(order);
        return ensemble;
    }

    /** Over the link to the old address the other learns that it has a new one. */
    @Test
    public void otherMoves_itsLinkStaysUntilItHasHadTimeToLearnSo() {
        EffectiveEnsemble ensemble = ensemble(configuration(0, 10, 20, 30));
        state.configured(configuration(5, 10, 21, 30), 5);
        ensemble.changed();
        assertEquals(at(20), order.addresses.get(OTHER));
        ensemble.departed();
        assertEquals(at(21), order.addresses.get(OTHER));
    }

    @Test
    public void thisServerMoves_itListensThereAtOnce() {
        EffectiveEnsemble ensemble = ensemble(configuration(0, 10, 20, 30));
        state.configured(configuration(5, 11, 20, 30), 5);
        ensemble.changed();
        assertEquals(at(11), order.addresses.get(SELF));
        assertEquals(at(20), order.addresses.get(OTHER));
    }
}
