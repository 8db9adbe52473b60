package io.chainkeeper.main;

import io.chainkeeper.FreePorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A server's directory with a right zoo.cfg, which tests then spoil. The ports are free ones. */
final class ServerFiles {
    final Path root;
    final Path zooCfg;
    final Path dataDirectory;
    final List<Integer> ports = freePorts(8);

    ServerFiles(Path root) throws IOException {
        this.root = root;
        this.zooCfg = root.resolve("zoo.cfg");
        this.dataDirectory = root.resolve("data");
        Files.createDirectories(dataDirectory.resolve("version-2"));
        Files.createDirectories(dataDirectory.resolve("ordering"));
        Files.writeString(dataDirectory.resolve("version-2/snapshot.0"), "not looked at");
        writeMyId("1\n");
        writeCfg(rightLines());
    }

    List<String> rightLines() {
        return new ArrayList<>(List.of(
                "# written by a test",
                "tickTime=2000",
                "initLimit=10",
                "syncLimit=5",
                "dataDir=" + dataDirectory,
                "clientPortAddress=127.0.0.1",
                "clientPort=" + ports.get(0),
                "server.1=127.0.0.1:" + ports.get(1) + ":" + ports.get(2),
                "server.2=127.0.0.1:" + ports.get(3) + ":" + ports.get(4),
                "server.3=127.0.0.1:" + ports.get(5) + ":" + ports.get(6)));
    }

    void writeCfg(List<String> lines) throws IOException {
        Files.writeString(zooCfg, String.join("\n", lines) + "\n", StandardCharsets.ISO_8859_1);
    }

    /** Appends a line, number 11. */
    void addLine(String line) throws IOException {
        List<String> lines = rightLines();
        lines.add(line);
        writeCfg(lines);
    }

    /** Replaces the line of a key, or removes it. */
    void replaceLine(String key, String line) throws IOException {
        List<String> lines = rightLines();
        int index = 0;
        while (!lines.get(index).startsWith(key + "=")) {
            index++;
        }
        lines.remove(index);
        if (line != null) {
            lines.add(index, line);
        }
        writeCfg(lines);
    }

    void writeMyId(String text) throws IOException {
        Files.writeString(dataDirectory.resolve("myid"), text);
    }

    /** All files and directories below the root with their bytes. */
    SortedMap<String, String> contents() throws IOException {
        SortedMap<String, String> contents = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                String bytes = Files.isRegularFile(path) ? Files.readString(path, StandardCharsets.ISO_8859_1) : "dir";
                contents.put(root.relativize(path).toString(), bytes);
            }
        }
        return contents;
    }

    private static List<Integer> freePorts(int count) {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ports.add(FreePorts.next());
        }
        return ports;
    }
}
