package io.chainkeeper.clienttests.harness;

import io.chainkeeper.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.rules.ExternalResource;

/**
 * Pods of the Helm chart's StatefulSet as processes: what their containers run, with the variables that the chart sets.
 * Each has an address of the loopback interface for itself, and the same ports; their names are in a file that all JVMs
 * read. What Kubernetes does is done by the test: it starts the processes, and runs the hooks.
 */
public final class Pods extends ExternalResource {
    private static final String NAME = "keeper";
    private static final String DOMAIN = "keeper-headless.test.svc";
    private static final int MOST = 9;
    private static final int FIRST_ADDRESS = 31;
    private static final long HOOK_LIMIT_SECONDS = 120;
    private static final Duration READY_LIMIT = Duration.ofSeconds(120);
    private static final int OK = 200;

    private final int founders;
    private final Path directory;
    private final int clientPort = FreePorts.next();
    private final int linkPort = FreePorts.next();
    private final int electionPort = FreePorts.next();
    private final int adminPort = FreePorts.next();
    private final Map<Integer, Process> servers = new LinkedHashMap<>();
    private final List<Process> hooks = new ArrayList<>();
    private ScaleServer api;

    /** @param founders the first pods, which found the ensemble */
    public Pods(String name, int founders) {
        this.founders = founders;
        directory = Path.of("target", "ensembles", name).toAbsolutePath();
    }

    @Override
    protected void before() throws Throwable {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        Files.createDirectories(directory);
        List<String> hosts = IntStream.range(0, MOST)
                .mapToObj(pod -> address(pod) + " " + NAME + "-" + pod + "." + DOMAIN)
                .collect(Collectors.toCollection(ArrayList::new));
        hosts.add("127.0.0.1 localhost");
        Files.write(directory.resolve("hosts"), hosts);
        Files.writeString(directory.resolve("password"), "of the super user\n");
        api = new ScaleServer(directory, NAME);
        api.replicas(founders);
    }

    @Override
    protected void after() {
        hooks.forEach(hook -> {
            hook.descendants().forEach(ProcessHandle::destroyForcibly);
            hook.destroyForcibly();
        });
        for (int pod : List.copyOf(servers.keySet())) {
            stopJoining(pod);
            servers.get(pod).destroyForcibly();
        }
        api.close();
    }

