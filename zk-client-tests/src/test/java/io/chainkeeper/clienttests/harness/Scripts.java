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

    /**
     * Returns a builder of a process that runs {@code bin/<script>}, with the environment the tests give to servers.
     */
    public static ProcessBuilder command(Path workingDirectory, String script, String... arguments) {
        return commandOf(home(), workingDirectory, script, arguments);
    }

    /**
     * Returns a builder of a process that runs {@code bin/<script>} of another installation or source tree.
     *
     * @param home the directory that holds {@code bin/}
     */
    public static ProcessBuilder commandOf(Path home, Path workingDirectory, String script, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin").resolve(script).toString());
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

    /**
     * What a finished script left behind.
     *
     * @param output what it printed
     * @param errors what it printed to its error stream
     */
    public record Result(int exitCode, String output, String errors) {
        @Override
        public String toString() {
            return "exit code " + exitCode + ", output:\n" + output + "errors:\n" + errors;
        }
    }

    /**
     * Runs a script to its end.
     *
     * @throws AssertionError if it has not ended within the limit; it is killed then
     */
    public static Result run(long limitSeconds, Path workingDirectory, String script, String... arguments)
            throws IOException, InterruptedException {
        return run(limitSeconds, command(workingDirectory, script, arguments));
    }

    /**
     * Runs a command to its end.
     *
     * @throws AssertionError if it has not ended within the limit; it is killed then
     */
    public static Result run(long limitSeconds, ProcessBuilder command) throws IOException, InterruptedException {
        Path directory = command.directory().toPath();
        Path output = Files.createTempFile(directory, "script", ".out");
        Path errors = Files.createTempFile(directory, "script", ".err");
        Process process = command.redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .redirectInput(new File("/dev/null"))
                .start();
        boolean ended = process.waitFor(limitSeconds, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        Result result = new Result(process.exitValue(), Files.readString(output), Files.readString(errors));
        Files.delete(output);
        Files.delete(errors);
        if (!ended) {
            throw new AssertionError(command.command() + " still ran after " + limitSeconds + " s; " + result);
        }
        return result;
    }
}
