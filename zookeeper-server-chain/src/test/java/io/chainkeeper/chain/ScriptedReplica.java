package io.chainkeeper.chain;

import io.chainkeeper.contract.ScriptedHost;
import io.chainkeeper.contract.ScriptedLog;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.RecordedProtocol;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One start of a replica of a {@link ScriptedEnsemble}, with its application. */
final class ScriptedReplica extends ScriptedHost {
    /** Where messages and decisions go. */
    interface World {
        void send(int from, int to, Message message);

        void delivered(int replica, long position, ByteSlice value);
    }

    /** The text of each executed command, in order; what the executor skips is not here. */
    final List<String> executed = new ArrayList<>();

    /** What was delivered: position to value. */
    final Map<Long, ByteSlice> delivered = new TreeMap<>();

    /** Barriers reached: token to how many commands had been executed by then. */
    final Map<Long, Integer> barriersReached = new TreeMap<>();

    /** The last membership that was delivered, null if there was none. */
    Membership membership;

    private final long incarnation;
    private final World world;
    private final ProposerTable proposers = new ProposerTable();
    private long lastSequence;
    private long lastToken;

    ScriptedReplica(
            ProtocolContext context,
            ScriptedLog log,
            long appliedPosition,
            long appliedPrefixHash,
            SafetyRules rules,
            World world) {
        super(context.replicaId(), log);
        this.incarnation = context.incarnation();
        this.world = world;
        start(
                RecordedProtocol.create(this, effects -> ChainPaxosFactory.create(context, rules, effects)),
                appliedPosition,
                appliedPrefixHash);
    }

    void propose(String text) {
        ByteSlice command = ByteSlice.of(text.getBytes(StandardCharsets.UTF_8));
        input(p -> p.onPropose(new ProposedCommand(id(), incarnation, 0, ++lastSequence, command)));
    }

    /** A linearizable read waits; returns its token. */
    long read() {
        input(p -> p.onReadBarrier(++lastToken));
        return lastToken;
    }

    boolean leads() {
        return status().role() == OrderingStatus.Role.LEADER;
    }

    @Override
    protected void transmit(int to, Message message) {
        world.send(id(), to, message);
    }

    @Override
    protected void delivered(long position, ByteSlice value) {
        delivered.put(position, value);
        world.delivered(id(), position, value);
        if (BatchCodec.isMembership(value)) {
            membership = BatchCodec.membershipIn(value);
            return;
        }
        for (ProposedCommand command : commands(value)) {
            if (proposers.advance(command) == ProposerTable.Verdict.APPLY) {
                executed.add(text(command));
            }
        }
    }

    static List<ProposedCommand> commands(ByteSlice value) {
        try {
            return BatchCodec.decode(value);
        } catch (MalformedMessageException e) {
            throw new AssertionError(e);
        }
    }

    static String text(ProposedCommand command) {
        return new String(command.command().toByteArray(), StandardCharsets.UTF_8);
    }

    @Override
    protected void released(long token) {
        Integer before = barriersReached.put(token, executed.size());
        InvariantViolated.check(before == null, "barrier %d reached twice", token);
    }
}
