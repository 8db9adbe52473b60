package io.chainkeeper.simulation;

import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * What a failure objects to, without what differs from run to run: numbers, values, who it was.
 *
 * @param words the beginning of its message
 */
record BrokenRule(String words) {
    private static final Pattern NAMED = Pattern.compile("^([a-z][a-z ]*):.*", Pattern.DOTALL);
    private static final Pattern VARIABLE = Pattern.compile("\\S*[0-9\\[{=]\\S*");
    private static final Pattern WHAT_WAS_FOUND = Pattern.compile("[;\\n].*", Pattern.DOTALL);
    private static final int WORDS = 8;

    static BrokenRule of(Throwable failure) {
        String message = failure.getMessage() == null ? "" : failure.getMessage();
        var named = NAMED.matcher(message);
        if (named.matches() && !named.group(1).equals("liveness")) {
            return new BrokenRule(named.group(1));
        }
        String said = WHAT_WAS_FOUND.matcher(message).replaceFirst("");
        String constant = VARIABLE.matcher(said).replaceAll("").trim();
        String[] words = constant.split("\\s+", WORDS + 1);
        int count = message.startsWith("liveness") ? words.length : Math.min(WORDS, words.length);
        return new BrokenRule(failure.getClass().getSimpleName() + ": "
                + String.join(" ", Arrays.asList(words).subList(0, count)));
    }
}
