package io.chainkeeper.server.maintenance;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class ServingPolicyTest {
    private static final OrderingStatus LOOKING = new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 1);
    private static final long PATIENCE_MILLIS = 100;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final List<String> readOnly = new ArrayList<>();
    private long nowMillis = 1_000;

    private final class Recorded implements ServingPolicy.WithoutOrder {
        @Override
        public void begin() {
            readOnly.add("begin");
        }

        @Override
        public void end() {
            readOnly.add("end");
        }

        @Override
        public boolean isActive() {
            return false;
        }
    }

    /** {@code readonlymode.enabled}: a server that stops lets in nobody, not even clients that only read. */
    @Test
    public void noLeaderWhileTheServerLeaves_readOnlyModeDoesNotBegin() throws Exception {
        try (TestEnsemble ensemble = new TestEnsemble(folder.getRoot().toPath(), 1).startAll()) {
            OrderedZooKeeperServer server = ensemble.server(1);
            ServingPolicy policy = new ServingPolicy(server, null, () -> nowMillis, PATIENCE_MILLIS, new Recorded());
            lookBeyondPatience(policy);
            assertEquals(List.of("begin"), readOnly);
            policy.close();
            server.drain();
            lookBeyondPatience(policy);
            assertEquals(List.of("begin", "end"), readOnly);
        }
    }

    private void lookBeyondPatience(ServingPolicy policy) {
        policy.tick(LOOKING, true, false, Runnable::run);
        nowMillis += PATIENCE_MILLIS;
        policy.tick(LOOKING, true, false, Runnable::run);
    }
}
