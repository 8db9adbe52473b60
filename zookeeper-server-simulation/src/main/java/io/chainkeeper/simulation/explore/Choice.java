package io.chainkeeper.simulation.explore;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One step of a schedule: what happens next.
 *
 * @param kind what
 * @param replica where; for {@link Kind#DELIVER} the receiver
 * @param peer the sender or the other end of the link; 0 if there is none
 */
record Choice(Kind kind, int replica, int peer) {
    private static final Pattern TEXT = Pattern.compile("([a-z-]+) (\\d)(?:([>-])(\\d))?");

    /** What can happen. */
    enum Kind {
        /** The oldest frame of a link arrives, or its receiver is told that the link is down or up. */
        DELIVER("deliver"),
        /** Everything appended at a replica becomes durable. */
        SYNC("sync"),
        /** The oldest record that is not durable becomes so. */
        SYNC_ONE("sync-one"),
        /** A client of a replica writes. */
        PROPOSE("propose"),
        /** A client of a replica reads. */
        READ("read"),
        /** Ticks pass at a replica, as many as the scope says. */
        TICK("tick"),
        /** A replica's application writes a checkpoint of what it has executed. */
        CHECKPOINT("checkpoint"),
        /** A replica learns that the ensemble has changed. */
        CONFIGURE("configure"),
        /** A replica that has asked for the state of another installs it, and starts again. */
        INSTALL("install"),
        /** A replica starts again, with what was durable. */
        RESTART("restart"),
        /** A replica is gone; what was not durable is lost. */
        CRASH("crash"),
        /** A link breaks, loses what was on its way, and is made anew. */
        BREAK("break");

        private final String word;

        Kind(String word) {
            this.word = word;
        }
    }

    /**
     * Reads a schedule.
     *
     * @param text choices as {@link #toString} prints them, separated by semicolons
     * @throws IllegalArgumentException if a part of it is no choice
     */
    static List<Choice> parse(String text) {
        List<Choice> choices = new ArrayList<>();
        for (String part : text.split(";")) {
            if (!part.isBlank()) {
                choices.add(parseOne(part.trim()));
            }
        }
        return choices;
    }

    private static Choice parseOne(String part) {
        Matcher matcher = TEXT.matcher(part);
        if (matcher.matches()) {
            int first = Integer.parseInt(matcher.group(2));
            int second = matcher.group(4) == null ? 0 : Integer.parseInt(matcher.group(4));
            for (Kind kind : Kind.values()) {
                boolean pair = kind == Kind.DELIVER || kind == Kind.BREAK;
                if (kind.word.equals(matcher.group(1)) && pair == (second > 0)) {
                    return kind == Kind.DELIVER ? new Choice(kind, second, first) : new Choice(kind, first, second);
                }
            }
        }
        throw new IllegalArgumentException("\"" + part + "\" is no step of a schedule; steps look like: deliver 1>2, "
                + "sync 1, sync-one 1, propose 1, read 1, tick 1, checkpoint 1, configure 1, install 1, crash 1, "
                + "restart 1, break 1-2");
    }

    /** A schedule as text. */
    static String print(List<Choice> schedule) {
        List<String> words = new ArrayList<>();
        schedule.forEach(choice -> words.add(choice.toString()));
        return String.join("; ", words);
    }

    @Override
    public String toString() {
        if (kind == Kind.DELIVER) {
            return kind.word + " " + peer + ">" + replica;
        }
        return kind.word + " " + replica + (peer > 0 ? "-" + peer : "");
    }
}
