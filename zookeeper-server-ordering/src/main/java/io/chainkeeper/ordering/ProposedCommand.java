package io.chainkeeper.ordering;

/**
 * A command with what makes it exactly-once: a stream of one incarnation of one proposer numbers its commands 1, 2, 3,
 * ...; the executor applies each number once, in order.
 *
 * @param proposer replica id
 * @param incarnation of the proposer
 * @param stream 0 to {@link OrderingProtocolFactory#streamCount} - 1
 * @param sequence from 1, without gaps
 * @param command opaque bytes
 */
public record ProposedCommand(int proposer, long incarnation, int stream, long sequence, ByteSlice command) {
    @Override
    public String toString() {
        return proposer + "." + incarnation + "/" + stream + "#" + sequence + command;
    }
}
