package io.chainkeeper.benchmarks.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What Linux tells about processes and the machine under {@code /proc}. Safe for use by any thread. */
public final class ProcFiles {
    /** The unit of times in /proc: USER_HZ, which is 100 on every architecture that a JVM 17 runs on. */
    private static final long BYTES_PER_KIBIBYTE = 1024;

    /** Among the numbers of a link in /proc/PID/net/dev. */
    private static final int SENT_BYTES_FIELD = 8;

    private static final long MICROS_PER_TICK = TimeUnit.SECONDS.toMicros(1) / 100;

    /** Linux cuts thread names to 15 characters: "C1 CompilerThread0" and "C2 CompilerThread0" end here. */
    private static final List<String> COMPILER_THREADS = List.of("C1 CompilerThre", "C2 CompilerThre");

    /** utime and stime of /proc/pid/stat, counted from the field behind the process's name. */
    private static final int USER_TIME_FIELD = 11;

    private static final int SYSTEM_TIME_FIELD = 12;

    private final Path root;

    /** @param root {@code /proc}, or a directory of the same form */
    public ProcFiles(Path root) {
        this.root = root;
    }

    /**
     * CPU time of the whole machine since it was started, over all its cores. Idle time is exact; the split of the rest
     * is sampled by the kernel at each clock tick, so only idle, interrupt and steal time are used.
     *
     * @param totalMicros everything, steal included
     * @param idleMicros nothing to do, or only input and output to wait for
     * @param interruptMicros spent in interrupts, on nobody's account
     * @param stealMicros taken by the hypervisor for others
     */
    public record SystemCpu(long totalMicros, long idleMicros, long interruptMicros, long stealMicros) {
        /** @return what processes used */
        public long processMicros() {
            return totalMicros - idleMicros - interruptMicros - stealMicros;
        }
    }

    /**
     * Reads the first line of {@code /proc/stat}.
     *
     * @return the machine's CPU time
     * @throws IOException if it cannot be read or has another form
     */
    public SystemCpu systemCpu() throws IOException {
        Path file = root.resolve("stat");
        String[] fields = read(file).lines().findFirst().orElse("").trim().split(" +");
        if (fields.length < 9 || !fields[0].equals("cpu")) {
            throw new IOException(file + " does not begin with the times of 'cpu'");
        }
        // user nice system idle iowait irq softirq steal; guest times after these are contained in user and nice
        long total = 0;
        for (int i = 1; i <= 8; i++) {
            total += number(file, fields, i);
        }
        return new SystemCpu(
                total * MICROS_PER_TICK,
                (number(file, fields, 4) + number(file, fields, 5)) * MICROS_PER_TICK,
                (number(file, fields, 6) + number(file, fields, 7)) * MICROS_PER_TICK,
                number(file, fields, 8) * MICROS_PER_TICK);
    }

    /**
     * CPU time of a process, all its threads, user and system.
     *
     * @param pid process id
     * @return microseconds, in steps of 10 000
     * @throws IOException if there is no such process
     */
    public long processCpuMicros(long pid) throws IOException {
        return cpuMicros(root.resolve(Long.toString(pid)).resolve("stat"));
    }

