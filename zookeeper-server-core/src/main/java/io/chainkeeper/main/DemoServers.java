package io.chainkeeper.main;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
    private final List<Process> processes = new ArrayList<>();
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
        synchronized (this) {
            processes.clear();
            for (int id = 1; id <= count(); id++) {
                processes.add(start(id));
            }
        }
        Deadline deadline = new Deadline("three servers that serve");
        for (int id = 1; id <= count(); id++) {
            while (mode(id).isEmpty()) {
                checkAlive(id);
                deadline.check();
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
    }

    private Process start(int id) throws IOException {
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
        Process process = processes.get(id - 1);
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

    /** Ends all processes with SIGKILL and waits until they are gone. */
    synchronized void killAll() throws InterruptedException {
        processes.forEach(Process::destroyForcibly);
        for (Process process : processes) {
            process.waitFor();
        }
    }

    /** Asks all processes to end and waits until they have. */
    void stopAll() throws IOException, InterruptedException {
        List<Process> running;
        synchronized (this) {
            running = List.copyOf(processes);
        }
        running.forEach(Process::destroy);
        for (Process process : running) {
            if (!process.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("process " + process.pid() + " still runs " + STOP_TIMEOUT_SECONDS
                        + " s after it was asked to stop");
            }
        }
    }

    @Override
    public synchronized void close() throws InterruptedException {
        closed = true;
        killAll();
    }
}
