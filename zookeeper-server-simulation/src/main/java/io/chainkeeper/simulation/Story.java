package io.chainkeeper.simulation;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.order.SessionEvidence;
import io.chainkeeper.simulation.register.RegisterCommand;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.simulation.timeline.Mentions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells a run that failed in words: its faults, who crashed and started, who led with which ballot, what clients asked
 * for, and what became of the positions that the failure names.
 */
public final class Story implements Trace.Listener {
    private static final int MAX_LINES = 300;
    private static final Pattern POSITION = Pattern.compile("\\bposition (\\d+)");
    private static final Set<String> ABOUT_POSITIONS =
            Set.of("sends to", "receives from", "parks until durable", "loses frame to");
    private static final Set<String> OF_POSITION =
            Set.of("appends position", "delivers", "executes", "answers at position");
    private static final Set<String> LEFT_OUT = Set.of(
            "tick",
            "peer up",
            "peer down",
            "propose",
            "read barrier",
            "barrier reached",
            "log read from",
            "checkpoint",
            "durable up to");

    private final EventQueue clock;
    private final Set<Long> positions;
    private final Function<ByteSlice, String> values;
    private final Deque<String> lines = new ArrayDeque<>();
    private long leftOut;

    private Story(EventQueue clock, Set<Long> positions, Function<ByteSlice, String> values) {
        this.clock = clock;
        this.positions = positions;
        this.values = values;
    }

    /** A run that was made smaller: what is left of it, its story, the rule that it breaks, and how to run it again. */
    public static String tell(Shrinker.Shrunk shrunk) {
        Attempt original = shrunk.original();
        Attempt smallest = shrunk.smallest();
        Script script = smallest.script();
        int absent = script.selection().absent().size();
        StringBuilder text = new StringBuilder();
        text.append(script.factory().name())
                .append(" under ")
                .append(script.application().optionValue())
                .append(", seed ")
                .append(script.seed())
                .append(" breaks: ")
                .append(shrunk.rule())
                .append('\n');
        text.append(String.format(
                "shrunk in %d runs: %d of %d faults, %d of %d requests, %d of %d replicas, %.3f of %.3f s%n",
                shrunk.runs(),
                smallest.faults().size(),
                original.faults().size(),
                smallest.requests().size(),
                original.requests().size(),
                smallest.options().replicas() - absent,
                original.options().replicas(),
                smallest.virtualMicros() / 1e6,
                original.virtualMicros() / 1e6));
        text.append("what happens:\n");
        linesOf(smallest).forEach(line -> text.append(line).append('\n'));
        return text.append("the rule that it breaks: ")
                .append(smallest.why())
                .append("\nreplay: ")
                .append(script.command())
                .append('\n')
                .toString();
    }

    /** The story of a run that failed, line by line, which takes another run. */
    static List<String> linesOf(Attempt failed) {
        Set<Long> positions = new TreeSet<>();
        Matcher named = POSITION.matcher(String.valueOf(failed.failure().getMessage()));
        while (named.find()) {
            positions.add(Long.parseLong(named.group(1)));
        }
        SimulatedApplication application = failed.script().application();
        Function<ByteSlice, String> commands = switch (application) {
            case REGISTERS, BEHIND, FOUNDING, DEPOSED, MINORITY, AMBUSH, MEMBERS, TAKEOVER, OUTDATED ->
                RegisterCommand::describe;
            case ZNODES, RECONFIG, UPGRADE ->
                command -> SessionEvidence.decode(command).toString();
        };
        Story[] story = new Story[1];
        Simulation.attempt(
                failed.script(),
                clock -> story[0] = new Story(clock, positions, value -> OrderChecker.describe(value, commands)));
        return story[0].lines();
    }

    private List<String> lines() {
        if (leftOut > 0) {
            lines.addFirst("  (" + leftOut + " earlier lines are left out)");
        }
        return List.copyOf(lines);
    }

    @Override
    public void happened(int replica, String what, long number, Object detail) {
        boolean isTold = OF_POSITION.contains(what)
                ? positions.contains(number)
                : ABOUT_POSITIONS.contains(what) ? isAboutPosition(detail) : !LEFT_OUT.contains(what);
        if (!isTold) {
            return;
        }
        if (lines.size() == MAX_LINES) {
            lines.removeFirst();
            leftOut++;
        }
        lines.addLast(
                String.format("  %11.3f ms  %s", clock.nowMicros() / 1000.0, words(replica, what, number, detail)));
    }

    private boolean isAboutPosition(Object detail) {
        String words = String.valueOf(detail);
        return positions.stream().anyMatch(position -> Mentions.isAbout(words, position));
    }

    private String words(int replica, String what, long number, Object detail) {
        String who = replica == 0 ? "" : "replica " + replica + " ";
        String rest = detail == null ? "" : " " + detail;
        return switch (what) {
            case "fault" -> "fault" + rest + " number " + number;
            case "cut" -> "nothing gets through any more: " + number + rest;
            case "healed" -> "frames get through again: " + number + rest;
            case "faults stop" -> "faults stop; what is down starts, what is cut heals";
            case "is now" -> who + status(detail);
            case "sends to" -> who + "sends to " + number + ":" + rest;
            case "receives from" -> who + "receives from " + number + ":" + rest;
            case "appends position" -> who + "appends position " + number + " to its log," + rest;
            case "delivers" -> who + "takes for decided at position " + number + ": " + value(detail);
            default -> who + what + " " + number + rest;
        };
    }

    private static String status(Object detail) {
        if (!(detail instanceof OrderingStatus status)) {
            return "is now " + detail;
        }
        return switch (status.role()) {
            case LEADER -> "leads in epoch " + status.epoch();
            case FOLLOWER -> "follows " + status.leader() + " in epoch " + status.epoch();
            case OBSERVER -> "observes " + status.leader() + " in epoch " + status.epoch();
            case LOOKING -> "looks for a leader, in epoch " + status.epoch();
        };
    }

    private String value(Object detail) {
        return detail instanceof ByteSlice bytes ? values.apply(bytes) : String.valueOf(detail);
    }
}
