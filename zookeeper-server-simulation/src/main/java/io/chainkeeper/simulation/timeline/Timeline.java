package io.chainkeeper.simulation.timeline;

import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Collects a run for a picture: marks at replicas, messages between them, and spans of time in which something lasts. A
 * message that is received is the oldest one of the same words on its way from there; those sent before it are lost,
 * because links keep their order, and so are those that are under way when the link breaks.
 */
public final class Timeline implements Trace.Listener {
    /** At most so many marks and so many messages; what comes later is counted only. */
    static final int MAX_EACH = 400_000;

    /** Kinds of marks. */
    enum Kind {
        FAULT,
        LIFE,
        STATUS,
        LOG,
        DECISION,
        EXECUTION,
        REQUEST,
        ANSWER,
        OTHER
    }

    /** Kinds of spans. */
    enum Lasting {
        DOWN,
        PAUSED,
        FORCE,
        CUT
    }

    /** A moment at a replica, or in the world. */
    record Mark(long micros, int replica, Kind kind, long position, String session, String words) {}

    /** A message; never received if {@link #receivedMicros} is negative. */
    static final class Sent {
        final long micros;
        final int from;
        final int to;
        final String words;
        long receivedMicros = Mentions.NOTHING;

        Sent(long micros, int from, int to, String words) {
            this.micros = micros;
            this.from = from;
            this.to = to;
            this.words = words;
        }
    }

    /** Something that lasts. */
    record Span(long fromMicros, long toMicros, int replica, Lasting what, String words) {}

    private record Begun(Lasting what, int replica, String words) {}

    private static final Map<String, Kind> KINDS = kinds();

    private final EventQueue clock;
    private final List<Mark> marks = new ArrayList<>();
    private final List<Sent> messages = new ArrayList<>();
    private final List<Span> spans = new ArrayList<>();
    private final Map<String, Deque<Sent>> underWay = new TreeMap<>();
    private final Map<Begun, Long> begun = new LinkedHashMap<>();
    private final Set<Integer> lanes = new TreeSet<>();
    private final Map<Integer, Mark> latestAnswers = new HashMap<>();
    private long leftOut;

    /** @param clock virtual time */
    public Timeline(EventQueue clock) {
        this.clock = clock;
    }

    private static Map<String, Kind> kinds() {
        Map<String, Kind> kinds = new HashMap<>();
        List.of("fault", "cut", "healed", "link breaks between", "slowed", "faults stop", "pauses for microseconds")
                .forEach(what -> kinds.put(what, Kind.FAULT));
        List.of("disk slower by", "disk takes up to microseconds", "loses its disk")
                .forEach(what -> kinds.put(what, Kind.FAULT));
        List.of("starts as incarnation", "crashes; unstable records that survive:", "installs state of")
                .forEach(what -> kinds.put(what, Kind.LIFE));
        List.of("is told to stop", "lets its clients go", "ends in an orderly way")
                .forEach(what -> kinds.put(what, Kind.LIFE));
        List.of("is now", "ensemble", "asked for ensemble", "reports silent", "reports back")
                .forEach(what -> kinds.put(what, Kind.STATUS));
        List.of("appends position", "durable up to", "truncates below", "begins checkpoint", "checkpoint")
                .forEach(what -> kinds.put(what, Kind.LOG));
        kinds.put("delivers", Kind.DECISION);
        kinds.put("executes", Kind.EXECUTION);
        List.of("is asked by session", "propose", "read barrier", "asks")
                .forEach(what -> kinds.put(what, Kind.REQUEST));
        List.of("answers session", "leaves unanswered session", "answers at position", "is answered")
                .forEach(what -> kinds.put(what, Kind.ANSWER));
        return kinds;
    }

    @Override
    public void happened(int replica, String what, long number, Object detail) {
        long now = clock.nowMicros();
        lanes.add(replica);
        switch (what) {
            case "sends to" -> sent(now, replica, (int) number, detail.toString());
            case "receives from" -> received(now, (int) number, replica, detail.toString());
            case "tick" -> {}
            default -> mark(now, replica, what, number, detail == null ? "" : detail.toString());
        }
    }

    // ---------------------------------------------------------------- messages

