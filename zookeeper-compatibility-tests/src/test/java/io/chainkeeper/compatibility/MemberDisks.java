package io.chainkeeper.compatibility;

import io.chainkeeper.main.DiskCommand;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The disks that replicas share with {@code ordering.protocol=disk}: three files, formatted by the first. */
final class MemberDisks {
    private static final String PATHS = "disk.paths";

    /** Of ensembles whose members have nothing in common but their server lines. */
    private static final Map<String, Path> DIRECTORIES = new TreeMap<>();

    /** Of members: one that starts with other server lines still has the disks that its directory belongs to. */
    private static final Map<Path, Path> OF_MEMBERS = new TreeMap<>();

    private MemberDisks() {}

    /** Returns the lines of zoo.cfg of an ensemble whose disks lie in this directory. */
    static Map<String, String> lines(Path directory) {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put(
                PATHS,
                Stream.of("disk-1", "disk-2", "disk-3")
                        .map(name -> directory.resolve(name).toAbsolutePath().toString())
                        .collect(Collectors.joining(",")));
        lines.put("disk.oneMachine", "true");
        return lines;
    }

    /** Adds what is missing to the lines of a member: all that have the same server lines share their disks. */
    static synchronized Map<String, String> complete(Path member, Map<String, String> settings) throws IOException {
        if (settings.containsKey(PATHS)) {
            return settings;
        }
        String ensemble = settings.entrySet().stream()
                .filter(line -> line.getKey().startsWith("server."))
                .map(Map.Entry::toString)
                .sorted()
                .collect(Collectors.joining(" "));
        if (OF_MEMBERS.containsKey(member)) {
            DIRECTORIES.put(ensemble, OF_MEMBERS.get(member));
        } else if (!DIRECTORIES.containsKey(ensemble)) {
            Path parent = Files.createDirectories(Path.of(System.getProperty("build.test.dir", "target")));
            DIRECTORIES.put(ensemble, Files.createTempDirectory(parent, "disks"));
        }
        OF_MEMBERS.put(member, DIRECTORIES.get(ensemble));
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.putAll(lines(DIRECTORIES.get(ensemble)));
        return all;
    }

    /** Formats the disks that a file lists, unless they are there. */
    static synchronized void formatIfMissing(Path zooCfg, Map<String, String> lines) throws IOException {
        if (Files.exists(Path.of(List.of(lines.get(PATHS).split(",")).get(0)))) {
            return;
        }
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
        DiskCommand command = new DiskCommand(
                ServiceLoader.load(OrderingProtocolFactory.class), out, out, new SecureRandom()::nextLong);
        if (command.run(zooCfg.toString(), "format", "--yes") != 0) {
            throw new IOException(said.toString(StandardCharsets.UTF_8).strip());
        }
    }
}