    /** Ends the post-start hook that a pod may have in the background, as the end of its container does. */
    private void stopJoining(int pod) {
        Path file = joining(pod);
        try {
            String id = textOf(file);
            if (!id.isEmpty()) {
                ProcessHandle.of(Long.parseLong(id)).ifPresent(hook -> {
                    hook.descendants().forEach(ProcessHandle::destroyForcibly);
                    hook.destroyForcibly();
                });
                // Another process may get this id later.
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new IllegalStateException(file + " cannot be read", e);
        }
    }

    /** The hook deletes the file when it has done its work. */
    private static String textOf(Path file) throws IOException {
        try {
            return Files.readString(file).trim();
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** Returns what answers in the place of Kubernetes. */
    public ScaleServer api() {
        return api;
    }

    private static String address(int pod) {
        return "127.0.0." + (FIRST_ADDRESS + pod);
    }

    /** Returns what a client needs to connect to these pods. */
    public String connectString(int... pods) {
        return IntStream.of(pods)
                .mapToObj(pod -> address(pod) + ":" + clientPort)
                .collect(Collectors.joining(","));
    }

    private Path conf(int pod) {
        return directory.resolve("pod-" + pod).resolve("conf");
    }

    /** Where the post-start hook says what of it is in the background. */
    private Path joining(int pod) {
        return conf(pod).resolve("join.pid");
    }

    private ProcessBuilder builder(int pod, String command) throws IOException {
        Path home = Files.createDirectories(directory.resolve("pod-" + pod));
        ProcessBuilder builder = Scripts.command(home, "zkServer.sh");
        builder.command(Scripts.home().resolve("container/pod.sh").toString(), command);
        Map<String, String> variables = builder.environment();
        String names = "-Djdk.net.hosts.file=" + directory.resolve("hosts");
        variables.merge("SERVER_JVMFLAGS", names, (flags, added) -> flags + " " + added);
        variables.put("CLIENT_JVMFLAGS", names);
        variables.merge("PATH", Scripts.home().resolve("bin").toString(), (path, bin) -> bin + ":" + path);
        variables.put("ZOO_CONF_DIR", Files.createDirectories(conf(pod)).toString());
        variables.put("ZOO_DATA_DIR", home.resolve("data").toString());
        variables.put("ZOO_DATA_LOG_DIR", home.resolve("data/log").toString());
        variables.put("ZOO_TICK_TIME", Integer.toString(Ensemble.TICK_MILLIS));
        variables.put("ZOO_INIT_LIMIT", "20");
        variables.put(
                "ZOO_CFG_EXTRA",
                "ordering.protocol=" + Ensemble.defaultProtocol() + " admin.serverAddress=" + address(pod)
                        + " admin.serverPort=" + adminPort
                        + " maxSessionTimeout=" + Ensemble.MAX_SESSION_TIMEOUT_MILLIS);
        variables.put("POD_NAME", NAME + "-" + pod);
        variables.put("POD_DOMAIN", DOMAIN);
        variables.put("POD_FOUNDERS", Integer.toString(founders));
        variables.put("POD_CLIENTS", connectString(IntStream.range(0, founders).toArray()));
        variables.put("POD_SUPER_FILE", directory.resolve("password").toString());
        variables.put("POD_ACCOUNT", api.account().toString());
        variables.put("KUBERNETES_SERVICE_HOST", "127.0.0.1");
        variables.put("KUBERNETES_SERVICE_PORT", Integer.toString(api.port()));
        variables.put("POD_CLIENT_ADDRESS", "pod");
        variables.put("POD_CLIENT_PORT", Integer.toString(clientPort));
        variables.put("POD_LINK_PORT", Integer.toString(linkPort));
        variables.put("POD_ELECTION_PORT", Integer.toString(electionPort));
        variables.put("POD_TRY_SECONDS", "1");
        variables.put("POD_HOOK_LOG", home.resolve("join.out").toString());
        return builder;
    }

    /** Starts the container of a new pod, on the volume of its name, and runs its post-start hook. */
    public void create(int pod) throws Exception {
        Files.deleteIfExists(conf(pod).resolve("zoo.cfg"));
        Files.deleteIfExists(joining(pod));
        startContainer(pod);
    }

    /** Starts the container of a pod, again if it has ended, and runs its post-start hook. */
    public void startContainer(int pod) throws Exception {
        Path console = directory.resolve("pod-" + pod).resolve("server.out");
        Files.createDirectories(console.getParent());
        Process server = builder(pod, "start")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(console.toFile()))
                .start();
        ServerProcess.killAtTheEnd(server);
        servers.put(pod, server);
        Scripts.Result joined = Scripts.run(HOOK_LIMIT_SECONDS, builder(pod, "join"));
        if (joined.exitCode() != 0) {
            throw new AssertionError("post-start hook of pod " + pod + ": " + joined);
        }
    }

    /** Ends the processes of a container with SIGKILL. */
    public void kill(int pod) throws InterruptedException {
        servers.get(pod).destroyForcibly().waitFor();
        stopJoining(pod);
    }

    /** Returns whether the server of a pod lives. */
    public boolean isRunning(int pod) {
        return servers.get(pod).isAlive();
    }

    /** Ends the post-start hook of a pod with SIGKILL, wherever it is. */
    public void killJoining(int pod) {
        stopJoining(pod);
    }

    /** Begins the pre-stop hook of a pod. */
    public Process beginLeaving(int pod) throws IOException {
        Process hook = builder(pod, "leave")
                .redirectErrorStream(true)
                .redirectOutput(
                        directory.resolve("pod-" + pod).resolve("leave.out").toFile())
                .start();
        hooks.add(hook);
        return hook;
    }

    /** Waits for the pre-stop hook, and ends the container with SIGTERM as Kubernetes then does. */
    public void endAfter(Process hook, int pod) throws Exception {
        if (!hook.waitFor(HOOK_LIMIT_SECONDS, TimeUnit.SECONDS) || hook.exitValue() != 0) {
            throw new AssertionError("pre-stop hook of pod " + pod + ": "
                    + Files.readString(directory.resolve("pod-" + pod).resolve("leave.out")));
        }
        Process server = servers.get(pod);
        server.destroy();
        if (!server.waitFor(HOOK_LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("pod " + pod + " still runs");
        }
        stopJoining(pod);
        servers.remove(pod);
    }

    /** Waits until the readiness probe of a pod succeeds. */
    public void awaitReady(int... pods) throws Exception {
        for (int pod : pods) {
            Await.until("pod " + pod + " is ready", READY_LIMIT, () -> isReady(pod));
        }
    }

    private boolean isReady(int pod) throws Exception {
        if (!servers.get(pod).isAlive()) {
            throw new AssertionError("the server of pod " + pod + " has ended");
        }
        try {
            return AdminClient.get(URI.create("http://" + address(pod) + ":" + adminPort + "/ready"))
                            .statusCode()
                    == OK;
        } catch (IOException e) {
            return false; // also one that is closed while it is asked, because the server begins a new life
        }
    }

    /** Returns the pod whose server leads, or -1 while none does. */
    public int leader() throws Exception {
        for (int pod : servers.keySet()) {
            try {
                String status = AdminClient.get(
                                URI.create("http://" + address(pod) + ":" + adminPort + "/commands/leader"))
                        .body();
                if (status.contains("\"is_leader\" : true") || status.contains("\"is_leader\":true")) {
                    return pod;
                }
            } catch (IOException e) {
                // not up: not the leader
                continue;
            }
        }
        return -1;
    }
}
