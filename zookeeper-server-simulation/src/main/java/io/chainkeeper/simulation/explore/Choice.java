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
 * @param peer the sender or the other end of the link; the shared disk, from 1;
 *     for {@link Kind#CRASH} how many records survive that were not
 *     known to be durable; for {@link Kind#BATCH} what is in the batch besides; 0 if there is none
 */
record Choice(Kind kind, int replica, int peer) {
    /** In a batch, behind the frames that were on their way: a client's write. */
    static final int AND_WRITE = 1;

    /** In a batch, behind all else: what was appended has become durable. */
    static final int AND_DURABLE = 2;

    private static final Pattern TEXT = Pattern.compile("([a-z-]+) (\\d)(?:([>+@-])(\\d))?");

    /** What can happen. */
    enum Kind {
        /** The oldest frame of a link arrives, or its receiver is told that the link is down or up. */
        DELIVER("deliver"),
        /** Everything appended at a replica becomes durable. */
        SYNC("sync"),
        /** The oldest record that is not durable becomes so. */
        SYNC_ONE("sync-one"),
        /** All frames on their way to a replica are taken in one batch, in order of the senders. */
        BATCH("batch"),
        /** A client of a replica writes. */
        PROPOSE("propose"),
        /** A client of a replica reads. */
        READ("read"),
        /** Ticks pass at a replica, as many as the scope says. */
        TICK("tick"),
        /** A replica's application writes a checkpoint of what it has executed. */
        CHECKPOINT("checkpoint"),
        /** The checkpoint that was taken last is durable, if that takes time. */
        KEEP("keep"),
        /** A replica learns that the ensemble has changed. */
        CONFIGURE("configure"),
        /** A replica that has asked for the state of another has got it, if that takes time. */
        FETCH("fetch"),
        /** A replica that has asked for the state of another installs it, and starts again. */
        INSTALL("install"),
        /** A replica starts again, with what was durable. */
        RESTART("restart"),
        /** A replica starts again and finds its newest checkpoint damaged, so that the one before it counts. */
        RESTART_OLDER("restart-older"),
        /** A replica is gone; what was not durable is lost, but for the oldest records of it if so many survive. */
        CRASH("crash"),
        /** A link breaks, loses what was on its way, and is made anew. */
        BREAK("break"),
        /** The oldest request of a replica to a shared disk is answered; it is carried out, unless it has been. */
        ANSWER("answer"),
        /** The next request to a shared disk is carried out; nobody knows yet. */
        CARRY_OUT("carry-out"),
        /** Half of the next write to a shared disk is carried out. */
        TEAR("tear"),
        /** A write that will not be answered, because its replica crashed or its disk failed, never happens. */
        DROP("drop"),
        /** A shared disk fails for a replica: what was not answered will not be. */
        FAIL("fail");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** What stands between the two numbers; null if there may be one number only. */
        private String sign() {
            return switch (this) {
                case DELIVER -> ">";
                case BREAK -> "-";
                case CRASH, BATCH -> "+";
                case ANSWER, CARRY_OUT, TEAR, DROP, FAIL -> "@";
                default -> null;
            };
        }

        private boolean mayHaveOneNumber() {
            return this != DELIVER && this != BREAK && !isOfADisk();
        }

        /** Whether the second number is that of a shared disk. */
        boolean isOfADisk() {
            return "@".equals(sign());
        }

        private boolean takes(String sign, int second) {
            return second == 0 ? sign == null && mayHaveOneNumber() : sign != null && sign.equals(sign());
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
                if (kind.word.equals(matcher.group(1)) && kind.takes(matcher.group(3), second)) {
                    return kind == Kind.DELIVER ? new Choice(kind, second, first) : new Choice(kind, first, second);
                }
            }
        }
        throw new IllegalArgumentException("\"" + part + "\" is no step of a schedule; steps look like: deliver 1>2, "
                + "sync 1, sync-one 1, batch 1, batch 1+3, propose 1, read 1, tick 1, checkpoint 1, keep 1, "
                + "configure 1, fetch 1, install 1, crash 1, crash 1+2, restart 1, restart-older 1, break 1-2, "
                + "answer 1@2, carry-out 1@2, tear 1@2, drop 1@2, fail 1@2");
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
        return kind.word + " " + replica + (peer > 0 ? kind.sign() + peer : "");
    }
}
