package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server of Apache ZooKeeper, of whatever version its class path holds, as a process of its own. Its console output
 * goes to {@code stock.out} beside its configuration.
 */
public final class StockServer implements AutoCloseable {
    private static final String MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
    private static final Duration SERVING_LIMIT = Duration.ofSeconds(60);
    private static final long EXIT_LIMIT_SECONDS = 30;

    private final String classPath;
    private final Path configFile;
    private final ServerProcess address;
    private Process process;

    /**
     * @param classPath as {@code java -cp} takes it
     * @param configFile its zoo.cfg; the server runs in the directory of that file
     * @param clientPort what the file says
     */
    public StockServer(String classPath, Path configFile, int clientPort) {
        this.classPath = classPath;
        this.configFile = configFile;
        this.address = new ServerProcess(0, new Loopback(), clientPort, configFile.getParent());
    }

    /** Returns the class path of the servers that the tests start, without what is not Apache ZooKeeper's. */
    public static String currentClassPath() {
        return Scripts.home().resolve("zookeeper-assembly/target/lib") + "/*";
    }

    /** Starts the process; does not wait until it serves. */
    public void start() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dzookeeper.extendedTypesEnabled=true",
                "-Dzookeeper.4lw.commands.whitelist=*",
                "-Dzookeeper.admin.enableServer=false",
                "-Dzookeeper.jmx.log4j.disable=true",
                "-cp",
                classPath,
                MAIN,
                configFile.toString()));
        process = new ProcessBuilder(command)
                .directory(configFile.getParent().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(console().toFile()))
                .start();
        ServerProcess.killAtTheEnd(process);
    }

    private Path console() {
        return configFile.resolveSibling("stock.out");
    }

    /** Returns what clients connect to. */
    public String connectString() {
        return address.connectString();
    }

    /** Returns the server as the trees of servers are taken from. */
    public ServerProcess address() {
        return address;
    }

    /**
     * Waits until the server serves clients.
     *
     * @throws AssertionError if it ends or does not serve within a minute; with the end of its log
     */
    public void awaitServing() throws Exception {
        Await.until("the stock server at " + connectString() + " serves", SERVING_LIMIT, () -> {
            if (!process.isAlive()) {
                List<String> lines = Files.readAllLines(console());
                throw new AssertionError("the stock server ended: "
                        + String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size())));
            }
            return address.mode() != null;
        });
    }

    /** Ends the process as {@code zkServer.sh stop} does, and waits for that; does nothing if it does not run. */
    @Override
    public void close() throws InterruptedException {
        if (process != null && process.isAlive()) {
            process.destroy();
            if (!process.waitFor(EXIT_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }
}
