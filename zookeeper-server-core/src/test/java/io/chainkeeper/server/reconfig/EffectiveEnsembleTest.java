package io.chainkeeper.server.reconfig;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.EnsemblePlan;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.transport.PeerAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What the order is told of addresses when configurations and plans change. */
public class EffectiveEnsembleTest {
    private static final int SELF = 1;
    private static final int OTHER = 2;
    private static final int JOINER = 3;

    /** Remembers what it was told last. */
    private static final class ToldOrder implements TotalOrder {
        private Ensemble ensemble;
        private Map<Integer, PeerAddress> addresses = Map.of();

        @Override
        public void configure(Ensemble ensemble, Map<Integer, PeerAddress> told) {
            this.ensemble = ensemble;
            addresses = new TreeMap<>(told);
        }

        @Override
        public boolean propose(Proposal proposal) {
            throw new AssertionError("nothing is proposed");
        }

        @Override
        public boolean offer(Proposal proposal) {
            return propose(proposal);
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

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final ReplicatedState state = ReplicatedState.initial(0);
    private final ToldOrder order = new ToldOrder();

    private EffectiveEnsemble ensemble(EnsembleConfig first) throws IOException {
        state.configured(first, 0);
        return started(first, state);
    }

    private EffectiveEnsemble started(EnsembleConfig own, ReplicatedState recovered) throws IOException {
        EffectiveEnsemble ensemble = new EffectiveEnsemble(
                SELF, own, false, recovered, folder.getRoot().toPath());
        ensemble.connect(order);
        return ensemble;
    }

    /** Over the link to the old address the other learns that it has a new one. */
    @Test
    public void otherMoves_itsLinkStaysUntilItHasHadTimeToLearnSo() throws IOException {
        EffectiveEnsemble ensemble = ensemble(configuration(0, 10, 20, 30));
        state.configured(configuration(5, 10, 21, 30), 5);
        ensemble.changed();
        assertEquals(at(20), order.addresses.get(OTHER));
        ensemble.departed();
        assertEquals(at(21), order.addresses.get(OTHER));
    }

    @Test
    public void thisServerMoves_itListensThereAtOnce() throws IOException {
        EffectiveEnsemble ensemble = ensemble(configuration(0, 10, 20, 30));
        state.configured(configuration(5, 11, 20, 30), 5);
        ensemble.changed();
        assertEquals(at(11), order.addresses.get(SELF));
        assertEquals(at(20), order.addresses.get(OTHER));
    }

    private static EnsemblePlan plan(EnsembleConfig next) {
        return new EnsemblePlan(SELF, 1, 7, 1, next);
    }

    private static Membership voters(Integer... ids) {
        return Membership.initial(1, List.of(ids));
    }

    /** The order may need its vote for anything, also to remove it again. */
    @Test
    public void planIsDropped_whoWasAdmittedStaysLinkedUntilItVotesNoMore() throws IOException {
        EffectiveEnsemble ensemble = ensemble(configuration(0, 10, 20));
        state.planned(plan(configuration(0, 10, 20, 30)));
        ensemble.changed();
        assertEquals(List.of(1, 2, 3), order.ensemble.participants());
        state.membershipChanged(voters(1, 2, 3));
        state.dropPlan();
        ensemble.changed();
        assertEquals(at(30), order.addresses.get(JOINER));
        assertEquals("it is to vote no more", List.of(1, 2), order.ensemble.participants());
        ensemble.departed();
        assertEquals(at(30), order.addresses.get(JOINER));
        state.membershipChanged(voters(1, 2));
        ensemble.changed();
        assertNull(order.addresses.get(JOINER));
        assertEquals("nothing is kept", List.of(), List.of(folder.getRoot().list()));
    }

    @Test
    public void planIsDropped_whoWasAdmittedIsLinkedAfterARestartToo() throws IOException {
        EnsembleConfig first = configuration(0, 10, 20);
        EffectiveEnsemble ensemble = ensemble(first);
        state.planned(plan(configuration(0, 10, 20, 30)));
        ensemble.changed();
        state.membershipChanged(voters(1, 2, 3));
        state.dropPlan();
        ensemble.changed();
        started(first, state);
        assertEquals(at(30), order.addresses.get(JOINER));
    }

    /** The order may need its vote to get as far as the plan again. */
    @Test
    public void stateIsOlderThanThePlan_whoWasPlannedIsLinkedAfterARestart() throws IOException {
        EnsembleConfig first = configuration(0, 10, 20);
        EffectiveEnsemble ensemble = ensemble(first);
        state.planned(plan(configuration(0, 10, 20, 30)));
        ensemble.changed();
        ReplicatedState older = ReplicatedState.initial(0);
        older.configured(first, 0);
        started(first, older);
        assertEquals(at(30), order.addresses.get(JOINER));
    }

    /** A leader had proposed it before it knew that the plan was dropped. */
    @Test
    public void planIsDropped_whoIsAdmittedBehindThatIsLinked() throws IOException {
        EffectiveEnsemble ensemble = ensemble(configuration(0, 10, 20));
        state.planned(plan(configuration(0, 10, 20, 30)));
        ensemble.changed();
        state.dropPlan();
        ensemble.changed();
        assertEquals("nobody feeds it", List.of(), order.ensemble.observers());
        state.membershipChanged(voters(1, 2, 3));
        ensemble.changed();
        assertEquals(at(30), order.addresses.get(JOINER));
        assertEquals(List.of(3), order.ensemble.observers());
    }

    @Test
    public void anotherConfigurationIsInForce_whoWasNeverAdmittedIsForgotten() throws IOException {
        EffectiveEnsemble ensemble = ensemble(configuration(0, 10, 20));
        state.planned(plan(configuration(0, 10, 20, 30)));
        ensemble.changed();
        state.dropPlan();
        ensemble.changed();
        state.configured(configuration(5, 10, 21), 5);
        ensemble.changed();
        assertNull(order.addresses.get(JOINER));
        assertEquals("nothing is kept", List.of(), List.of(folder.getRoot().list()));
    }

    @Test
    public void fileIsDamaged_isNamed() throws IOException {
        Path file = folder.newFile(JoiningServers.FILE_NAME).toPath();
        Files.writeString(file, "server.3\n");
        IOException damaged = assertThrows(IOException.class, () -> ensemble(configuration(0, 10, 20)));
        assertTrue(damaged.getMessage(), damaged.getMessage().startsWith(file + " is damaged"));
    }
}
