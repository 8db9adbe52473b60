package io.chainkeeper.clienttests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** What a program that parses an answer relies on: everything but the values. */
public final class Shape {
    private Shape() {}

    /** Returns the lines of a text, without its numbers, addresses, dates, and what a connection did last. */
    public static SortedSet<String> ofText(String text) {
        SortedSet<String> lines = new TreeSet<>();
        text.lines()
                .map(line -> line.replaceAll("expire at .*:", "expire at DATE:")
                        .replaceAll("lop=[A-Z]+", "lop=#") // a ping, where the connection was idle long enough
                        .replaceAll("0x[0-9a-f]+", "#")
                        .replaceAll("[0-9]+(\\.[0-9]+)?", "#")
                        .replaceAll("(#\\.)+#", "#"))
                .forEach(lines::add);
        return lines;
    }

    /** Returns what stands before a separator in each line. */
    public static SortedSet<String> keys(String text, String separator) {
        SortedSet<String> keys = new TreeSet<>();
        text.lines()
                .filter(line -> line.contains(separator))
                .map(line -> line.substring(0, line.indexOf(separator)))
                .forEach(keys::add);
        return keys;
    }

    /** Returns all paths in a JSON tree with the types of what is there; numbers used as keys count as one. */
    public static SortedSet<String> ofJson(JsonNode tree) {
        SortedSet<String> paths = new TreeSet<>();
        add(paths, "", tree);
        return paths;
    }

    private static void add(SortedSet<String> paths, String path, JsonNode node) {
        if (node.isArray()) {
            paths.add(path + "[]");
            node.forEach(element -> add(paths, path + "[]", element));
        } else if (node.isObject()) {
            paths.add(path + "{}");
            for (Map.Entry<String, JsonNode> field : node.properties()) {
                String key = field.getKey().matches("-?[0-9]+|0x[0-9a-f]+") ? "#" : field.getKey();
                add(paths, path + "/" + key, field.getValue());
            }
        } else {
            paths.add(path + ":"
                    + (node.isNumber()
                            ? "number"
                            : node.getNodeType().toString().toLowerCase()));
        }
    }
}
