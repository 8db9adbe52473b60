package io.chainkeeper.server;

import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Proposal;
import java.util.HashMap;
import java.util.Map;

/** What one start of a replica has proposed and not yet executed. Guarded by the order's monitor. */
final class OwnProposals {
    private static final int MAX_IN_PROGRESS = 4096;

    private record Key(int stream, long sequence) {}

    private final int replicaId;
    private final long incarnation;
    private final long[] sequences;
    private final Map<Key, Proposal> proposals = new HashMap<>();

    OwnProposals(int replicaId, long incarnation, int streamCount) {
        this.replicaId = replicaId;
        this.incarnation = incarnation;
        this.sequences = new long[streamCount];
    }

    /** Whether another one has to wait. */
    boolean areMany() {
        return proposals.size() >= MAX_IN_PROGRESS;
    }

    ProposedCommand number(Proposal proposal) {
        long sequence = ++sequences[proposal.stream()];
        proposals.put(new Key(proposal.stream(), sequence), proposal);
        return new ProposedCommand(replicaId, incarnation, proposal.stream(), sequence, proposal.command());
    }

    /** Any thread. */
    boolean contain(ProposedCommand command) {
        return command.proposer() == replicaId && command.incarnation() == incarnation;
    }

    Proposal remove(ProposedCommand command) {
        return proposals.remove(new Key(command.stream(), command.sequence()));
    }
}
