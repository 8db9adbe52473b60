package io.chainkeeper.server.storage;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;

/** Counts, in records that were accepted and not executed, the commands that would have become transactions. */
public final class UnexecutedWrites {
    private long first;
    private int count;

    /** @param record of an accepted value, in ascending order of position */
    public void look(LogRecord record) {
        if (BatchCodec.isMembership(record.body()) || BatchCodec.isNote(record.body())) {
            return;
        }
        int before = count;
        try {
            for (ProposedCommand command : BatchCodec.decode(record.body())) {
                count += isTransaction(command) ? 1 : 0;
            }
        } catch (MalformedMessageException e) {
            count++; // nobody knows what it is
        }
        first = first == 0 && count > before ? record.position() : first;
    }

    private static boolean isTransaction(ProposedCommand proposed) throws MalformedMessageException {
        Command command = CommandCodec.decode(proposed.command());
        return command instanceof Command.ClientRequest || command instanceof Command.Expire;
    }

    /** @return position of the first, 0 if there is none */
    public long first() {
        return first;
    }

    /** @return how many there are */
    public int count() {
        return count;
    }
}
