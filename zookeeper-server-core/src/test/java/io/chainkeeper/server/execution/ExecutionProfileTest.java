package io.chainkeeper.server.execution;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.Test;

public class ExecutionProfileTest {
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
