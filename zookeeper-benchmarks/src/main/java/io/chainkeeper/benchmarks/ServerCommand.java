package io.chainkeeper.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of a server: the same jars and JVM options for every protocol.
 *
 * @param network where the server runs
 * @param java the java executable
 * @param configDirectory first element of the class path: logging
 * @param lib directory of jars
 * @param jvmOptions options of the JVM
 * @param mainClass class that starts a server when given a zoo.cfg
 */
record ServerCommand(
        ServerNetwork network, Path java, Path configDirectory, Path lib, List<String> jvmOptions, String mainClass) {
    /** Starts a server of any protocol, the stock quorum server included. */
    static final String MAIN_CLASS = "io.chainkeeper.main.ChainkeeperMain";

    /** The value of {@code ordering.protocol} that starts the stock quorum server. */
    static final String ZAB = "zab";

    /** As bin/zkServer.sh gives them: ordering.logStore=lmdb reads the address of direct buffers. */
    private static final List<String> MODULE_OPTIONS = List.of(
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");

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
        arguments.add(configDirectory + ":" + lib.resolve("*"));
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
    static List<String> withProcessorCount(double cpuCores, List<String> jvmOptions) {
        List<String> options = new ArrayList<>();
        if (cpuCores > 0) {
            options.add("-XX:ActiveProcessorCount=" + (int) Math.max(1, Math.ceil(cpuCores)));
        }
        options.addAll(jvmOptions);
        return options;
    }
}
