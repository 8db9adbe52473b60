package io.chainkeeper.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** One server: its process, in its own CPU group. */
final class ServerProcess implements AutoCloseable {
    private static final long EXIT_SECONDS = 20;
    private static final int LOG_TAIL_LINES = 15;

    /** Enters the groups given before "--", then becomes the command behind it: no thread ever runs outside. */
    private static final String ENTER_GROUPS =
            "while [ \"$1\" != -- ]; do echo $$ >\"$1\" || exit 97; shift; done; shift; exec \"$@\"";

    private final int id;
    private final int clientPort;
    private final Path log;
    private final CpuControl.Group group;
    private final Process process;

    private ServerProcess(int id, int clientPort, Path log, CpuControl.Group group, Process process) {
        this.id = id;
        this.clientPort = clientPort;
        this.log = log;
        this.group = group;
        this.process = process;
    }

    /**
     * Starts a server, without a quota.
     *
     * @param id the server's id
     * @param clientPort where clients will connect
     * @param command the command line
     * @param log receives all output
     * @param control where the group comes from
     * @param groupName name of the group
     * @return the server
     * @throws IOException if it cannot be started
     */
    static ServerProcess start(
            int id, int clientPort, List<String> command, Path log, CpuControl control, String groupName)
            throws IOException {
        CpuControl.Group group = control.create(groupName);
        try {
            List<String> line = new ArrayList<>(List.of("sh", "-c", ENTER_GROUPS, "sh"));
            group.processFiles().forEach(f -> line.add(f.toString()));
            line.add("--");
            line.addAll(command);
            Process process = new ProcessBuilder(line)
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(log.toFile())
                    .start();
            return new ServerProcess(id, clientPort, log, group, process);
        } catch (IOException e) {
            group.close();
            throw e;
        }
    }

    int id() {
        return id;
    }

    String address() {
        return "127.0.0.1:" + clientPort;
    }

    int clientPort() {
        return clientPort;
    }

    long pid() {
        return process.pid();
    }

    void cap(double cores) throws IOException {
        group.cap(cores);
    }

    /** @return exact CPU time of the group in microseconds, if the machine accounts for groups */
    OptionalLong groupCpuMicros() throws IOException {
        return group.cpuMicros();
    }

    /**
     * Makes sure that the server still runs.
     *
     * @throws IOException if it has ended; the message holds the end of its log
     */
    void checkAlive() throws IOException {
        if (!process.isAlive()) {
            throw new IOException(
                    "server " + id + " ended with exit code " + process.exitValue() + "; its log ends:\n" + logTail());
        }
    }

    /** @return the last lines that the server wrote */
    String logTail() throws IOException {
        List<String> lines = new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                .lines()
                .toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
    }

    /** Ends the process at once; its data is thrown away anyway. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        kill();
        try {
            if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("process " + pid() + " of server " + id + " does not end");
            }
        } finally {
            group.close();
        }
    }

    @Override
    public String toString() {
        return "server " + id + " (process " + pid() + ")";
    }
}
