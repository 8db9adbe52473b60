package io.chainkeeper.clienttests.harness;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The scripts users start servers and clients with, {@code bin/zkServer.sh} and {@code bin/zkCli.sh}.
 *
 * <p>System property {@code ensemble.home} names another installation whose scripts are to be run, for instance an
 * unpacked Apache ZooKeeper to compare with.
 */
public final class Scripts {
    /** Heap of the servers that tests start, in megabytes: three of them and the test run beside each other. */
    private static final String SERVER_HEAP_MEGABYTES = "192";

    private Scripts() {}

    /** Returns the directory that holds {@code bin/}. */
    public static Path home() {
        String home = System.getProperty("ensemble.home");
        if (home != null) {
            return Path.of(home);
        }
        Path directory = Path.of("").toAbsolutePath();
        while (directory != null && !Files.isRegularFile(directory.resolve("bin/zkServer.sh"))) {
            directory = directory.getParent();
        }
        if (directory == null) {
            throw new IllegalStateException(
                    "no bin/zkServer.sh in " + Path.of("").toAbsolutePath() + " or above it");
        }
        return directory;
    }

    /** Returns a builder of a process that runs {@code bin/<script>}, with the environment the tests give to servers. */
    public static ProcessBuilder command(Path workingDirectory, String script, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(home().resolve("bin").resolve(script).toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(workingDirectory.toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("ZOO") || name.startsWith("ZK_"));
        environment.put("ZK_SERVER_HEAP", SERVER_HEAP_MEGABYTES);
        environment.put("SERVER_JVMFLAGS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto");
        environment.put("CLIENT_JVMFLAGS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        environment.put("ZOO_LOG_DIR", workingDirectory.resolve("logs").toString());
        environment.put("JMXDISABLE", "true");
        return builder;
    }

    /** What a finished script left behind. Output and errors are one text, in the order in which they were written. */
    public record Result(int exitCode, String output) {}

    /**
     * Runs a script to its end.
     *
     * @throws AssertionError if it has not ended within the limit; it is killed then
     */
    public static Result run(long limitSeconds, Path workingDirectory, String script, String... arguments)
            throws IOException, InterruptedException {
        File output = File.createTempFile(script, ".out", workingDirectory.toFile());
        Process process = command(workingDirectory, script, arguments)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .start();
        if (!process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(script + " " + List.of(arguments) + " still runs after " + limitSeconds
                    + " s; its output: " + Files.readString(output.toPath()));
        }
        return new Result(process.exitValue(), Files.readString(output.toPath()));
    }
}
