package io.chainkeeper.clienttests.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Shared disks that fail and hang for one server while the others go on with them: files of a FUSE file system, one for
 * each server and disk, past every cache. Needs {@code python3} and the right to mount. Not for use by several threads.
 *
 * <p>What is behind them answers everything and unmounts when this JVM ends, so no process is left that waits for a
 * disk.
 */
public final class FaultyDisks extends EnsembleDisks {
    private static final Path PROGRAM =
            Path.of("src/test/resources/faults/faulty_disks.py").toAbsolutePath();
    private static final String HEALTHY = "none";
    private static final Map<DiskFault, String> WORDS = Map.of(
            DiskFault.READS_FAIL, "reads",
            DiskFault.WRITES_FAIL, "writes",
            DiskFault.ALL_FAIL, "all",
            DiskFault.HANGS, "hang");
    private static final long END_LIMIT_SECONDS = 30;

    /** The files that servers see, by name, with those that hold the bytes. */
    private final Map<String, Path> files = new LinkedHashMap<>();

    private Path mountPoint;
    private Process process;
    private BufferedReader answers;

    private FaultyDisks(int count) {
        super(count);
    }

    /** Returns such disks where this user may mount them, and files elsewhere. */
    public static EnsembleDisks orFiles(int count) {
        try {
            Path directory = Files.createTempDirectory("faulty-disks");
            try (FaultyDisks trial = new FaultyDisks(1)) {
                trial.mount(directory);
                return new FaultyDisks(count);
            } finally {
                Files.delete(directory);
            }
        } catch (IOException e) {
            System.out.println("shared disks are files that neither fail nor hang: " + e.getMessage());
            return new EnsembleDisks(count);
        } catch (Exception e) {
            throw new IllegalStateException("a FUSE file system was not tried out", e);
        }
    }

    /** {@code disk.oneMachine} stays as it is: these take writes past the system's cache. */
    @Override
    Map<String, String> settings() {
        return Map.of();
    }

    private static String name(int server, int disk) {
        return server + "-" + disk;
    }

    @Override
    public Path path(int server, int disk) {
        return mountPoint.resolve(name(server, disk));
    }

    @Override
    void create(List<Integer> servers) throws Exception {
        super.create(servers);
        for (int disk : numbers()) {
            makeFile(disk);
            for (int server : servers) {
                files.put(name(server, disk), file(disk));
            }
        }
        mount(Files.createDirectories(file(1).resolveSibling("seen-by-servers")));
    }

    /** @throws IOException if it cannot be done here; says why */
    private void mount(Path at) throws IOException, InterruptedException {
        mountPoint = at;
        List<String> command = new ArrayList<>(List.of("python3", PROGRAM.toString(), at.toString()));
        files.forEach((name, file) -> command.add(name + "=" + file));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String answer = answers.readLine();
        if (!"mounted".equals(answer)) {
            close();
            throw new IOException("no FUSE file system: " + answer);
        }
    }

    @Override
    public Set<DiskFault> faults() {
        return EnumSet.allOf(DiskFault.class);
    }

    @Override
    public void cut(int server, int disk, DiskFault fault) throws IOException {
        set(name(server, disk), WORDS.get(fault));
    }

    @Override
    public void heal(int server, int disk) throws IOException {
        set(name(server, disk), HEALTHY);
    }

    @Override
    public void healAll() throws IOException {
        if (process != null) {
            for (String name : files.keySet()) {
                set(name, HEALTHY);
            }
        }
    }

    private void set(String name, String fault) throws IOException {
        OutputStream commands = process.getOutputStream();
        commands.write((name + " " + fault + "\n").getBytes(StandardCharsets.UTF_8));
        commands.flush();
        String answer = answers.readLine();
        if (!"done".equals(answer)) {
            throw new IOException("what is behind the disks says: " + answer);
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        if (process == null) {
            return;
        }
        process.getOutputStream().close();
        if (!process.waitFor(END_LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("what is behind the disks did not end by itself");
        }
        process = null;
        files.clear();
    }
}
