package io.chainkeeper.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.chainkeeper.benchmarks.host.MachineFacts;
import io.chainkeeper.benchmarks.options.RunOptions;
import io.chainkeeper.benchmarks.rounds.Outcome;
import io.chainkeeper.benchmarks.rounds.Phase;
import io.chainkeeper.benchmarks.rounds.RoundResult;
import io.chainkeeper.benchmarks.rounds.VoidCheck;
import io.chainkeeper.benchmarks.statistics.Statistics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All results of a run, as a table for people and as JSON for programs.
 *
 * @param options what was asked for
 * @param machine where it was measured
 * @param rounds in the order in which they were measured
 */
public record Report(RunOptions options, MachineFacts machine, List<RoundResult> rounds) implements Outcome {
    /** Below this share of its quota the busiest replica was not what limited throughput. */
    private static final double SATURATED_SHARE = 0.9;

    /** Above this share of what servers leave over, the client may have been what limited throughput. */
    private static final double CLIENT_BOUND_SHARE = 0.85;

    /**
     * A figure of all protocols.
     *
     * @param phase name of the phase
     * @param metric name and unit
     * @param medians per protocol, over its valid intervals; absent where there is none
     * @param ratio first protocol to last; null if there is only one or a median is absent
     */
    record Figure(String phase, String metric, Map<String, Double> medians, Double ratio) {}

    /** @return whether every protocol has a valid interval of each kind */
    boolean isUsable() {
        return options.protocols().stream()
                .allMatch(protocol -> phaseNames().stream()
                        .allMatch(name -> phases(protocol, this::isValid)
                                .anyMatch(p -> p.name().equals(name))));
    }

    @Override
    public Verdict verdict() {
        return isUsable() ? Verdict.MEASURED : Verdict.VOID;
    }

    private List<String> disturbances(Phase phase) {
        return new VoidCheck(options.maxStealShare(), options.maxOtherCores()).reasons(List.of(phase));
    }

    private boolean isValid(Phase phase) {
        return disturbances(phase).isEmpty();
    }

    private boolean isVoid(Phase phase) {
        return !isValid(phase);
    }

    /** @return medians and ratios of the valid intervals, kind by kind */
    List<Figure> figures() {
        return figures(this::isValid);
    }

    /** @return the same of the void intervals: something to look at where there is nothing else, but no result */
    List<Figure> voidFigures() {
        return figures(this::isVoid);
    }

    private List<Figure> figures(Predicate<Phase> counted) {
        List<Figure> figures = new ArrayList<>();
        addFigure(
                figures,
                Phase.START,
                "all replicas serve, s after their start",
                ofRounds(counted, r -> r.secondsToServe()));
        addFigure(figures, Phase.START, "heap per further znode, bytes", ofRounds(counted, r -> r.heapBytesPerZnode()));
        for (String phase : phaseNames()) {
            for (Metric metric : Metric.of(phase, options)) {
                addFigure(figures, phase, metric.label(), ofPhases(counted, phase, metric));
            }
        }
        return figures;
    }

    private void addFigure(List<Figure> figures, String phase, String metric, Map<String, Double> medians) {
        if (!medians.isEmpty()) {
            figures.add(new Figure(phase, metric, medians, ratio(medians)));
        }
    }

    /** What is measured before the first interval counts as that one does. */
    private Map<String, Double> ofRounds(Predicate<Phase> counted, Function<RoundResult, Double> value) {
        return medians(protocol -> rounds(protocol)
                .filter(r -> r.phases().stream().limit(1).anyMatch(counted))
                .map(value)
                .filter(Objects::nonNull));
    }

    private Map<String, Double> ofPhases(Predicate<Phase> counted, String phase, Metric metric) {
        return medians(protocol ->
                phases(protocol, counted).filter(p -> p.name().equals(phase)).map(metric.value()::applyAsDouble));
    }

    private Map<String, Double> medians(Function<String, Stream<Double>> values) {
        Map<String, Double> medians = new LinkedHashMap<>();
        for (String protocol : options.protocols()) {
            double median = Statistics.median(
                    values.apply(protocol).filter(Double::isFinite).toList());
            if (Double.isFinite(median)) {
                medians.put(protocol, median);
            }
        }
        return medians;
    }

    private Stream<RoundResult> rounds(String protocol) {
        return rounds.stream().filter(r -> r.protocol().equals(protocol));
    }

    private Stream<Phase> phases(String protocol, Predicate<Phase> counted) {
        return rounds(protocol).flatMap(r -> r.phases().stream()).filter(counted);
    }

    private Double ratio(Map<String, Double> medians) {
        Double first = medians.get(options.protocols().get(0));
        Double base = medians.get(options.protocols().get(options.protocols().size() - 1));
        if (options.protocols().size() < 2 || first == null || base == null || base == 0) {
            return null;
        }
        return first / base;
    }

    private Set<String> phaseNames() {
        Set<String> names = new LinkedHashSet<>();
        rounds.forEach(r -> r.phases().forEach(p -> names.add(p.name())));
        return names;
    }

