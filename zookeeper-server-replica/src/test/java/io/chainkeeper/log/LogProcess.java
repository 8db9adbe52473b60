package io.chainkeeper.log;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process of its own that opens a log, prints {@code open} or why it could not, and ends with its input. */
final class LogProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    LogProcess(Path directory, LogStore store, String... javaOptions) throws IOException {
        this(List.of(), directory, store, javaOptions);
    }

    /** @param tool the beginning of the command line, if another program is to start the process */
    LogProcess(List<String> tool, Path directory, LogStore store, String... javaOptions) throws IOException {
        List<String> command = new ArrayList<>(tool);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(javaOptions));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                LogProcess.class.getName(),
                directory.toString(),
                store.name()));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    public static void main(String[] arguments) throws IOException {
        try (AcceptorLog log = AcceptorLogs.open(
                Path.of(arguments[0]), LogStore.valueOf(arguments[1]), Durability.SYNC, LogRecords.SMALL)) {
            log.append(LogRecords.value(1, "1.1", 10));
            log.sync();
            System.out.println("open");
            System.in.read();
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }

    String firstLine() throws IOException {
        return output.readLine();
    }

    /** Closes its input, and waits until it has ended. */
    void end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        process.waitFor();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
