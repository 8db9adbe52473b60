package io.chainkeeper.simulation.timeline;

import io.chainkeeper.simulation.timeline.Timeline.Kind;
import io.chainkeeper.simulation.timeline.Timeline.Lasting;
import io.chainkeeper.simulation.timeline.Timeline.Mark;
import io.chainkeeper.simulation.timeline.Timeline.Sent;
import io.chainkeeper.simulation.timeline.Timeline.Span;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes a timeline as JSON, and as a page with the same JSON in it that needs nothing else. The JSON is an object:
 *
 * <pre>
 * title, command, failure   texts; failure is empty if the run passed
 * lanes                     ids of replicas, 0 for clients and links
 * endMicros                 when the run ended
 * leftOut                   how many events came after the bound on their number
 * kinds, lasting            names of the kinds of marks and of spans
 * sessions, texts           what the numbers below mean
 * marks                     [micros, lane, kind, position or -1, session or -1, text]
 * messages                  [sent, from, to, received or -1, position or -1, session or -1, text], times in micros
 * spans                     [from, to, lane, lasting, text]
 * </pre>
 */
public final class TimelineFiles {
    private static final String PAGE = "/timeline.html";
    private static final String PLACE = "/*TIMELINE*/null";

    private final Map<String, Integer> texts = new LinkedHashMap<>();
    private final Map<String, Integer> sessions = new LinkedHashMap<>();

    private TimelineFiles() {}

    /**
     * What the page says above the picture.
     *
     * @param title which run it is
     * @param command that runs it again
     * @param failure what it broke, empty if nothing
     */
    public record Heading(String title, String command, String failure) {}

    /**
     * Writes both files.
     *
     * @param timeline of a run that is over
     * @param heading of the page
     * @param json where the JSON goes; the page goes beside it
     * @return the page
     * @throws IOException if a file cannot be written
     */
    public static Path write(Timeline timeline, Heading heading, Path json) throws IOException {
        String data = new TimelineFiles().json(timeline, heading);
        Files.writeString(json, data);
        String name = json.getFileName().toString().replaceFirst("\\.json$", "") + ".html";
        Path page = json.resolveSibling(name);
        try (InputStream template = TimelineFiles.class.getResourceAsStream(PAGE)) {
            String text = new String(template.readAllBytes(), StandardCharsets.UTF_8);
            int at = text.indexOf(PLACE);
            Files.writeString(page, text.substring(0, at) + data + text.substring(at + PLACE.length()));
        }
        return page;
    }

    private String json(Timeline timeline, Heading heading) {
        List<String> marks = new ArrayList<>();
        for (Mark mark : timeline.marks()) {
            marks.add(numbers(
                    mark.micros(),
                    mark.replica(),
                    mark.kind().ordinal(),
                    mark.position(),
                    session(mark.session()),
                    text(mark.words())));
        }
        List<String> messages = new ArrayList<>();
        for (Sent sent : timeline.messages()) {
            messages.add(numbers(
                    sent.micros,
                    sent.from,
                    sent.to,
                    sent.receivedMicros,
                    Mentions.position(sent.words),
                    session(Mentions.session(sent.words)),
                    text(sent.words)));
        }
        List<String> spans = new ArrayList<>();
        for (Span span : timeline.spans()) {
            spans.add(numbers(
                    span.fromMicros(),
                    span.toMicros(),
                    span.replica(),
                    span.what().ordinal(),
                    text(span.words())));
        }
        return "{"
                + String.join(
                        ",\n",
                        "\"title\":" + quoted(heading.title()),
                        "\"command\":" + quoted(heading.command()),
                        "\"failure\":" + quoted(heading.failure()),
                        "\"lanes\":" + timeline.lanes(),
                        "\"endMicros\":" + timeline.endMicros(),
                        "\"leftOut\":" + timeline.leftOut(),
                        "\"kinds\":" + names(Kind.values()),
                        "\"lasting\":" + names(Lasting.values()),
                        "\"sessions\":"
                                + list(sessions.keySet().stream()
                                        .map(TimelineFiles::quoted)
                                        .toList()),
                        "\"texts\":"
                                + list(texts.keySet().stream()
                                        .map(TimelineFiles::quoted)
                                        .toList()),
                        "\"marks\":" + list(marks),
                        "\"messages\":" + list(messages),
                        "\"spans\":" + list(spans))
                + "}\n";
    }

    private int text(String words) {
        return texts.computeIfAbsent(words, key -> texts.size());
    }

    private int session(String name) {
        return name == null ? -1 : sessions.computeIfAbsent(name, key -> sessions.size());
    }

    private static String numbers(long... values) {
        return Arrays.toString(values).replace(" ", "");
    }

    private static String names(Enum<?>... values) {
        return list(Arrays.stream(values)
                .map(value -> quoted(value.name().toLowerCase(Locale.ROOT)))
                .toList());
    }

    private static String list(List<String> elements) {
        return "[" + String.join(",\n", elements) + "]";
    }

    /** Nothing in it ends the script that it may stand in. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each == '"' || each == '\\') {
                quoted.append('\\').append(each);
            } else if (each < ' ' || each == '<' || each == '\u2028' || each == '\u2029') {
                quoted.append(String.format("\\u%04x", (int) each));
            } else {
                quoted.append(each);
            }
        }
        return quoted.append('"').toString();
    }
}
