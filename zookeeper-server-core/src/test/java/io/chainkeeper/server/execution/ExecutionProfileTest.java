package io.chainkeeper.server.execution;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.Test;

public class ExecutionProfileTest {
    /** Its servers had to have the same providers of schemes of their own, and its checkpoints do not say which. */
    @Test
    public void clusterOfTheFormerRelease_itsProvidersAreAskedForUntilAServerHasSaidWhatItKnows() throws Exception {
        long own = ExecutionProfile.of(false);
        long formedWith = own ^ 0x0003000000000000L ^ 7;
        SideState side = SideState.initial(0);
        ExecutionProfile.requireSame(side, own);
        side.formed(new UUID(1, 2), formedWith);
        assertTrue(ExecutionProfile.isOf(formedWith, own));
        IOException refusal = assertThrows(IOException.class, () -> ExecutionProfile.requireSame(side, own));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("zookeeper.authProvider.* names none"));
        side.knows(1, Map.of());
        ExecutionProfile.requireSame(side, own);
        SideState without = SideState.initial(0);
        without.formed(new UUID(1, 2), own ^ 0x0003000000000000L);
        ExecutionProfile.requireSame(without, own);
    }

    /** ZooKeeper cannot read a snapshot that was written with digests when it keeps none. */
    @Test
    public void digestsSwitchedOff_aClusterThatKeepsThemIsRefused() {
        boolean before = ZooKeeperServer.isDigestEnabled();
        try {
            ZooKeeperServer.setDigestEnabled(true);
            long formedWith = ExecutionProfile.of(false);
            assertTrue(ExecutionProfile.isOf(formedWith, ExecutionProfile.of(false)));
            ZooKeeperServer.setDigestEnabled(false);
            long own = ExecutionProfile.of(false);
            assertFalse(ExecutionProfile.isOf(formedWith, own));
            String message = ExecutionProfile.mismatchMessage(formedWith, own);
            assertTrue(
                    message, message.contains(": zookeeper.digest.enabled is false here and true in the cluster; put"));
        } finally {
            ZooKeeperServer.setDigestEnabled(before);
        }
    }
}
