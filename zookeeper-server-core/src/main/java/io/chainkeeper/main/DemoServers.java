package io.chainkeeper.main;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.common.X509Exception.SSLContextException;

/**
 * The demo's servers: processes started by zkServer.sh from {@code server-1}, {@code server-2}, ... below one
 * directory. Safe for use by any thread; after {@link #close} none can be started any more.
 */
final class DemoServers implements AutoCloseable {
    private static final int FOUR_LETTER_WORD_TIMEOUT_MILLIS = 1000;
    private static final long STOP_TIMEOUT_SECONDS = 30;
    private static final long POLL_MILLIS = 20;

    private final Path directory;
    private final Path script;
    private final List<String> addresses;
    private final Map<Integer, Process> processes = new TreeMap<>();
    private boolean closed;

    /**
     * Creates the object; starts nothing.
     *
     * @param directory holds the servers' directories, each with a zoo.cfg
     * @param script zkServer.sh
     * @param addresses client address of each server, host:port
     */
    DemoServers(Path directory, Path script, List<String> addresses) {
        this.directory = directory;
        this.script = script;
        this.addresses = List.copyOf(addresses);
    }

    int count() {
        return addresses.size();
    }

    /** Starts all servers and waits until each reports a mode. */
    void startAll() throws IOException, InterruptedException {
        start(ids());
    }

    /** Starts some servers, which do not run, and waits until each of them reports a mode. */
    void start(int... ids) throws IOException, InterruptedException {
        synchronized (this) {
            for (int id : ids) {
                processes.put(id, launch(id));
            }
        }
        Deadline deadline = new Deadline("servers that serve");
        for (int id : ids) {
            while (mode(id).isEmpty()) {
                checkAlive(id);
                deadline.check();
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
    }

    private int[] ids() {
        return IntStream.rangeClosed(1, count()).toArray();
    }

    private Process launch(int id) throws IOException {
        if (closed) {
            throw new IOException("the demo is ending");
        }
        Path home = directory.resolve("server-" + id);
        Path logs = home.resolve("logs");
        ProcessBuilder builder = new ProcessBuilder(script.toString(), "--config", home.toString(), "start-foreground")
                .redirectOutput(logs.resolve("console.out").toFile())
                .redirectError(logs.resolve("console.err").toFile());
        builder.environment().put("ZOO_LOG_DIR", logs.toString());
        builder.environment().put("JMXDISABLE", "true");
        Process process = builder.start();
        // the script that started us ends what this file names if we cannot
        Files.writeString(home.resolve("data/zookeeper_server.pid"), process.pid() + "\n");
        return process;
    }

    private synchronized void checkAlive(int id) throws IOException {
        Process process = processes.get(id);
        if (!process.isAlive()) {
            List<String> messages =
                    Files.readAllLines(directory.resolve("server-" + id).resolve("logs/console.err"));
            String last = messages.isEmpty() ? "" : ": " + messages.get(messages.size() - 1);
            throw new IOException("server " + id + " ended with code " + process.exitValue() + last);
        }
    }

    /** @return what a server calls itself (leader, follower), or an empty text while it does not serve */
    String mode(int id) {
        String[] address = addresses.get(id - 1).split(":");
        try {
            String answer = FourLetterWordMain.send4LetterWord(
                    address[0], Integer.parseInt(address[1]), "srvr", false, FOUR_LETTER_WORD_TIMEOUT_MILLIS);
            return answer.lines()
                    .filter(line -> line.startsWith("Mode: "))
                    .map(line -> line.substring("Mode: ".length()))
                    .findFirst()
                    .orElse("");
        } catch (IOException | SSLContextException notYet) {
            return "";
        }
    }

    /** @return the modes of all servers */
    String modes() {
        return IntStream.of(ids()).mapToObj(this::mode).collect(Collectors.joining(", "));
    }

    /** Ends all processes with SIGKILL and waits until they are gone. */
    void killAll() throws InterruptedException {
        kill(ids());
    }

    /** Ends the processes of some servers with SIGKILL and waits until they are gone. */
    synchronized void kill(int... ids) throws InterruptedException {
        List<Process> killed = of(ids);
        killed.forEach(Process::destroyForcibly);
        for (Process process : killed) {
            process.waitFor();
        }
    }

    private synchronized List<Process> of(int... ids) {
        return IntStream.of(ids)
                .mapToObj(processes::get)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Asks all processes to end and waits until they have. */
    void stopAll() throws IOException, InterruptedException {
        of(ids()).forEach(Process::destroy);
        awaitEnd();
    }

    /** Waits until all processes have ended. */
    void awaitEnd() throws IOException, InterruptedException {
        for (Process process : of(ids())) {
            if (!process.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("process " + process.pid() + " still runs after " + STOP_TIMEOUT_SECONDS + " s");
            }
        }
    }

    @Override
    public synchronized void close() throws InterruptedException {
        closed = true;
        killAll();
    }
}
