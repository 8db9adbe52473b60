package io.chainkeeper.simulation.znode;

import io.chainkeeper.server.session.SessionRule;
import io.chainkeeper.server.state.FeatureRule;
import io.chainkeeper.server.state.ReconfigRule;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.host.SimulatedReplica;
import java.util.function.Consumer;

/** Takes the rules out of a server that its host is to do without. */
final class ServerRules {
    private final SimulatedReplica replica;

    /** @param replica knows the rules that are followed */
    ServerRules(SimulatedReplica replica) {
        this.replica = replica;
    }

    /** The server whose replicated state this is does without them from now on. */
    void takeOutOf(ReplicatedState state) {
        takeOut(FeatureRule.values(), state.features()::doWithout);
        takeOut(SessionRule.values(), state.sessions()::doWithout);
        takeOut(ReconfigRule.values(), state::doWithout);
    }

    private <R extends Enum<R>> void takeOut(R[] rules, Consumer<R> server) {
        for (R rule : rules) {
            if (!replica.follows(HostRule.valueOf(rule.name()))) {
                server.accept(rule);
            }
        }
    }
}
