package io.chainkeeper.benchmarks.server;

import io.chainkeeper.benchmarks.host.ServerNetwork;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command line of a server: the same jars and JVM options for every protocol.
 *
 * @param network where the server runs
 * @param processors how many processors a server is told that it has; 0 for all that there are
 * @param java the java executable
 * @param classPath the jars, and behind them a directory for logging
 * @param jvmOptions options of the JVM
 * @param mainClass class that starts a server when given a zoo.cfg
 */
public record ServerCommand(
        ServerNetwork network, int processors, Path java, String classPath, List<String> jvmOptions, String mainClass) {
    /** Starts a server of any protocol, the stock quorum server included. */
    public static final String MAIN_CLASS = "io.chainkeeper.main.ChainkeeperMain";

    /** The value of {@code ordering.protocol} that starts the stock quorum server. */
    public static final String ZAB = "zab";

    private static final String DISK_COMMAND = "io.chainkeeper.main.DiskCommand";

    /** As bin/zkServer.sh gives them: ordering.logStore=lmdb reads the address of direct buffers. */
    private static final List<String> MODULE_OPTIONS = List.of(
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");

    /**
     * The class path that bin/zkServer.sh gives: the jars by their names, as a class archive has them.
     *
     * @param lib directory of the jars
     * @param configDirectory where logging is configured
     * @return the class path
     * @throws IOException if the directory cannot be read
     */
    public static String classPath(Path lib, Path configDirectory) throws IOException {
        try (Stream<Path> files = Files.list(lib)) {
            return Stream.concat(
                            files.filter(file -> file.toString().endsWith(".jar"))
                                    .sorted(),
                            Stream.of(configDirectory))
                    .map(Path::toString)
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    /**
     * @param lib directory of the jars
     * @return what lets a JVM use the class archive that the build has put beside them; empty if there is none
     */
    public static List<String> archiveOptions(Path lib) {
        Path archive = lib.resolveSibling("classes.jsa");
        return Files.exists(archive)
                ? List.of("-XX:SharedArchiveFile=" + archive, "-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off")
                : List.of();
    }

    /**
     * @param id the server's id, from 1
     * @param zooCfg the server's configuration
     * @return the command
     */
    List<String> arguments(int id, Path zooCfg) {
        List<String> arguments = new ArrayList<>(network.commandPrefix(id));
        arguments.add(java.toString());
        arguments.addAll(MODULE_OPTIONS);
        arguments.addAll(jvmOptions);
        arguments.add("-cp");
        arguments.add(classPath);
        arguments.add(mainClass);
        arguments.add(zooCfg.toString());
        return arguments;
    }

    /**
     * @param delayMillis how much longer shared disks take; empty for no longer
     * @return the command of a server with such disks
     */
    ServerCommand withSlowDisks(List<Integer> delayMillis) {
        if (delayMillis.isEmpty()) {
            return this;
        }
        List<String> options = new ArrayList<>(jvmOptions);
        options.add(SlowDiskServer.option(delayMillis));
        // Behind the jars of the servers: nothing of them is replaced.
        String own = SlowDiskServer.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        return new ServerCommand(
                network,
                processors,
                java,
                classPath + File.pathSeparator + own,
                options,
                SlowDiskServer.class.getName());
    }

    /**
     * Makes and formats the files that a server lists as shared disks.
     *
     * @param zooCfg the server's configuration
     * @throws IOException if that does not succeed; the message holds what was said
     */
    void formatDisks(Path zooCfg) throws IOException {
        Process process = new ProcessBuilder(
                        java.toString(), "-cp", classPath, DISK_COMMAND, zooCfg.toString(), "format", "--yes")
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException("the disks of " + zooCfg + " were not formatted: " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the disks of " + zooCfg + " were formatted", e);
        }
    }

    /**
     * How many processors a server would see if it were started under the quota. Servers are warmed up without it, so
     * they have to be told.
     *
     * @param cpuCores the quota; 0 for none
     * @return the number; 0 if there is nothing to tell
     */
    public static int processors(double cpuCores) {
        return cpuCores > 0 ? (int) Math.max(1, Math.ceil(cpuCores)) : 0;
    }

    /**
     * @param processors see {@link #processors}
     * @param jvmOptions options that the user gave; they win
     * @return all options
     */
    public static List<String> withProcessorCount(int processors, List<String> jvmOptions) {
        List<String> options = new ArrayList<>();
        if (processors > 0) {
            options.add("-XX:ActiveProcessorCount=" + processors);
        }
        options.addAll(jvmOptions);
        return options;
    }
}
