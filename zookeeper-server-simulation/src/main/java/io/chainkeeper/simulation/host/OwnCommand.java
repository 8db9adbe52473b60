package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.ProposedCommand;

/** Which of a replica's own commands. */
record OwnCommand(int stream, long sequence) implements Comparable<OwnCommand> {
    static OwnCommand of(ProposedCommand command) {
        return new OwnCommand(command.stream(), command.sequence());
    }

    @Override
    public int compareTo(OwnCommand other) {
        int byStream = Integer.compare(stream, other.stream);
        return byStream != 0 ? byStream : Long.compare(sequence, other.sequence);
    }
}
