package io.chainkeeper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The packages that docs/architecture.md lists, from the lowest to the highest. */
final class PackageTable {
    /** The row of a package that is not listed. */
    static final int NO_ROW = -1;

    private static final String ROOT = "io.chainkeeper.";
    private static final String HEAD = "| package |";
    private static final String SERVER = "server";
    private static final Pattern NAME = Pattern.compile("`([a-z.]+)`");

    private final List<List<String>> rows;

    private PackageTable(List<List<String>> rows) {
        this.rows = rows;
    }

    static PackageTable read() throws IOException {
        List<List<List<String>>> tables = tables(Files.readAllLines(Path.of("..", "docs", "architecture.md")));
        if (tables.size() != 2) {
            throw new IOException("docs/architecture.md has " + tables.size() + " tables of packages instead of two");
        }
        List<List<String>> rows = new ArrayList<>();
        for (List<String> row : tables.get(0)) {
            if (row.equals(List.of(SERVER))) {
                tables.get(1)
                        .forEach(names -> rows.add(
                                names.stream().map(name -> SERVER + "." + name).toList()));
            } else {
                rows.add(row);
            }
        }
        return new PackageTable(rows);
    }

    private static List<List<List<String>>> tables(List<String> lines) {
        List<List<List<String>>> tables = new ArrayList<>();
        boolean inside = false;
        for (String line : lines) {
            if (line.startsWith(HEAD)) {
                inside = true;
                tables.add(new ArrayList<>());
            } else if (!line.startsWith("|")) {
                inside = false;
            } else if (inside && !line.startsWith("|-")) {
                tables.get(tables.size() - 1).add(names(line.split("\\|")[1]));
            }
        }
        return tables;
    }

    private static List<String> names(String cell) {
        Matcher name = NAME.matcher(cell);
        List<String> names = new ArrayList<>();
        while (name.find()) {
            names.add(name.group(1));
        }
        return names;
    }

    /** All listed packages. */
    SortedSet<String> packages() {
        SortedSet<String> packages = new TreeSet<>();
        rows.forEach(row -> row.forEach(name -> packages.add(ROOT + name)));
        return packages;
    }

    /** The row of a package, or of the listed package that it is part of. */
    int rowOf(String packageName) {
        for (int row = 0; row < rows.size(); row++) {
            for (String name : rows.get(row)) {
                if ((packageName + ".").startsWith(ROOT + name + ".")) {
                    return row;
                }
            }
        }
        return NO_ROW;
    }
}
