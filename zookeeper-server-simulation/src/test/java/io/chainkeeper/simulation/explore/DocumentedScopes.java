package io.chainkeeper.simulation.explore;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of docs/exploration.md that say how large each scope is. A change that makes a scope smaller, because
 * something in it cannot happen any more, would otherwise be seen by nobody: less is explored, and nothing is found.
 */
final class DocumentedScopes {
    private static final Path DOCUMENT = Path.of("..", "docs", "exploration.md");

    private DocumentedScopes() {}

    /** @param heading of the table, without the number signs */
    static void assertAsLarge(String heading, String scope, Explorer.Result result) {
        Matcher row = Pattern.compile("\\| " + scope + " \\|[^|]*\\| ([0-9,]+) \\| ([0-9,]+) \\| ([0-9]+) \\|")
                .matcher(section(heading));
        assertTrue(scope + " is not in the table under '" + heading + "'", row.find());
        String documented = row.group(1) + " states, " + row.group(2) + " steps, depth " + row.group(3);
        assertEquals(
                "size of " + scope + " in " + DOCUMENT,
                documented,
                String.format(
                        Locale.ROOT,
                        "%,d states, %,d steps, depth %d",
                        result.states(),
                        result.steps(),
                        result.depth()));
    }

    private static String section(String heading) {
        try {
            String text = Files.readString(DOCUMENT);
            int begin = text.indexOf("## " + heading + "\n");
            assertTrue("'" + heading + "' is no heading of " + DOCUMENT, begin >= 0);
            int end = text.indexOf("\n##", begin + 1);
            return text.substring(begin, end < 0 ? text.length() : end);
        } catch (IOException e) {
            throw new UncheckedIOException(DOCUMENT + " cannot be read: " + e, e);
        }
    }
}
