package io.chainkeeper.simulation;

/** Which of a replica's own commands. */
record OwnCommand(int stream, long sequence) implements Comparable<OwnCommand> {
    @Override
    public int compareTo(OwnCommand other) {
        int byStream = Integer.compare(stream, other.stream);
        return byStream != 0 ? byStream : Long.compare(sequence, other.sequence);
    }
}
