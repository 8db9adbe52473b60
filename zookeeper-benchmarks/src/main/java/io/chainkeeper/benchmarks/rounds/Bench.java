package io.chainkeeper.benchmarks.rounds;

import io.chainkeeper.benchmarks.host.AwakeProcessors;
import io.chainkeeper.benchmarks.host.CappedLinks;
import io.chainkeeper.benchmarks.host.Cgroups;
import io.chainkeeper.benchmarks.host.Cleanup;
import io.chainkeeper.benchmarks.host.CpuControl;
import io.chainkeeper.benchmarks.host.MachineFacts;
import io.chainkeeper.benchmarks.host.ProcFiles;
import io.chainkeeper.benchmarks.host.ServerNetwork;
import io.chainkeeper.benchmarks.host.WorkDirectory;
import io.chainkeeper.benchmarks.options.RunOptions;
import io.chainkeeper.benchmarks.server.EtcdServers;
import io.chainkeeper.benchmarks.server.ServerCommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a run takes place: what all its rounds share.
 *
 * @param options the run; without quotas if the machine cannot set them
 * @param machine what the machine is
 * @param command how a server is started
 * @param control quotas
 * @param work directory of all rounds
 * @param cleanup what must not outlive the run
 * @param proc counters of processes and the machine
 * @param progress told what is being done
 */
public record Bench(
        RunOptions options,
        MachineFacts machine,
        ServerCommand command,
        CpuControl control,
        WorkDirectory work,
        Cleanup cleanup,
        ProcFiles proc,
        PrintStream progress) {
    private static final Path PROC = Path.of("/proc");

    /**
     * Looks at the machine and creates the work directory.
     *
     * @param options the run
     * @param cleanup removes the work directory in the end
     * @param progress told what is being done
     * @return the bench
     * @throws Exception if the machine is not fit for the run
     */
    public static Bench open(RunOptions options, Cleanup cleanup, PrintStream progress) throws Exception {
        WorkDirectory work = cleanup.open(() -> WorkDirectory.create(options.dataParent(), options.keepDirectories()));
        String name = work.path().getFileName().toString();
        CpuControl control = Cgroups.detect(PROC, options.quotaPeriodMicros(), name + "-probe");
        RunOptions effective = measurable(options, progress);
        if (options.cpuCores() > 0 && !control.canCap()) {
            progress.println("UNCAPPED: servers compete for all cores (" + control.description() + ")");
            effective = effective.withoutQuota();
        }
        MachineFacts machine = MachineFacts.read(PROC, work.path(), control);
        if (effective.cpuCores() * effective.replicas() >= machine.cores()) {
            throw new IOException("--cpu " + effective.cpuCores() + " times " + effective.replicas()
                    + " replicas leaves nothing of " + machine.cores() + " cores to the client; lower one of them");
        }
        ServerNetwork network = options.linkMegabits() == 0
                ? ServerNetwork.LOOPBACK
                : cleanup.open(() -> CappedLinks.open(options.replicas(), options.linkMegabits()));
        ServerCommand command = command(network, work.path(), effective);
        cleanup.open(() -> AwakeProcessors.ask(AwakeProcessors.LATENCY_BOUND, progress));
        ProcFiles proc = new ProcFiles(PROC);
        return new Bench(effective, machine, command, control, work, cleanup, proc, progress);
    }

    /** Leaves out what this machine does not have. */
    private static RunOptions measurable(RunOptions options, PrintStream progress) throws IOException {
        if (!options.protocols().contains(EtcdServers.NAME) || EtcdServers.isInstalled()) {
            return options;
        }
        progress.println(
                "etcd: left out, because there is no program of that name (Debian: apt-get install etcd-server)");
        List<String> others = options.protocols().stream()
                .filter(protocol -> !protocol.equals(EtcdServers.NAME))
                .toList();
        if (others.isEmpty()) {
            throw new IOException("nothing to measure without etcd; install it, or name other --protocols");
        }
        return options.withProtocols(others);
    }

    private static ServerCommand command(ServerNetwork network, Path work, RunOptions options) throws IOException {
        Path logging = Files.createDirectory(work.resolve("conf"));
        try (InputStream text = Bench.class.getResourceAsStream("/server-logback.xml")) {
            Files.copy(text, logging.resolve("logback.xml"));
        }
        Path lib = options.serverLib().toAbsolutePath().normalize();
        List<String> jvmOptions = new ArrayList<>(ServerCommand.archiveOptions(lib));
        int processors = ServerCommand.processors(options.cpuCores());
        jvmOptions.addAll(ServerCommand.withProcessorCount(processors, options.jvmOptions()));
        return new ServerCommand(
                network,
                processors,
                Path.of(System.getProperty("java.home"), "bin", "java"),
                ServerCommand.classPath(lib, logging),
                jvmOptions,
                options.serverMain());
    }
}
