package io.chainkeeper.benchmarks.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Quotas by the kernel's control groups, of version 1 (controllers {@code cpu} and, for exact times, {@code cpuacct})
 * or version 2 ({@code cpu}).
 */
public final class Cgroups implements CpuControl {
    /** The kernel refuses quotas below a millisecond. */
    private static final long MIN_QUOTA_MICROS = 1_000;

    private static final long MAX_PERIOD_MICROS = 1_000_000;
    private static final String UNLIMITED_V1 = "-1";
    private static final String UNLIMITED_V2 = "max";
    private static final long REMOVAL_SECONDS = 10;
    private static final long REMOVAL_RETRY_MILLIS = 20;

    private final boolean versionTwo;
    private final Path cpuParent;
    private final Optional<Path> accountingParent;
    private final long periodMicros;

    private Cgroups(boolean versionTwo, Path cpuParent, Optional<Path> accountingParent, long periodMicros) {
        this.versionTwo = versionTwo;
        this.cpuParent = cpuParent;
        this.accountingParent = accountingParent;
        this.periodMicros = periodMicros;
    }

    /**
     * Finds out what this process may use, by trying it.
     *
     * @param proc {@code /proc}
     * @param periodMicros quota period
     * @param probeName name of a group that is created and removed for the trial
     * @return quotas, or {@link Uncapped} with the reason
     */
    public static CpuControl detect(Path proc, long periodMicros, String probeName) {
        try {
            CpuControl control = mounted(proc, periodMicros);
            try (Group probe = control.create(probeName)) {
                probe.cap(control.canCap() ? 1 : 0);
                probe.cpuMicros();
            }
            return control;
        } catch (IOException | SecurityException e) {
            return new Uncapped("none: control groups cannot be used: " + e);
        }
    }

    /**
     * Finds out which control groups are mounted, without trying whether they may be used.
     *
     * @param proc {@code /proc}, or a directory of the same form
     * @param periodMicros quota period
     * @return quotas, or {@link Uncapped} with the reason
     * @throws IOException if the files under proc cannot be read, or the controller cannot be enabled
     */
    static CpuControl mounted(Path proc, long periodMicros) throws IOException {
        CgroupMounts mounts = CgroupMounts.read(proc);
        Optional<Path> cpu = mounts.versionOne("cpu");
        if (cpu.isPresent()) {
            return new Cgroups(false, cpu.get(), mounts.versionOne("cpuacct"), periodMicros);
        }
        Optional<Path> unified = mounts.versionTwo();
        if (unified.isEmpty()) {
            return new Uncapped("none: no control groups are mounted");
        }
        enableCpuController(unified.get());
        return new Cgroups(true, unified.get(), Optional.empty(), periodMicros);
    }

    private static void enableCpuController(Path root) throws IOException {
        Path enabled = root.resolve("cgroup.subtree_control");
        if (List.of(text(enabled).split(" ")).contains("cpu")) {
            return;
        }
        if (!List.of(text(root.resolve("cgroup.controllers")).split(" ")).contains("cpu")) {
            throw new IOException(root + " does not offer the controller cpu");
        }
        Files.writeString(enabled, "+cpu");
    }

    @Override
    public String description() {
        return "cgroup v" + (versionTwo ? 2 : 1) + ", quota period " + periodMicros / 1000.0 + " ms";
    }

    @Override
    public boolean canCap() {
        return true;
    }

    @Override
    public Group create(String name) throws IOException {
        List<Path> directories = new ArrayList<>();
        directories.add(Files.createDirectory(cpuParent.resolve(name)));
        try {
            if (accountingParent.isPresent()) {
                Path accounting = accountingParent.get().resolve(name);
                // cpu and cpuacct are often one hierarchy under two names
                if (!Files.isDirectory(accounting)) {
                    directories.add(Files.createDirectory(accounting));
                }
            }
            return new KernelGroup(directories, name);
        } catch (IOException e) {
            remove(directories);
            throw e;
        }
    }

    private final class KernelGroup implements Group {
        private final List<Path> directories;
        private final Path cpu;
        private final Optional<Path> accounting;

        KernelGroup(List<Path> directories, String name) {
            this.directories = directories;
            this.cpu = cpuParent.resolve(name);
            this.accounting = versionTwo ? Optional.of(cpu) : accountingParent.map(p -> p.resolve(name));
        }

        @Override
        public List<Path> processFiles() {
            return directories.stream().map(d -> d.resolve("cgroup.procs")).toList();
        }

        @Override
        public void cap(double cores) throws IOException {
            long period = periodMicros;
            if (cores > 0) {
                period = Math.min(MAX_PERIOD_MICROS, Math.max(period, (long) Math.ceil(MIN_QUOTA_MICROS / cores)));
            }
            String quota = Long.toString(Math.max(MIN_QUOTA_MICROS, Math.round(cores * period)));
            if (versionTwo) {
                Files.writeString(cpu.resolve("cpu.max"), (cores > 0 ? quota : UNLIMITED_V2) + " " + period);
                return;
            }
            // The quota is lifted first: a new period with the old quota may be a combination that is refused.
            Files.writeString(cpu.resolve("cpu.cfs_quota_us"), UNLIMITED_V1);
            Files.writeString(cpu.resolve("cpu.cfs_period_us"), Long.toString(period));
            if (cores > 0) {
                Files.writeString(cpu.resolve("cpu.cfs_quota_us"), quota);
            }
        }

        @Override
        public OptionalLong cpuMicros() throws IOException {
            if (accounting.isEmpty()) {
                return OptionalLong.empty();
            }
            if (!versionTwo) {
                long nanos = Long.parseLong(text(accounting.get().resolve("cpuacct.usage")));
                return OptionalLong.of(TimeUnit.NANOSECONDS.toMicros(nanos));
            }
            Path file = accounting.get().resolve("cpu.stat");
            return OptionalLong.of(text(file)
                    .lines()
                    .filter(l -> l.startsWith("usage_usec "))
                    .mapToLong(l -> Long.parseLong(l.substring("usage_usec ".length())))
                    .findFirst()
                    .orElseThrow(() -> new IOException(file + " has no line usage_usec")));
        }

        @Override
        public void close() throws IOException {
            remove(directories);
        }
    }

    /** A killed process leaves its group a little after it has been waited for. */
    private static void remove(List<Path> directories) throws IOException {
        List<Path> innermostFirst = new ArrayList<>(directories);
        Collections.reverse(innermostFirst);
        for (Path directory : innermostFirst) {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(REMOVAL_SECONDS);
            while (Files.isDirectory(directory)) {
                try {
                    Files.deleteIfExists(directory);
                } catch (DirectoryNotEmptyException e) {
                    throw e;
                } catch (FileSystemException e) {
                    if (System.nanoTime() - deadline > 0) {
                        throw e;
                    }
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(REMOVAL_RETRY_MILLIS));
                }
            }
        }
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).trim();
    }
}
