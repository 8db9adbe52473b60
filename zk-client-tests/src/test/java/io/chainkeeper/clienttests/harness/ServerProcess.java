package io.chainkeeper.clienttests.harness;

import io.chainkeeper.FreePorts;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One server of an ensemble as a process of its own, started by {@code bin/zkServer.sh start-foreground}. Its console
 * output goes to {@code server.out} in its directory and survives restarts. Not for use by several threads.
 *
 * <p>No server outlives the JVM that started it.
 */
public final class ServerProcess {
    private static final Duration SERVING_LIMIT = Duration.ofSeconds(120);
    private static final long SCRIPT_LIMIT_SECONDS = 90;
    private static final long EXIT_LIMIT_SECONDS = 30;
    private static final Set<ProcessHandle> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> RUNNING.forEach(ProcessHandle::destroyForcibly), "kill-server-processes"));
    }

    private final int id;
    private final Network network;
    private final int clientPort;
    private final Path directory;
    private final Map<String, Integer> ports = new TreeMap<>();
    private final List<String> jvmFlags = new ArrayList<>();
    private Path libraries;
    private Process process;

    ServerProcess(int id, Network network, int clientPort, Path directory) {
        this.id = id;
        this.network = network;
        this.clientPort = clientPort;
        this.directory = directory;
    }

    /** A process that must not outlive this JVM either. */
    static void killAtTheEnd(Process other) {
        RUNNING.add(other.toHandle());
        other.onExit().thenAccept(ended -> RUNNING.remove(ended.toHandle()));
    }

    /** Returns the server's myid. */
    public int id() {
        return id;
    }

    /** Returns the address clients connect to. */
    public String clientHost() {
        return network.clientHost(id);
    }

    /** Returns the port clients connect to. */
    public int clientPort() {
        return clientPort;
    }

    /** Returns this server's port under a key of zoo.cfg that {@link Ensemble.Builder#port} has named. */
    public int port(String key) {
        return ports.computeIfAbsent(key, any -> FreePorts.next());
    }

    /** Returns the directory with {@code zoo.cfg}, {@code data} and {@code server.out}. */
    public Path directory() {
        return directory;
    }

    /** Returns the configuration file that the server is started with. */
    public Path configFile() {
        return directory.resolve("zoo.cfg");
    }

    /** Returns what a client needs to connect to this server alone. */
    public String connectString() {
        return clientHost() + ":" + clientPort;
    }

    /** Replaces the flags that the JVM is given beside those of all servers, from the next start on. */
    public void jvmFlags(String... flags) {
        jvmFlags.clear();
        jvmFlags.addAll(List.of(flags));
    }

    /** Lets the server run from other jars from the next start on; null for those of this build. */
    public void libraries(Path directoryOfJars) {
        libraries = directoryOfJars;
    }

    /** Replaces or adds lines of the configuration file; null as a value removes the line. */
    public void configure(Map<String, String> changes) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(configFile())) {
            if (!changes.containsKey(line.substring(0, Math.max(0, line.indexOf('='))))) {
                lines.add(line);
            }
        }
        changes.forEach((key, value) -> {
            if (value != null) {
                lines.add(key + "=" + value);
            }
        });
        Files.write(configFile(), lines);
    }

    /** Deletes everything in the data directory but {@code myid}; only while the server does not run. */
    public void emptyData() throws IOException {
        Path data = directory.resolve("data");
        try (Stream<Path> paths = Files.walk(data)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                if (!path.equals(data) && !path.equals(data.resolve("myid"))) {
                    Files.delete(path);
                }
            }
        }
    }

    /** Starts the process; does not wait until it serves. */
    public void start() throws IOException {
        if (isRunning()) {
            throw new IllegalStateException("server " + id + " runs already");
        }
        ProcessBuilder builder = Scripts.command(
                directory, "zkServer.sh", "start-foreground", configFile().toString());
        builder.command().addAll(0, network.commandPrefix(id));
        for (String flag : network.jvmFlags(id, directory)) {
            builder.environment().merge("SERVER_JVMFLAGS", flag, (flags, added) -> flags + " " + added);
        }
        for (String flag : jvmFlags) {
            builder.environment().merge("SERVER_JVMFLAGS", flag, (flags, added) -> flags + " " + added);
        }
        if (libraries != null) {
            builder.environment().put("ZOOLIBDIR", libraries.toString());
        }
        process = builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(console().toFile()))
                .start();
        RUNNING.add(process.toHandle());
    }

    /**
     * Runs {@code zkServer.sh} with one of its commands for this server, to the script's end. A server that it leaves
     * in the background is killed with the ensemble, at the latest when this JVM ends.
     */
    public Scripts.Result script(String command) throws IOException, InterruptedException {
        Scripts.Result result = Scripts.run(
                SCRIPT_LIMIT_SECONDS,
                directory,
                "zkServer.sh",
                command,
                configFile().toString());
        background().ifPresent(RUNNING::add);
        return result;
    }

    /** Returns the process whose id the script has left in the data directory, if it lives. */
    public Optional<ProcessHandle> background() throws IOException {
        Path pidFile = directory.resolve("data/zookeeper_server.pid");
        if (!Files.exists(pidFile)) {
            return Optional.empty();
        }
        return ProcessHandle.of(Long.parseLong(Files.readString(pidFile).trim()))
                .filter(ProcessHandle::isAlive);
    }

    /** SIGKILL to the server that the script has started, if it lives; waits for its end. */
    void killBackground() throws IOException {
        Optional<ProcessHandle> handle = background();
        if (handle.isPresent()) {
            handle.get().destroyForcibly();
            handle.get().onExit().join();
            RUNNING.remove(handle.get());
        }
    }

    /** Returns whether the process lives, paused or not. */
    public boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** Returns the process id of the running or last run server. */
    public long pid() {
        return process.pid();
    }

    /** Returns what {@code srvr} calls the server's mode, or null while it does not serve. */
    public String mode() {
        return FourLetterWord.srvr(this, "Mode");
    }

    /** As {@link #mode}, for those who ask once: of a busy server the answer is waited for. */
    public String modeOnce() throws IOException {
        return FourLetterWord.srvrOnce(this, "Mode");
    }

    /** Returns the last zxid of the server's tree, or -1 while it does not serve. */
    public long zxid() {
        String zxid = FourLetterWord.srvr(this, "Zxid");
        return zxid == null ? -1 : Long.decode(zxid);
    }

    /**
     * Returns one of the numbers of {@code mntr}.
     *
     * @param name without {@code zk_}
     * @throws AssertionError if the server does not answer or has no such number
     */
    public long gauge(String name) throws IOException {
        String answer = FourLetterWord.ask(this, "mntr");
        for (String line : answer.split("\n")) {
            String[] words = line.split("\t");
            if (words[0].equals("zk_" + name)) {
                return Math.round(Double.parseDouble(words[1]));
            }
        }
        throw new AssertionError("server " + id + " reports no zk_" + name + ": " + answer);
    }

    /**
     * Waits until the server serves clients.
     *
     * @throws AssertionError if the process ends or does not serve within two minutes
     */
    public void awaitServing() throws Exception {
        Await.until("server " + id + " serves clients at port " + clientPort, SERVING_LIMIT, () -> {
            if (!isRunning()) {
                throw new AssertionError("server " + id + " ended with exit code " + process.exitValue()
                        + " instead of serving clients");
            }
            return mode() != null;
        });
        if (ports.containsKey(AdminClient.PORT)) {
            Await.until("the AdminServer of server " + id, SERVING_LIMIT, this::adminServerListens);
        }
        Path executable = Path.of("/proc", Long.toString(pid()), "exe").toRealPath();
        if (!executable.getFileName().toString().equals("java")) {
            throw new AssertionError(
                    "zkServer.sh start-foreground must become the server's JVM by exec: the process is " + executable
                            + ", signals would not reach the server");
        }
    }

    /** It begins to listen when clients have been let in, or a little later. */
    private boolean adminServerListens() throws IOException {
        try (Socket socket = new Socket(clientHost(), port(AdminClient.PORT))) {
            return socket.isConnected();
        } catch (SocketException e) {
            // Refused; or reset, when the connection met a socket that was just being opened.
            return false;
        }
    }

    /** SIGKILL: the process ends at once and keeps nothing that it has not given to the operating system. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitExit();
    }

    /** SIGTERM, as {@code zkServer.sh stop} sends it; waits for the end. */
    public void terminate() throws InterruptedException {
        process.destroy();
        awaitExit();
    }

    /** SIGSTOP: the process stands still until {@link #resume()}; its connections stay. */
    public void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** SIGCONT. */
    public void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    /**
     * Waits for the end of the process and returns its exit code.
     *
     * @throws AssertionError if it still runs after half a minute
     */
    public int awaitExit() throws InterruptedException {
        if (!process.waitFor(EXIT_LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("server " + id + " still runs " + EXIT_LIMIT_SECONDS + " s after it had to end");
        }
        RUNNING.remove(process.toHandle());
        return process.exitValue();
    }

    /** Returns the last lines of the server's console output. */
    public List<String> lastLogLines(int count) throws IOException {
        List<String> lines = Files.exists(console()) ? Files.readAllLines(console()) : List.of();
        return lines.subList(Math.max(0, lines.size() - count), lines.size());
    }

    private Path console() {
        return directory.resolve("server.out");
    }

    /**
     * Sends a signal and does not wait for what comes of it: a process that waits for a disk ends when that answers.
     *
     * @param name without {@code SIG}
     */
    public void signal(String name) throws IOException, InterruptedException {
        int exitCode = new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (exitCode != 0) {
            throw new IOException("kill -" + name + " " + pid() + " failed with exit code " + exitCode);
        }
    }
}