    /**
     * CPU time of a JVM's compiler threads that live now.
     *
     * @param pid process id
     * @return microseconds, in steps of 10 000; 0 for a process that is no JVM
     * @throws IOException if there is no such process
     */
    public long compilerCpuMicros(long pid) throws IOException {
        long micros = 0;
        Path tasks = root.resolve(Long.toString(pid)).resolve("task");
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                try {
                    if (COMPILER_THREADS.contains(read(thread.resolve("comm")).trim())) {
                        micros += cpuMicros(thread.resolve("stat"));
                    }
                } catch (IOException e) {
                    failUnlessEnded(thread, e);
                }
            }
        }
        return micros;
    }

    /**
     * CPU time of the threads of a process that live now.
     *
     * @param pid process id
     * @return by thread id, in steps of 10 000 microseconds
     * @throws IOException if there is no such process
     */
    public Map<Long, ThreadCpu.Named> threadCpu(long pid) throws IOException {
        Map<Long, ThreadCpu.Named> all = new TreeMap<>();
        Path tasks = root.resolve(Long.toString(pid)).resolve("task");
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                try {
                    Path file = thread.resolve("stat");
                    String line = read(file);
                    String[] fields = behindName(line);
                    ThreadCpu cpu = new ThreadCpu(
                            number(file, fields, USER_TIME_FIELD) * MICROS_PER_TICK,
                            number(file, fields, SYSTEM_TIME_FIELD) * MICROS_PER_TICK);
                    String name = line.substring(line.indexOf('(') + 1, line.lastIndexOf(')'));
                    all.put(Long.parseLong(thread.getFileName().toString()), new ThreadCpu.Named(name, cpu));
                } catch (IOException e) {
                    failUnlessEnded(thread, e);
                }
            }
        }
        return all;
    }

    /**
     * Bytes that a process has caused to be written to block devices. Needs the right to look into the process.
     *
     * @param pid process id
     * @return bytes, without those cancelled by truncation
     * @throws IOException if there is no such process or it may not be looked into
     */
    public long writtenBytes(long pid) throws IOException {
        Path file = root.resolve(Long.toString(pid)).resolve("io");
        long written = -1;
        long cancelled = 0;
        for (String line : read(file).lines().toList()) {
            String[] fields = line.split(": *");
            if (fields[0].equals("write_bytes")) {
                written = number(file, fields, 1);
            } else if (fields[0].equals("cancelled_write_bytes")) {
                cancelled = number(file, fields, 1);
            }
        }
        if (written < 0) {
            throw new IOException(file + " has no line write_bytes");
        }
        return written - cancelled;
    }

    /**
     * Physical memory that a process holds.
     *
     * @param pid process id
     * @return bytes
     * @throws IOException if there is no such process
     */
    public long residentBytes(long pid) throws IOException {
        Path file = root.resolve(Long.toString(pid)).resolve("status");
        for (String line : read(file).lines().toList()) {
            if (line.startsWith("VmRSS:")) {
                return number(file, line.trim().split("\\s+"), 1) * BYTES_PER_KIBIBYTE;
            }
        }
        throw new IOException(file + " has no line VmRSS");
    }

    /**
     * Bytes that the network namespace of a process has sent over its links, loopback apart, with all headers.
     *
     * @param pid process id
     * @return bytes
     * @throws IOException if there is no such process
     */
    public long sentBytes(long pid) throws IOException {
        Path file = root.resolve(Long.toString(pid)).resolve("net").resolve("dev");
        long sent = 0;
        for (String line : read(file).lines().toList()) {
            int colon = line.indexOf(':');
            if (colon > 0 && !line.substring(0, colon).trim().equals("lo")) {
                sent += number(file, line.substring(colon + 1).trim().split("\\s+"), SENT_BYTES_FIELD);
            }
        }
        return sent;
    }

    private static long cpuMicros(Path file) throws IOException {
        String[] fields = behindName(read(file));
        return (number(file, fields, USER_TIME_FIELD) + number(file, fields, SYSTEM_TIME_FIELD)) * MICROS_PER_TICK;
    }

    /** A thread may end after the directory was listed: before its files are opened, or before they are read. */
    private static void failUnlessEnded(Path thread, IOException failure) throws IOException {
        if (Files.exists(thread)) {
            throw failure;
        }
    }

    /** The name stands in parentheses and may itself contain blanks and parentheses. */
    private static String[] behindName(String line) {
        return line.substring(line.lastIndexOf(')') + 1).trim().split(" ");
    }

    private static long number(Path file, String[] fields, int index) throws IOException {
        if (index >= fields.length) {
            throw new IOException(file + " has only " + fields.length + " fields");
        }
        try {
            return Long.parseLong(fields[index].trim());
        } catch (NumberFormatException e) {
            throw new IOException(file + ": '" + fields[index] + "' is not a number", e);
        }
    }

    /** Files under /proc have no size, so they are read to their end. */
    private static String read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