    private static String direction(int from, int to) {
        return from + ">" + to;
    }

    private void sent(long now, int from, int to, String words) {
        if (messages.size() == MAX_EACH) {
            leftOut++;
            return;
        }
        Sent message = new Sent(now, from, to, words);
        messages.add(message);
        underWay.computeIfAbsent(direction(from, to), key -> new ArrayDeque<>()).addLast(message);
    }

    private void received(long now, int from, int to, String words) {
        Deque<Sent> sent = underWay.getOrDefault(direction(from, to), new ArrayDeque<>());
        boolean isKnown = sent.stream().anyMatch(message -> message.words.equals(words));
        while (isKnown) {
            Sent oldest = sent.removeFirst();
            if (oldest.words.equals(words)) {
                oldest.receivedMicros = now;
                return;
            }
        }
    }

    // ---------------------------------------------------------------- marks and spans

    private void mark(long now, int replica, String what, long number, String detail) {
        lasting(now, replica, what, number, detail);
        if (marks.size() == MAX_EACH) {
            leftOut++;
            return;
        }
        Kind kind = KINDS.getOrDefault(what, Kind.OTHER);
        String words = (what + " " + number + " " + detail).trim();
        boolean isNumbered = what.equals("delivers")
                || what.equals("executes")
                || what.equals("appends position")
                || what.equals("answers at position");
        long position = isNumbered ? number : Mentions.position(words);
        String session = what.endsWith(" session") ? String.valueOf(number) : Mentions.session(words);
        Mark answer = latestAnswers.get(replica);
        if (what.equals("answers session") && answer != null && answer.micros() == now) {
            position = answer.position();
        }
        Mark mark = new Mark(now, replica, kind, position, session, words);
        marks.add(mark);
        if (what.equals("answers at position")) {
            latestAnswers.put(replica, mark);
        }
    }

    private void lasting(long now, int replica, String what, long number, String detail) {
        switch (what) {
            case "crashes; unstable records that survive:" -> {
                end(Lasting.FORCE, replica, now);
                begin(Lasting.DOWN, replica, "down", now);
            }
            case "ends in an orderly way" -> begin(Lasting.DOWN, replica, "down", now);
            case "starts as incarnation" -> end(Lasting.DOWN, replica, now);
            case "pauses for microseconds" -> spans.add(new Span(now, now + number, replica, Lasting.PAUSED, "paused"));
            case "appends position" -> begin(Lasting.FORCE, replica, "records on their way to the disk", now);
            case "durable up to" -> end(Lasting.FORCE, replica, now);
            case "cut" -> begin(Lasting.CUT, 0, number + " " + detail, now);
            case "link breaks between" -> {
                int other = Integer.parseInt(detail.substring(detail.lastIndexOf(' ') + 1));
                underWay.remove(direction((int) number, other));
                underWay.remove(direction(other, (int) number));
            }
            case "healed" -> end(new Begun(Lasting.CUT, 0, number + " " + detail), now);
            default -> {}
        }
    }

    private void begin(Lasting what, int replica, String words, long now) {
        begun.putIfAbsent(new Begun(what, replica, words), now);
    }

    private void end(Lasting what, int replica, long now) {
        List.copyOf(begun.keySet()).stream()
                .filter(each -> each.what() == what && each.replica() == replica)
                .forEach(each -> end(each, now));
    }

    private void end(Begun each, long now) {
        Long from = begun.remove(each);
        if (from != null && spans.size() < MAX_EACH) {
            spans.add(new Span(from, now, each.replica(), each.what(), each.words()));
        }
    }

    // ---------------------------------------------------------------- what was collected

    /** The run is over: what still lasts ends now. */
    public void finish() {
        List.copyOf(begun.keySet()).forEach(each -> end(each, clock.nowMicros()));
    }

    List<Mark> marks() {
        return marks;
    }

    List<Sent> messages() {
        return messages;
    }

    List<Span> spans() {
        return spans;
    }

    /** Ids of replicas, and 0 for the world, as far as anything happened there. */
    Set<Integer> lanes() {
        return lanes;
    }

    long endMicros() {
        return clock.nowMicros();
    }

    long leftOut() {
        return leftOut;
    }
}
