package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Commands of the size of a small setData. */
final class Commands {
    /** A value of 128 bytes with a path and what else a command says of its session. */
    private static final int COMMAND_BYTES = 220;

    private Commands() {}

    /** @return the bytes of a command, always the same */
    static ByteSlice command() {
        byte[] bytes = new byte[COMMAND_BYTES];
        new Random(1).nextBytes(bytes);
        return ByteSlice.of(bytes);
    }

    /**
     * @param count how many
     * @return consecutive commands of one proposer
     */
    static List<ProposedCommand> batch(int count) {
        List<ProposedCommand> commands = new ArrayList<>(count);
        ByteSlice command = command();
        for (int i = 1; i <= count; i++) {
            commands.add(new ProposedCommand(1, 1, 0, i, command));
        }
        return commands;
    }
}
