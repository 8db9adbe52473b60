package io.chainkeeper.benchmarks.server;

import io.chainkeeper.benchmarks.host.CpuControl;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** One server: its process, in its own CPU group. */
public final class ServerProcess implements AutoCloseable {
    private static final long EXIT_SECONDS = 20;
    private static final int LOG_TAIL_LINES = 15;

    /** Enters the groups given before "--", then becomes the command behind it: no thread ever runs outside. */
    private static final String ENTER_GROUPS =
            "while [ \"$1\" != -- ]; do echo $$ >\"$1\" || exit 97; shift; done; shift; exec \"$@\"";

    /** Everything that is needed to start it, and to start it again. */
    private record Launch(
            int id, String host, int clientPort, List<String> command, Path log, CpuControl control, String groupName) {
        Launch withLog(Path other) {
            return new Launch(id, host, clientPort, command, other, control, groupName);
        }
    }

    private final Launch launch;
    private final CpuControl.Group group;
    private final Process process;

    private ServerProcess(Launch launch, CpuControl.Group group, Process process) {
        this.launch = launch;
        this.group = group;
        this.process = process;
    }

    /**
     * Starts a server, without a quota.
     *
     * @param id the server's id
     * @param host its address
     * @param clientPort where clients will connect
     * @param command the command line
     * @param log receives all output
     * @param control where the group comes from
     * @param groupName name of the group
     * @return the server
     * @throws IOException if it cannot be started
     */
    static ServerProcess start(
            int id, String host, int clientPort, List<String> command, Path log, CpuControl control, String groupName)
            throws IOException {
        return start(new Launch(id, host, clientPort, List.copyOf(command), log, control, groupName));
    }

    private static ServerProcess start(Launch launch) throws IOException {
        CpuControl.Group group = launch.control().create(launch.groupName());
        try {
            List<String> line = new ArrayList<>(List.of("sh", "-c", ENTER_GROUPS, "sh"));
            group.processFiles().forEach(f -> line.add(f.toString()));
            line.add("--");
            line.addAll(launch.command());
            Process process = new ProcessBuilder(line)
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(launch.log().toFile())
                    .start();
            return new ServerProcess(launch, group, process);
        } catch (IOException e) {
            group.close();
            throw e;
        }
    }

    /**
     * Starts the same server again. This process must have ended, or is killed.
     *
     * @param log receives all output of the new process
     * @return the new process
     * @throws IOException if the old one does not end or the new one cannot be started
     */
    ServerProcess startAgain(Path log) throws IOException, InterruptedException {
        close();
        return start(launch.withLog(log));
    }

    /** @return the server's id, from 1 on */
    public int id() {
        return launch.id();
    }

    /** @return host and port for clients */
    public String address() {
        return launch.host() + ":" + launch.clientPort();
    }

    String host() {
        return launch.host();
    }

    /** @return the port for clients */
    public int clientPort() {
        return launch.clientPort();
    }

    /** @return the process id */
    public long pid() {
        return process.pid();
    }

    /**
     * Gives it a CPU quota.
     *
     * @param cores how many cores it may use
     * @throws IOException if the kernel refuses
     */
    public void cap(double cores) throws IOException {
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
    public void checkAlive() throws IOException {
        if (!process.isAlive()) {
            throw new IOException("server " + id() + " ended with exit code " + process.exitValue()
                    + "; its log ends:\n" + logTail());
        }
    }

    /**
     * Why the system could not tell something of the process: one that is ending gives up its memory first.
     *
     * @param unreadable what the system said
     * @return the same, if the server still runs after a while
     * @throws IOException if it has ended; the message holds the end of its log
     */
    public IOException explained(IOException unreadable) throws IOException {
        try {
            process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        checkAlive();
        return unreadable;
    }

    /** @return the last lines that the server wrote */
    public String logTail() throws IOException {
        List<String> lines = new String(Files.readAllBytes(launch.log()), StandardCharsets.UTF_8)
                .lines()
                .toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
    }

    /** Ends the process at once, by SIGKILL, without waiting for it. */
    public void kill() {
        process.destroyForcibly();
    }

    /**
     * Asks the process to end, as a service manager does, and waits.
     *
     * @throws IOException if it does not
     */
    public void stop() throws IOException, InterruptedException {
        process.destroy();
        awaitExit();
    }

    /**
     * Waits until the process has ended.
     *
     * @throws IOException if it does not
     */
    public void awaitExit() throws IOException, InterruptedException {
        if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("process " + pid() + " of server " + id() + " does not end");
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        kill();
        try {
            awaitExit();
        } finally {
            group.close();
        }
    }

    @Override
    public String toString() {
        return "server " + id() + " (process " + pid() + ")";
    }
}
