package io.chainkeeper.server.execution;

import io.chainkeeper.config.NodeOwners;
import io.chainkeeper.server.state.ExecutionProfile;
import io.chainkeeper.server.state.ExecutionProfileMismatch;
import io.chainkeeper.server.state.ReplicatedState;
import java.util.stream.LongStream;
import org.apache.zookeeper.server.DataTree;

/** Puts in force what owners of nodes mean in a cluster that has just been formed. Stateless. */
final class FormedOwners {
    private FormedOwners() {}

    /** A server that was started without knowing the cluster may have taken owners for something else so far. */
    static void putInForce(ReplicatedState state, DataTree tree, long executionProfile, boolean knows255) {
        long formedWith = state.executionProfile();
        String refusal = NodeOwners.refusal(formedWith, knows255);
        if (refusal != null) {
            throw new ExecutionProfileMismatch(refusal);
        }
        if (NodeOwners.areInForce(formedWith)) {
            return;
        }
        LongStream timesToLive = tree.getTtls().stream()
                .mapToLong(path -> tree.getNode(path).stat.getEphemeralOwner());
        LongStream sessions = tree.getSessions().stream().mapToLong(Long::longValue);
        if (!LongStream.concat(timesToLive, sessions).allMatch(owner -> NodeOwners.meansTheSame(formedWith, owner))) {
            throw new ExecutionProfileMismatch(
                    ExecutionProfile.mismatchMessage(formedWith, NodeOwners.said(executionProfile)));
        }
        NodeOwners.putInForce(formedWith);
    }
}
