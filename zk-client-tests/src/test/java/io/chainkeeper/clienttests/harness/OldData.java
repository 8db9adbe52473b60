package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * The data directories of a stopped ensemble of three servers of Apache ZooKeeper, kept as a zip file among the test
 * resources: {@code server-N/version-2/...}, the tree as clients saw it at the end ({@code expected.txt}, see
 * {@link TreeDump#lines}), and a session that was open then ({@code session.txt}). Made by {@link OldDataMaker}.
 */
public final class OldData {
    static final String EXPECTED = "expected.txt";
    static final String SESSION = "session.txt";

    private final List<String> expected;
    private final long sessionId;
    private final byte[] password;

    private OldData(List<String> expected, List<String> session) {
        this.expected = expected;
        this.sessionId = Long.decode(session.get(0));
        this.password = Base64.getDecoder().decode(session.get(1));
    }

    /** The versions of which there is data. */
    public static List<String> versions() {
        return List.of("3.5.10", "3.8.4", "3.9.5");
    }

    /**
     * Puts the files in the place of the servers' data, before their first start.
     *
     * @param version one of {@link #versions}
     * @param ensemble three servers whose configurations have been written
     */
    public static OldData unpack(String version, Ensemble ensemble) throws IOException {
        return unpackFile("zookeeper-" + version, ensemble);
    }

    /**
     * As {@link #unpack}, but with data and acceptor logs of servers of this project, written by the release before the
     * hash of the prefix, proofs at links and directories that know their protocol. Made by {@link OldOrderMaker}.
     *
     * @param protocol what they ran
     * @param ensemble three servers whose configurations have been written
     */
    public static OldData unpackOrder(String protocol, Ensemble ensemble) throws IOException {
        return unpackFile("chainkeeper-" + protocol, ensemble);
    }

    private static OldData unpackFile(String name, Ensemble ensemble) throws IOException {
        List<String> expected = new ArrayList<>();
        List<String> session = new ArrayList<>();
        String resource = "/old-data/" + name + ".zip";
        try (InputStream file = OldData.class.getResourceAsStream(resource);
                ZipInputStream in = new ZipInputStream(file)) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                byte[] content = in.readAllBytes();
                String path = entry.getName();
                if (path.equals(EXPECTED)) {
                    new String(content, StandardCharsets.UTF_8).lines().forEach(expected::add);
                } else if (path.equals(SESSION)) {
                    new String(content, StandardCharsets.UTF_8).lines().forEach(session::add);
                } else {
                    int slash = path.indexOf('/');
                    int id = Integer.parseInt(path.substring("server-".length(), slash));
                    Path target = dataDirectory(ensemble, id).resolve(path.substring(slash + 1));
                    Files.createDirectories(target.getParent());
                    Files.write(target, content);
                }
            }
        }
        return new OldData(expected, session);
    }

    /** Returns where a server of the ensemble has its data. */
    public static Path dataDirectory(Ensemble ensemble, int id) {
        return ensemble.server(id).directory().resolve("data");
    }

    /** Returns the tree at the end, see {@link TreeDump#lines}. */
    public List<String> expected() {
        return expected;
    }

    /** Returns the id of the session that was open. */
    public long sessionId() {
        return sessionId;
    }

    /** Returns its password. */
    public byte[] password() {
        return password.clone();
    }

    /** Packs directories; the files' times are left out, so that the same content makes the same file. */
    static void pack(Path directory, Path zip) throws IOException {
        try (OutputStream file = Files.newOutputStream(zip);
                ZipOutputStream out = new ZipOutputStream(file);
                Stream<Path> found = Files.walk(directory)) {
            for (Path path : found.filter(Files::isRegularFile).sorted().toList()) {
                ZipEntry entry = new ZipEntry(directory.relativize(path).toString());
                entry.setTime(0);
                out.putNextEntry(entry);
                Files.copy(path, out);
                out.closeEntry();
            }
        }
    }
}