    @Override
    public String table() {
        StringBuilder out = new StringBuilder();
        out.append(String.format(
                Locale.ROOT,
                "%s, %d replicas, %d B values, medians of the valid intervals (rounds: %d, intervals in each: %d)%n",
                options.mode().word(),
                options.replicas(),
                options.valueBytes(),
                options.rounds(),
                options.intervals()));
        out.append(machine.text(options.cpuCores()));
        out.append(new VoidCheck(options.maxStealShare(), options.maxOtherCores()).text());
        appendFigures(out, figures());
        options.protocols().forEach(p -> out.append(ProfileTable.of(p, saturation(p, this::isValid))));
        List<Figure> unusable = voidFigures();
        if (!unusable.isEmpty()) {
            out.append(String.format("%nMedians of VOID intervals, not to be quoted as results%n"));
            appendFigures(out, unusable);
            options.protocols().forEach(p -> out.append(ProfileTable.of(p + ", VOID", saturation(p, this::isVoid))));
        }
        List<String> notes = notes();
        if (!notes.isEmpty()) {
            out.append(String.format("%n"));
            notes.forEach(n -> out.append(String.format("%s%n", n)));
        }
        return out.toString();
    }

    private List<Phase> saturation(String protocol, Predicate<Phase> counted) {
        return phases(protocol, counted)
                .filter(p -> p.name().equals(Phase.SATURATION))
                .toList();
    }

    private void appendFigures(StringBuilder out, List<Figure> figures) {
        String title = null;
        for (Figure figure : figures) {
            if (!Objects.equals(title, figure.phase())) {
                title = figure.phase();
                out.append(String.format("%n%-48s", title));
                options.protocols().forEach(p -> out.append(String.format("%14s", p)));
                if (options.protocols().size() > 1) {
                    out.append(String.format(
                            "%16s",
                            options.protocols().get(0) + "/"
                                    + options.protocols()
                                            .get(options.protocols().size() - 1)));
                }
                out.append(String.format("%n"));
            }
            appendRow(out, figure);
        }
    }

    private void appendRow(StringBuilder out, Figure figure) {
        String format = Metric.of(figure.phase(), options).stream()
                .filter(m -> m.label().equals(figure.metric()))
                .map(Metric::format)
                .findFirst()
                .orElse("%.1f");
        out.append(String.format("  %-46s", figure.metric()));
        for (String protocol : options.protocols()) {
            Double median = figure.medians().get(protocol);
            out.append(String.format("%14s", median == null ? "-" : String.format(Locale.ROOT, format, median)));
        }
        if (figure.ratio() != null) {
            out.append(String.format(Locale.ROOT, "%16.2f", figure.ratio()));
        }
        out.append(String.format("%n"));
    }

    /** @return what a reader must know before believing a figure */
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        for (RoundResult round : rounds) {
            String name = round.protocol() + ", round " + round.round();
            for (Phase phase : round.phases()) {
                disturbances(phase).forEach(reason -> notes.add("VOID " + name + ": " + reason));
                if (isValid(phase)) {
                    addDoubts(name, phase, notes);
                }
            }
        }
        if (!isUsable()) {
            notes.add("VOID: not every protocol has a valid interval of each kind; repeat the run on an idle machine");
        }
        return notes;
    }

    private void addDoubts(String round, Phase phase, List<String> notes) {
        String where = "NOTE " + round + ", " + phase.name()
                + (phase.atReplica() == Phase.ALL_REPLICAS ? "" : " at replica " + phase.atReplica()) + ": ";
        if (!phase.steady()) {
            notes.add(where + "throughput or JIT compilers had not come to rest; raise --warmup-seconds");
        }
        if (!phase.name().equals(Phase.SATURATION)) {
            return;
        }
        double left = machine.cores() - options.cpuCores() * options.replicas();
        if (options.cpuCores() > 0 && Metric.busiestCores(phase) < SATURATED_SHARE * options.cpuCores()) {
            notes.add(where
                    + String.format(
                            Locale.ROOT,
                            "the busiest replica used only %.0f %% of its quota: not saturated;"
                                    + " raise --outstanding or --sessions",
                            100 * Metric.busiestCores(phase) / options.cpuCores()));
        }
        if (options.cpuCores() > 0 && phase.use().clientCores() > CLIENT_BOUND_SHARE * left) {
            notes.add(where
                    + String.format(
                            Locale.ROOT,
                            "the client used %.2f of the %.2f cores that the servers leave over: it may be the limit",
                            phase.use().clientCores(),
                            left));
        }
    }

    /**
     * Writes everything as JSON: the options, the machine, the figures, and all rounds with all intervals.
     *
     * @param file to be written
     * @throws IOException if it cannot be
     */
    @Override
    public void writeTo(Path file) throws IOException {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("options", options);
        document.put("machine", machine);
        document.put("usable", isUsable());
        document.put("figures", figures());
        document.put("voidFigures", voidFigures());
        document.put("notes", notes());
        document.put("rounds", rounds);
        new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), document);
    }
}
