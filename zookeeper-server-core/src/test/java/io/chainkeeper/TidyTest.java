package io.chainkeeper;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.sun.source.tree.AssertTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.Test;

/** The habits of the house that a program can check, for the sources of all modules. */
public final class TidyTest {
    private static final int MAX_FILE_LINES = 500;
    private static final int MAX_STATE_MACHINE_LINES = 900;
    private static final int MAX_METHOD_LINES = 60;
    private static final int MAX_LINE_LENGTH = 120;

    /** Protocols whose rules are read side by side in one file. */
    private static final Set<String> STATE_MACHINES = Set.of("ChainPaxos.java", "Iss.java", "DiskPaxos.java");

    /** Where tests look at a condition again and again until a deadline. */
    private static final Set<String> POLLING = Set.of("Await.java", "TestEnsemble.java");

    private static final Pattern LEFTOVER = Pattern.compile("\\b(TODO|FIXME|XXX|HACK)\\b");
    private static final Pattern PATH_OF_A_MACHINE = Pattern.compile("[\"\\s(](/home/|/Users/)");

    private final Path root = SourceTree.root();
    private final List<String> findings = new ArrayList<>();

    private List<Path> sources(String ending) throws IOException {
        try (Stream<Path> files = Files.walk(root, 1)) {
            List<Path> found = new ArrayList<>();
            for (Path module : files.filter(f -> Files.isRegularFile(f.resolve("pom.xml")))
                    .sorted()
                    .toList()) {
                Path sources = module.resolve("src");
                if (Files.isDirectory(sources)) {
                    try (Stream<Path> inside = Files.walk(sources)) {
                        inside.filter(f -> f.toString().endsWith(ending))
                                .sorted()
                                .forEach(found::add);
                    }
                }
            }
            assertTrue("no " + ending + " files under " + root, !found.isEmpty());
            return found;
        }
    }

    private void assertTidy() {
        assertEquals(String.join("\n", findings), 0, findings.size());
    }

    private void find(Path file, long line, String what) {
        findings.add(root.relativize(file) + ":" + line + " " + what);
    }

    @Test
    public void files_areShortAndTheirLinesToo() throws IOException {
        for (Path file : sources(".java")) {
            List<String> lines = Files.readAllLines(file);
            int limit =
                    STATE_MACHINES.contains(file.getFileName().toString()) ? MAX_STATE_MACHINE_LINES : MAX_FILE_LINES;
            if (lines.size() > limit) {
                find(file, lines.size(), "the file has more than " + limit + " lines");
            }
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                if (line.length() > MAX_LINE_LENGTH) {
                    find(file, i + 1, "the line is longer than " + MAX_LINE_LENGTH);
                }
                if (line.contains("\t") || line.endsWith(" ")) {
                    find(file, i + 1, "has a tab, or a space at the end");
                }
            }
        }
        assertTidy();
    }

    @Test
    public void sources_haveNoLeftovers() throws IOException {
        for (Path file : sources(".java")) {
            if (file.getFileName().toString().equals("TidyTest.java")) {
                continue;
            }
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (LEFTOVER.matcher(lines.get(i)).find()) {
                    find(file, i + 1, "a leftover: do it, or open an issue");
                }
                if (PATH_OF_A_MACHINE.matcher(lines.get(i)).find()) {
                    find(file, i + 1, "names a path of somebody's machine");
                }
            }
        }
        assertTidy();
    }

    @Test
    public void code_keepsTheRules() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, null, null, files.getJavaFileObjectsFromPaths(sources(".java")));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                unit.accept(new Rules(unit, positions), null);
            }
        }
        assertTidy();
    }

    private final class Rules extends TreeScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final Path file;
        private final boolean test;

        Rules(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
            this.file = Path.of(unit.getSourceFile().toUri());
            this.test = file.toString().contains(Path.of("src", "test").toString());
        }

        private long line(long position) {
            return unit.getLineMap().getLineNumber(position);
        }

        private void find(Tree tree, String what) {
            TidyTest.this.find(file, line(positions.getStartPosition(unit, tree)), what);
        }

        @Override
        public Void visitImport(ImportTree tree, Void nothing) {
            if (tree.getQualifiedIdentifier().toString().endsWith(".*")) {
                find(tree, "wildcard import");
            }
            if (tree.getQualifiedIdentifier().toString().equals("org.junit.Ignore")) {
                find(tree, "a test that is not run tests nothing");
            }
            return super.visitImport(tree, nothing);
        }

        @Override
        public Void visitAssert(AssertTree tree, Void nothing) {
            find(tree, "assert is off in production: InvariantViolated.check");
            return super.visitAssert(tree, nothing);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void nothing) {
            long start = positions.getStartPosition(unit, tree);
            long end = positions.getEndPosition(unit, tree);
            if (tree.getBody() != null && line(end) - line(start) + 1 > MAX_METHOD_LINES) {
                find(tree, tree.getName() + " has more than " + MAX_METHOD_LINES + " lines");
            }
            return super.visitMethod(tree, nothing);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
            String text = tree.toString();
            if (text.equals("Thread.sleep")
                    && test
                    && !POLLING.contains(file.getFileName().toString())) {
                find(tree, "wait for a condition, not for a guess");
            }
            if (text.endsWith(".printStackTrace")) {
                find(tree, "log it, or let it pass");
            }
            return super.visitMemberSelect(tree, nothing);
        }
    }

    @Test
    public void namesOfTests_sayWhenAndThen() throws IOException {
        Pattern test = Pattern.compile("@Test.*\\R\\s+public void (\\w+)\\(");
        for (Path file : sources("Test.java")) {
            String text = read(file);
            test.matcher(text)
                    .results()
                    .map(m -> m.group(1))
                    .filter(n -> !n.contains("_"))
                    .forEach(name -> find(file, 0, name + " does not say when and then: <when>_<then>"));
        }
        assertTidy();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
