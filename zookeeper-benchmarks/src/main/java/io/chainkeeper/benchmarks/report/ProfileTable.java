package io.chainkeeper.benchmarks.report;

import io.chainkeeper.benchmarks.host.ThreadCpu;
import io.chainkeeper.benchmarks.rounds.Phase;
import io.chainkeeper.benchmarks.server.ServerProfile;
import io.chainkeeper.benchmarks.server.StageTotals.Stage;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The profiles of the servers of one protocol at saturation, all its rounds together, as text. */
final class ProfileTable {
    private static final int MAX_GROUPS = 12;

    /** Of what ZooKeeper's own server measures: the stages of its pipeline. The others are in the result file. */
    private static final Set<String> ZAB_STAGES = Set.of(
            "commit_process_time",
            "commit_propagation_latency",
            "fsynctime",
            "prep_process_time",
            "prep_processor_queue_time_ms",
            "proposal_latency",
            "proposal_process_time",
            "quorum_ack_latency",
            "read_commitproc_time_ms",
            "read_final_proc_time_ms",
            "sync_process_time",
            "sync_processor_batch_size",
            "sync_processor_queue_and_flush_time_ms",
            "sync_processor_queue_flush_time_ms",
            "sync_processor_queue_time_ms",
            "write_commitproc_time_ms",
            "write_final_proc_time_ms");

    /** What means the same with every protocol, in milliseconds. */
    private static final Set<String> COMMON_STAGES =
            Set.of("propagation_latency", "readlatency", "snapshottime", "updatelatency");

    private static final String ORDERING = "ordering_";

    private final Map<String, Map<String, Stage>> stagesByRole = new TreeMap<>(Comparator.reverseOrder());
    private final Map<String, ThreadCpu> allThreads = new TreeMap<>();
    private final Map<String, ThreadCpu> busiestThreads = new TreeMap<>();
    private double operations;

    private ProfileTable() {}

    /**
     * Describes the intervals of one protocol.
     *
     * @param protocol its name
     * @param phases of its rounds; those without profiles are left out
     * @return the text; empty if there are no profiles
     */
    static String of(String protocol, List<Phase> phases) {
        ProfileTable table = new ProfileTable();
        phases.stream().filter(p -> !p.profiles().isEmpty()).forEach(table::add);
        return table.operations == 0 ? "" : table.text(protocol);
    }

    private void add(Phase phase) {
        operations += phase.use().operations();
        int busiest = 0;
        for (int i = 0; i < phase.profiles().size(); i++) {
            ServerProfile profile = phase.profiles().get(i);
            Map<String, Stage> ofRole =
                    stagesByRole.computeIfAbsent(phase.roles().get(i), role -> new TreeMap<>());
            profile.stages().forEach((name, stage) -> ofRole.merge(name, stage, ProfileTable::together));
            profile.threads().forEach((name, cpu) -> allThreads.merge(name, cpu, ThreadCpu::plus));
            if (phase.use().servers().get(i).cpuMicros()
                    > phase.use().servers().get(busiest).cpuMicros()) {
                busiest = i;
            }
        }
        phase.profiles()
                .get(busiest)
                .threads()
                .forEach((name, cpu) -> busiestThreads.merge(name, cpu, ThreadCpu::plus));
    }

    private static Stage together(Stage first, Stage second) {
        double count = first.count() + second.count();
        return new Stage(count, (first.mean() * first.count() + second.mean() * second.count()) / count);
    }

    private String text(String protocol) {
        StringBuilder out = new StringBuilder();
        out.append(String.format("%n%-48s", protocol + ": mean of what servers measure"));
        stagesByRole.keySet().forEach(role -> out.append(String.format("%14s", role)));
        out.append(String.format("%n"));
        Set<String> names = new TreeSet<>();
        stagesByRole.values().forEach(stages -> names.addAll(stages.keySet()));
        boolean ordered = names.stream().anyMatch(name -> name.startsWith(ORDERING));
        names.removeIf(name ->
                !COMMON_STAGES.contains(name) && !(ordered ? name.startsWith(ORDERING) : ZAB_STAGES.contains(name)));
        for (String name : names) {
            out.append(String.format("  %-46s", name));
            for (Map<String, Stage> stages : stagesByRole.values()) {
                Stage stage = stages.get(name);
                out.append(
                        String.format("%14s", stage == null ? "-" : String.format(Locale.ROOT, "%.1f", stage.mean())));
            }
            out.append(String.format("%n"));
        }
        out.append(String.format(
                "%n%-48s%14s%14s%14s%14s%n",
                protocol + ": CPU by threads, µs per operation", "busiest, user", "system", "all, user", "system"));
        allThreads.entrySet().stream()
                .filter(e -> e.getValue().micros() > 0)
                .sorted(Comparator.comparingDouble(
                        (Map.Entry<String, ThreadCpu> e) -> -e.getValue().micros()))
                .limit(MAX_GROUPS)
                .forEach(e -> appendGroup(out, e.getKey()));
        return out.toString();
    }

    private void appendGroup(StringBuilder out, String group) {
        ThreadCpu busiest = busiestThreads.getOrDefault(group, new ThreadCpu(0, 0));
        ThreadCpu all = allThreads.get(group);
        out.append(String.format(
                Locale.ROOT,
                "  %-46s%14.2f%14.2f%14.2f%14.2f%n",
                group,
                busiest.userMicros() / operations,
                busiest.systemMicros() / operations,
                all.userMicros() / operations,
                all.systemMicros() / operations));
    }
}
