package io.chainkeeper.server.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.release.FeatureLevel;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.After;
import org.junit.Test;

public class ExecutionProfileTest {
    @After
    public void restoreSettings() {
        ZooKeeperServer.setDigestEnabled(true);
    }

    /** Its servers had to have the same providers of schemes of their own, and its checkpoints do not say which. */
    @Test
    public void clusterOfTheFormerRelease_itsProvidersAreAskedForUntilAServerHasSaidWhatItKnows() throws Exception {
        long own = ExecutionProfile.of(false);
        long formedWith = own ^ 0x0003000000000000L ^ 7;
        ReplicatedState state = ReplicatedState.initial(0);
        ExecutionProfile.requireSame(state, own);
        state.formed(new UUID(1, 2), formedWith, FeatureLevel.FIRST);
        assertTrue(ExecutionProfile.isOf(formedWith, own));
        IOException refusal = assertThrows(IOException.class, () -> ExecutionProfile.requireSame(state, own));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("zookeeper.authProvider.* names none"));
        state.knows(1, own, Map.of());
        ExecutionProfile.requireSame(state, own);
        IOException later = assertThrows(IOException.class, () -> ExecutionProfile.requireSame(state, own ^ 7));
        assertTrue(later.getMessage(), later.getMessage().contains("zookeeper.authProvider.* names some"));
        ReplicatedState without = ReplicatedState.initial(0);
        without.formed(new UUID(1, 2), own ^ 0x0003000000000000L, FeatureLevel.FIRST);
        ExecutionProfile.requireSame(without, own);
    }

    @Test
    public void digestsSwitchedOff_isNoSettingOfTheCluster() {
        long formedWith = ExecutionProfile.of(false);
        ZooKeeperServer.setDigestEnabled(false);
        assertEquals(formedWith, ExecutionProfile.of(false));
        long formedWithoutDigests = formedWith & ~(1L << 44);
        assertTrue(formedWithoutDigests != formedWith);
        assertTrue(ExecutionProfile.isOf(formedWithoutDigests, ExecutionProfile.of(false)));
    }
}
