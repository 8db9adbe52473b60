package io.chainkeeper.main;

import io.chainkeeper.config.StartupConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells {@code zkServer.sh start}, through a file that it has made, that a start has worked. Where the script is no
 * longer interested it has deleted the file. Where the file cannot be written, because its disk is full, it is deleted
 * here, and the script looks at the client port instead.
 */
final class StartReport {
    private static final Logger LOG = LoggerFactory.getLogger(StartReport.class);

    /** Environment variable with the path of the file; absent if nobody waits. */
    static final String VARIABLE = "CHAINKEEPER_START_REPORT";

    /** The server serves clients, or waits for others. */
    static final String STARTED = "started";

    /** Apache ZooKeeper's server is being started, which reports nothing: look at its port. */
    static final String STOCK = "stock";

    private final Path file;

    /** @param path of the file, null if nobody waits */
    StartReport(String path) {
        this.file = path == null || path.isEmpty() ? null : Path.of(path);
    }

    /**
     * @param starter starts a replica
     * @return does the same, and reports when the start has worked
     */
    ServerStarter reporting(ServerStarter starter) {
        return file == null ? starter : config -> start(starter, config);
    }

    private ServerStarter.RunningServer start(ServerStarter starter, StartupConfig config) throws IOException {
        ServerStarter.RunningServer server = starter.start(config);
        Thread reporter = new Thread(
                () -> {
                    try {
                        if (server.awaitStarted()) {
                            write(STARTED);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "start-report");
        reporter.setDaemon(true);
        reporter.start();
        return server;
    }

    /** @param word {@link #STARTED} or {@link #STOCK} */
    void write(String word) {
        if (file == null) {
            return;
        }
        try {
            Files.write(file, (word + "\n").getBytes(StandardCharsets.US_ASCII), StandardOpenOption.WRITE);
        } catch (NoSuchFileException e) {
            LOG.debug("Nobody waits for this start any more: {}", e.toString());
        } catch (IOException e) {
            LOG.warn(
                    "{} cannot be written ({}), so zkServer.sh takes the start for done when the client port answers;"
                            + " free space there",
                    file,
                    e.toString());
            delete();
        }
    }

    private void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("Nor can it be deleted: {}; zkServer.sh waits until its time is over", e.toString());
        }
    }
}
