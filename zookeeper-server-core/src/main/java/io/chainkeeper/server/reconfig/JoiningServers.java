package io.chainkeeper.server.reconfig;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.release.FormatHead;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.EnsembleConfig.Server;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers that a plan adds and the configuration does not name: where they can be reached. The order may have admitted
 * one when its plan is dropped, and then needs its vote to remove it again; or it admits one behind that, because a
 * leader had proposed so before. So they are kept until they have voted and vote no more, or another configuration is
 * in force: also across restarts, in the file {@value #FILE_NAME} of the ordering directory. Not safe for use by
 * several threads.
 */
final class JoiningServers {
    /** Name of the file; there is none while nobody is being added. */
    static final String FILE_NAME = "joining-servers";

    private static final Logger LOG = LoggerFactory.getLogger(JoiningServers.class);
    private static final int FORMAT_VERSION = 1;

    private final Path file;
    private EnsembleConfig kept;

    /** Ids of those that have not been seen to vote: the membership that lets them may still come. */
    private final Set<Integer> mayVoteLater;

    /**
     * @param orderingDirectory where the file is kept; need not exist while nobody is being added
     * @throws IOException if the file cannot be read, or holds anything else; the message names it
     */
    JoiningServers(Path orderingDirectory) throws IOException {
        file = orderingDirectory.resolve(FILE_NAME);
        kept = read(file);
        mayVoteLater = new TreeSet<>(kept.servers().keySet());
    }

    private static EnsembleConfig read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return new EnsembleConfig(0, new TreeMap<>());
        }
        try {
            List<String> lines = FormatHead.lines(FormatHead.text(file));
            FormatHead.version(file, lines, FORMAT_VERSION);
            FormatHead.checkRelease(lines);
            return EnsembleConfig.parse(String.join("\n", lines.subList(FormatHead.LINES, lines.size())));
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    file + " is damaged (" + e.getMessage() + "); it says where servers can be reached that were being"
                            + " added: correct their lines, or delete it if the others serve clients",
                    e);
        }
    }

    /** @return those that are kept, by id; not to be changed */
    SortedMap<Integer, Server> servers() {
        return kept.servers();
    }

    /**
     * Keeps those of a plan, and of those before who vote, or may do so later.
     *
     * @param configured what is in force
     * @param planned what is planned, null if nothing is
     * @param voters ids of those who vote, as far as the order has changed that
     */
    void update(EnsembleConfig configured, EnsembleConfig planned, Collection<Integer> voters) {
        if (configured.version() > kept.version()) {
            mayVoteLater.clear();
        }
        SortedMap<Integer, Server> next = new TreeMap<>(kept.servers());
        if (planned != null) {
            next.putAll(planned.servers());
            mayVoteLater.addAll(planned.servers().keySet());
        }
        mayVoteLater.removeAll(voters);
        next.keySet().removeIf(id -> !voters.contains(id) && !mayVoteLater.contains(id));
        next.keySet().removeAll(configured.servers().keySet());
        if (!next.equals(kept.servers())) {
            kept = new EnsembleConfig(configured.version(), next);
            write();
        }
    }

    private void write() {
        try {
            if (kept.servers().isEmpty()) {
                Files.deleteIfExists(file);
            } else {
                String text = FormatHead.of(FORMAT_VERSION) + kept.text() + "\n";
                AtomicFile.write(file, text.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            LOG.warn(
                    "{} cannot be written: {}. If this server restarts before a change of the ensemble is complete, it"
                            + " does not know where servers can be reached that are being added",
                    file,
                    e.toString());
        }
    }
}
