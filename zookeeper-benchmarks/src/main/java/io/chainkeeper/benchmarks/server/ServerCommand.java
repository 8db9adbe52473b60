package io.chainkeeper.benchmarks.server;

import io.chainkeeper.benchmarks.host.ServerNetwork;
import java.io.File;
import java.io.IOException;
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
 * @param java the java executable
 * @param classPath the jars, and behind them a directory for logging
 * @param jvmOptions options of the JVM
 * @param mainClass class that starts a server when given a zoo.cfg
 */
public record ServerCommand(
        ServerNetwork network, Path java, String classPath, List<String> jvmOptions, String mainClass) {
    /** Starts a server of any protocol, the stock quorum server included. */
    public static final String MAIN_CLASS = "io.chainkeeper.main.ChainkeeperMain";

    /** The value of {@code ordering.protocol} that starts the stock quorum server. */
    public static final String ZAB = "zab";

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
     * What the JVM would choose by itself if it were started under the quota. Servers are warmed up without it, so it
     * has to be said.
     *
     * @param cpuCores the quota; 0 for none
     * @param jvmOptions options that the user gave; they win
     * @return all options
     */
    public static List<String> withProcessorCount(double cpuCores, List<String> jvmOptions) {
        List<String> options = new ArrayList<>();
        if (cpuCores > 0) {
            options.add("-XX:ActiveProcessorCount=" + (int) Math.max(1, Math.ceil(cpuCores)));
        }
        options.addAll(jvmOptions);
        return options;
    }
}
