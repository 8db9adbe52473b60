package io.chainkeeper.chain;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Bytes for tests. */
final class ByteSliceOf {
    private ByteSliceOf() {}

    static ByteSlice text(String text) {
        return ByteSlice.of(text.getBytes(StandardCharsets.UTF_8));
    }

    static ProposedCommand command(int proposer, long sequence, String text) {
        return new ProposedCommand(proposer, 1, 0, sequence, text(text));
    }

    /** A batch of commands of a proposer that is no member. */
    static ByteSlice batch(String... texts) {
        List<ProposedCommand> commands = new ArrayList<>();
        for (String text : texts) {
            commands.add(command(99, commands.size() + 1L, text));
        }
        return BatchCodec.encode(commands);
    }
}
