package io.chainkeeper;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Test;

/** Every link from one document to another leads somewhere, and the index leaves no document out. */
public final class DocumentLinksTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^()\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("`[^`\\n]+`");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.+)");
    private static final Pattern NOT_IN_ANCHORS = Pattern.compile("[^\\p{L}\\p{N}_ -]");
    private static final String FENCE = "```";
    private static final String INDEX = "docs/README.md";

    private final Path root = SourceTree.root();
    private final List<String> findings = new ArrayList<>();

    private List<Path> documents() throws IOException {
        List<Path> found = new ArrayList<>();
        addDocuments(root, 1, found);
        addDocuments(root.resolve("docs"), Integer.MAX_VALUE, found);
        return found;
    }

    private static void addDocuments(Path directory, int depth, List<Path> found) throws IOException {
        try (Stream<Path> files = Files.walk(directory, depth)) {
            files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(found::add);
        }
    }

    /** What is read as text: no lines between fences. */
    private static List<String> textLines(Path document) throws IOException {
        List<String> lines = new ArrayList<>();
        boolean fenced = false;
        for (String line : Files.readAllLines(document)) {
            if (line.strip().startsWith(FENCE)) {
                fenced = !fenced;
            } else if (!fenced) {
                lines.add(line);
            }
        }
        return lines;
    }

    private static List<String> links(Path document) throws IOException {
        List<String> links = new ArrayList<>();
        for (String line : textLines(document)) {
            String text = CODE.matcher(line).replaceAll("");
            for (MatchResult link : LINK.matcher(text).results().toList()) {
                if (!ELSEWHERE.matcher(link.group(1)).matches()) {
                    links.add(link.group(1));
                }
            }
        }
        return links;
    }

    /** The anchors of a document's headings, made as those who show it make them. */
    private static Set<String> anchors(Path document) throws IOException {
        Set<String> anchors = new TreeSet<>();
        for (String line : textLines(document)) {
            var heading = HEADING.matcher(line);
            if (heading.matches()) {
                String text = heading.group(1).strip().toLowerCase(Locale.ROOT);
                String anchor = NOT_IN_ANCHORS.matcher(text).replaceAll("").replace(' ', '-');
                String unique = anchor;
                for (int i = 1; !anchors.add(unique); i++) {
                    unique = anchor + "-" + i;
                }
            }
        }
        return anchors;
    }

    private static Path target(Path document, String link) {
        String file = link.split("#", 2)[0];
        return file.isEmpty() ? document : document.resolveSibling(file).normalize();
    }

    private void follow(Path document, String link) throws IOException {
        Path target = target(document, link);
        String[] parts = link.split("#", 2);
        if (!target.startsWith(root) || !Files.exists(target)) {
            findings.add(root.relativize(document) + ": " + link + " leads to no file");
        } else if (parts.length == 2 && !anchors(target).contains(parts[1])) {
            findings.add(root.relativize(document) + ": " + link + " leads to no heading");
        }
    }

    @Test
    public void everyLink_leadsToAFileAndAHeading() throws IOException {
        int links = 0;
        for (Path document : documents()) {
            for (String link : links(document)) {
                links++;
                follow(document, link);
            }
        }
        assertTrue("documents with links", links > 100);
        assertEquals(String.join("\n", findings), 0, findings.size());
    }

    @Test
    public void everyDocument_isLinkedFromTheIndex() throws IOException {
        Path index = root.resolve(INDEX);
        Set<Path> linked = new TreeSet<>();
        for (String link : links(index)) {
            linked.add(target(index, link));
        }
        for (Path document : documents()) {
            if (document.startsWith(root.resolve("docs")) && !document.equals(index) && !linked.contains(document)) {
                findings.add(root.relativize(document) + " is not linked from " + INDEX);
            }
        }
        assertEquals(String.join("\n", findings), 0, findings.size());
    }
}
