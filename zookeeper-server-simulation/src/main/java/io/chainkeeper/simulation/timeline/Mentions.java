package io.chainkeeper.simulation.timeline;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the words of a trace say they are about. */
public final class Mentions {
    /** Nothing is mentioned. */
    public static final long NOTHING = -1;

    private static final Pattern POSITION = Pattern.compile("\\b(?:i=|instance=|position[= ])(\\d+)");
    private static final Pattern RANGE = Pattern.compile("\\bfrom=(\\d+), to=(\\d+)");
    private static final Pattern SESSION = Pattern.compile("\\bsession (0x[0-9a-f]+)");
    private static final String NO_SESSION = "0x0";

    private Mentions() {}

    /** The first position of the order that is mentioned, or {@link #NOTHING}. */
    public static long position(String words) {
        Matcher found = POSITION.matcher(words);
        if (found.find()) {
            return Long.parseLong(found.group(1));
        }
        Matcher range = RANGE.matcher(words);
        return range.find() ? Long.parseLong(range.group(1)) : NOTHING;
    }

    /** Whether a position is mentioned first, or lies in a range that is. */
    public static boolean isAbout(String words, long position) {
        Matcher range = RANGE.matcher(words);
        return position(words) == position
                || range.find()
                        && Long.parseLong(range.group(1)) <= position
                        && position <= Long.parseLong(range.group(2));
    }

    /** The first session that is mentioned, or null. */
    public static String session(String words) {
        Matcher found = SESSION.matcher(words);
        return found.find() && !found.group(1).equals(NO_SESSION) ? found.group(1) : null;
    }
}
