package io.chainkeeper.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code dataDir/myid}, read as ZooKeeper reads it, with messages that say what to write. The only server of
 * an ensemble can do without: it writes the file when it has started, for the day on which there are others.
 */
public final class MyIdFile {
    private static final Logger LOG = LoggerFactory.getLogger(MyIdFile.class);
    private static final String NAME = "myid";

    private MyIdFile() {}

    /**
     * Reads this server's id.
     *
     * @param dataDirectory the directory of the file
     * @param ensemble the servers that it may be one of
     * @param maxId largest id allowed
     * @return the id, that of a server of the ensemble
     * @throws UserMistakeException if the file is missing, unreadable, wrong, or names no server of the ensemble
     */
    static int read(Path dataDirectory, EnsembleLines ensemble, int maxId) throws UserMistakeException {
        Path file = dataDirectory.resolve(NAME);
        String remedy = "write the id of this server (" + ensemble.ids() + ") into it as its only line";
        if (!Files.exists(file) && ensemble.servers().size() == 1) {
            return (int) ensemble.servers().get(0).id();
        }
        if (!Files.exists(file)) {
            throw UserMistakeException.inConfiguration("%s does not exist; create it and %s", file, remedy);
        }
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw UserMistakeException.inConfiguration("%s is not a readable file; replace it and %s", file, remedy);
        }
        String firstLine;
        try {
            firstLine = Files.readString(file, StandardCharsets.ISO_8859_1).split("\\R", 2)[0];
        } catch (IOException e) {
            throw UserMistakeException.inConfiguration("%s cannot be read: %s; %s", file, e.getMessage(), remedy);
        }
        if (firstLine.isEmpty()) {
            throw UserMistakeException.inConfiguration("%s begins with an empty line; %s", file, remedy);
        }
        if (!firstLine.matches("[+-]?\\d{1,18}")) {
            throw UserMistakeException.inConfiguration(
                    "%s says \"%s\", which is not a number; %s", file, firstLine, remedy);
        }
        long id = Long.parseLong(firstLine);
        if (id < 1 || id > maxId) {
            throw UserMistakeException.inConfiguration(
                    "%s says %d, which is not within 1 to %d; %s", file, id, maxId, remedy);
        }
        if (ensemble.find(id).isEmpty()) {
            throw UserMistakeException.inConfiguration(
                    "%s says %d, but %s has no line server.%d=...; %s, or add that line to the file of every server",
                    file, id, ensemble.file().path(), id, remedy);
        }
        return (int) id;
    }

    /**
     * Writes the file if there is none.
     *
     * @param dataDirectory an existing directory
     * @param id this server's id
     */
    public static void writeIfMissing(Path dataDirectory, int id) {
        Path file = dataDirectory.resolve(NAME);
        if (Files.exists(file)) {
            return;
        }
        try {
            AtomicFile.write(file, (id + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            LOG.warn("{} could not be written: {}. Write {} into it before there are other servers", file, e, id);
        }
    }
}
