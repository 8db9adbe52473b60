package io.chainkeeper.server.storage;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.RecoveredState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** The names that the values in an acceptor log give a cluster, whether they are decided or only accepted. */
public final class ClusterNames {
    private ClusterNames() {}

    /**
     * Reads them.
     *
     * @param log what it holds
     * @param abovePosition only behind this position
     * @return the names
     * @throws IOException if the log cannot be read, or holds something that no release of ours wrote
     */
    public static Set<UUID> of(RecoveredState log, long abovePosition) throws IOException {
        Set<UUID> names = new TreeSet<>();
        try {
            log.forEachPosition(abovePosition + 1, record -> look(record, names));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return names;
    }

    private static void look(LogRecord record, Set<UUID> names) {
        if (BatchCodec.isMembership(record.body()) || BatchCodec.isNote(record.body())) {
            return;
        }
        try {
            for (ProposedCommand proposed : BatchCodec.decode(record.body())) {
                if (CommandCodec.decode(proposed.command()) instanceof Command.ClusterFormed formed) {
                    names.add(formed.clusterId());
                }
            }
        } catch (MalformedMessageException e) {
            throw new UncheckedIOException(new IOException("the acceptor log's record of position " + record.position()
                    + " does not decode: " + e.getMessage()));
        }
    }
}
