package io.chainkeeper.benchmarks.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Where a measurement was made.
 *
 * @param cores processors that this process sees
 * @param processor model name
 * @param memoryBytes physical memory
 * @param kernel name and version
 * @param jvm of this process and of the servers
 * @param dataFileSystem on which the servers' data lies
 * @param cpuControl how servers are given quotas
 */
public record MachineFacts(
        int cores,
        String processor,
        long memoryBytes,
        String kernel,
        String jvm,
        String dataFileSystem,
        String cpuControl) {
    private static final long BYTES_PER_KIBIBYTE = 1024;

    /**
     * Looks at the machine.
     *
     * @param proc {@code /proc}
     * @param data directory of the servers' data
     * @param control quotas
     * @return the facts
     * @throws IOException if the kernel's files cannot be read
     */
    public static MachineFacts read(Path proc, Path data, CpuControl control) throws IOException {
        String memory = value(proc.resolve("meminfo"), "MemTotal").replaceAll("[^0-9]", "");
        return new MachineFacts(
                Runtime.getRuntime().availableProcessors(),
                value(proc.resolve("cpuinfo"), "model name"),
                memory.isEmpty() ? 0 : Long.parseLong(memory) * BYTES_PER_KIBIBYTE,
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                Files.getFileStore(data).type(),
                control.description());
    }

    /**
     * The head of a report.
     *
     * @param cpuCores quota of each server; 0 for none
     * @return two lines
     */
    public String text(double cpuCores) {
        return String.format(
                Locale.ROOT,
                "machine: %d cores, %s, %s, %s, data on %s%nquota: %s%n",
                cores,
                processor,
                kernel,
                jvm,
                dataFileSystem,
                cpuCores > 0 ? String.format(Locale.ROOT, "%.2f cores per server, %s", cpuCores, cpuControl) : "none");
    }

    private static String value(Path file, String key) throws IOException {
        return Files.readAllLines(file, StandardCharsets.UTF_8).stream()
                .filter(l -> l.startsWith(key))
                .map(l -> l.substring(l.indexOf(':') + 1).trim())
                .findFirst()
                .orElse("unknown");
    }
}
