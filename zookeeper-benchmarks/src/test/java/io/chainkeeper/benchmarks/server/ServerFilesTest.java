package io.chainkeeper.benchmarks.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.benchmarks.host.Cleanup;
import io.chainkeeper.benchmarks.host.FreePorts;
import io.chainkeeper.benchmarks.host.WorkDirectory;
import io.chainkeeper.benchmarks.server.ZooCfg.Ports;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What servers are started with, and that nothing of it stays. */
public final class ServerFilesTest {
    private static final List<Ports> PORTS =
            List.of(new Ports("127.0.0.1", 1, 2, 3), new Ports("127.0.0.1", 4, 5, 6), new Ports("127.0.0.1", 7, 8, 9));

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static List<String> config(String protocol, boolean linearizable, Map<String, String> extra) {
        return ZooCfg.text(protocol, linearizable, Path.of("/data"), 1, PORTS, extra)
                .lines()
                .toList();
    }

    @Test
    public void twoProtocols_configurationsDifferOnlyInWhatChoosesThem() {
        List<String> chain = new ArrayList<>(config("chain", true, Map.of()));
        List<String> zab = new ArrayList<>(config("zab", true, Map.of()));
        assertTrue(
                chain.removeAll(List.of("ordering.protocol=chain", "ordering.durability=sync", "reads=linearizable")));
        assertTrue(zab.remove("ordering.protocol=zab"));
        assertEquals(zab, chain);
        assertTrue(zab.containsAll(List.of("clientPort=4", "server.3=127.0.0.1:8:9", "dataDir=/data")));
    }

    @Test
    public void disks_areListedWhereServersShareThem() {
        Map<String, String> disks = new SharedDisks(3, List.of()).lines(Path.of("/run"));
        assertTrue(config("disk", true, disks).contains("disk.paths=/run/disk1,/run/disk2,/run/disk3"));
        assertEquals(config("chain", true, Map.of()), config("chain", true, disks));
    }

    @Test
    public void chainAndIss_differInOneLine() {
        List<String> chain = new ArrayList<>(config("chain", true, Map.of()));
        List<String> iss = new ArrayList<>(config("iss", true, Map.of()));
        assertTrue(chain.remove("ordering.protocol=chain"));
        assertTrue(iss.remove("ordering.protocol=iss"));
        assertEquals(chain, iss);
    }

    @Test
    public void sequentialReadsAndFurtherKeys_areWritten() {
        List<String> lines = config("chain", false, Map.of("tickTime", "50", "snapCount", "7"));
        assertTrue(lines.containsAll(List.of("reads=sequential", "tickTime=50", "snapCount=7")));
        assertFalse(lines.contains("tickTime=2000"));
    }

    @Test
    public void quotaBelowACore_oneProcessorUnlessUserSaysOtherwise() {
        assertEquals(
                List.of("-XX:ActiveProcessorCount=1", "-Xint"),
                ServerCommand.withProcessorCount(ServerCommand.processors(0.2), List.of("-Xint")));
        assertEquals(
                List.of("-XX:ActiveProcessorCount=2"),
                ServerCommand.withProcessorCount(ServerCommand.processors(1.5), List.of()));
        assertEquals(List.of(), ServerCommand.withProcessorCount(ServerCommand.processors(0), List.of()));
    }

    @Test
    public void classPath_hasTheJarsByNameAndLoggingBehindThem() throws Exception {
        Path lib = folder.newFolder("lib").toPath();
        for (String name : List.of("b-2.jar", "a.jar", "b-10.jar", "B.jar", "README")) {
            Files.createFile(lib.resolve(name));
        }
        String expected = Stream.of("B.jar", "a.jar", "b-10.jar", "b-2.jar")
                .map(name -> lib.resolve(name) + ":")
                .collect(Collectors.joining());
        assertEquals(expected + "/conf", ServerCommand.classPath(lib, Path.of("/conf")));
    }

    @Test
    public void classArchive_isUsedIfTheBuildHasMadeOne() throws Exception {
        Path lib = folder.newFolder("lib").toPath();
        assertEquals(List.of(), ServerCommand.archiveOptions(lib));
        Path archive = folder.newFile("classes.jsa").toPath();
        assertTrue(ServerCommand.archiveOptions(lib).contains("-XX:SharedArchiveFile=" + archive));
    }

    @Test
    public void freePorts_neverTheSameTwice() throws Exception {
        FreePorts ports = new FreePorts();
        List<Integer> given = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            int port = ports.next();
            assertFalse(given.contains(port));
            given.add(port);
        }
    }

    @Test
    public void workDirectoryIsClosed_nothingStaysUnlessKept() throws Exception {
        Path parent = folder.getRoot().toPath();
        WorkDirectory gone = WorkDirectory.create(parent, false);
        WorkDirectory kept = WorkDirectory.create(parent, true);
        for (WorkDirectory directory : List.of(gone, kept)) {
            Files.createDirectories(directory.path().resolve("a/b"));
            Files.writeString(directory.path().resolve("a/b/file"), "text");
            directory.close();
        }
        assertFalse(Files.exists(gone.path()));
        assertTrue(Files.exists(kept.path().resolve("a/b/file")));
    }

    @Test
    public void oneResourceCannotBeClosed_othersAreAndItIsNamed() throws Exception {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> closed = new ArrayList<>();
        Cleanup cleanup = new Cleanup(new PrintStream(err, true, StandardCharsets.UTF_8));
        cleanup.open(() -> () -> closed.add("first"));
        cleanup.open(() -> () -> {
            throw new IllegalStateException("stuck");
        });
        AutoCloseable early = cleanup.open(() -> () -> closed.add("early"));
        cleanup.open(() -> () -> closed.add("last"));
        cleanup.closeNow(early);
        cleanup.close();
        cleanup.close();
        assertEquals(List.of("early", "last", "first"), closed);
        assertTrue(err.toString(StandardCharsets.UTF_8).contains("stuck"));
        assertThrows(IllegalStateException.class, () -> cleanup.open(() -> () -> closed.add("too late")));
    }
}
