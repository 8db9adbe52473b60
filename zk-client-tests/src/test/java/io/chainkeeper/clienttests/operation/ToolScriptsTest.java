package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.OldData;
import io.chainkeeper.clienttests.harness.Scripts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** ZooKeeper's tools for files of stopped servers: arguments, what they print, exit codes. */
public class ToolScriptsTest {
    private static final long LIMIT_SECONDS = 60;

    /** Of the client's number of the request, which is in every transaction's header. */
    private static final int FIRST_TRANSACTION_BYTE = 16 + Long.BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES - 1;

    private final Ensemble ensemble = Ensemble.named("tool-scripts").build();
    private Path data;
    private List<String> snapshots;
    private List<String> logs;

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(240);

    @Before
    public void unpack() throws Exception {
        ensemble.writeConfigurations();
        OldData.unpack("3.9.5", ensemble);
        data = OldData.dataDirectory(ensemble, 1).resolve("version-2");
        snapshots = names("snapshot.");
        logs = names("log.");
    }

    private List<String> names(String prefix) throws Exception {
        try (Stream<Path> files = Files.list(data)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(prefix))
                    .sorted()
                    .toList();
        }
    }

    private String last(List<String> names) {
        return data.resolve(names.get(names.size() - 1)).toString();
    }

    private Scripts.Result run(String script, String... arguments) throws Exception {
        return Scripts.run(LIMIT_SECONDS, ensemble.server(1).directory(), script, arguments);
    }

    private static void assertPrints(Scripts.Result result, int exitCode, String... words) {
        assertEquals(result.toString(), exitCode, result.exitCode());
        for (String word : words) {
            assertTrue(result.toString(), (result.output() + result.errors()).contains(word));
        }
    }

    @Test
    public void txnLogToolkit_printsTransactions() throws Exception {
        assertPrints(
                run("zkTxnLogToolkit.sh", "-d", last(logs)),
                0,
                "ZooKeeper Transactional Log File with dbid 0 txnlog format version 2",
                "create");
        assertPrints(run("zkTxnLogToolkit.sh", last(logs) + "0"), 1, "doesn't exist or not readable");
    }

    @Test
    public void txnLogToolkit_namesTheTransactionThatIsDamaged() throws Exception {
        Scripts.Result whole = run("zkTxnLogToolkit.sh", last(logs));
        List<String> transactions =
                whole.output().lines().filter(line -> line.contains(" zxid ")).toList();
        byte[] content = Files.readAllBytes(Path.of(last(logs)));
        // behind the file's header, a transaction is its checksum, its length, its bytes and an end
        content[FIRST_TRANSACTION_BYTE] ^= 1;
        Path damaged = ensemble.server(1).directory().resolve("log.damaged");
        Files.write(damaged, content);
        Scripts.Result found = run("zkTxnLogToolkit.sh", damaged.toString());
        List<String> wrong = found.output()
                .lines()
                .filter(line -> line.startsWith("CRC ERROR"))
                .toList();
        assertEquals(found.toString(), 1, wrong.size());
        String zxid = transactions.get(0).replaceAll(".* zxid (0x[0-9a-f]+) .*", "$1");
        assertTrue(wrong.get(0), wrong.get(0).contains(" zxid " + zxid + " "));
    }

    @Test
    public void snapShotToolkit_printsZnodesAndSessions() throws Exception {
        assertPrints(run("zkSnapShotToolkit.sh", last(snapshots)), 0, "ZNode Details", "/acl/mixed", "Session Details");
        assertPrints(run("zkSnapShotToolkit.sh"), 2, "USAGE: SnapshotFormatter");
    }

    @Test
    public void snapshotComparer_printsDifferences() throws Exception {
        String first = data.resolve(snapshots.get(1)).toString();
        assertPrints(
                run("zkSnapshotComparer.sh", "-l", first, "-r", last(snapshots), "-b", "0", "-n", "0"),
                0,
                "Successfully parsed options!",
                "All layers compared.");
        assertPrints(run("zkSnapshotComparer.sh"), 2, "usage: java -cp <classPath>");
    }

    @Test
    public void snapshotRecursiveSummary_printsCounts() throws Exception {
        assertPrints(
                run("zkSnapshotRecursiveSummaryToolkit.sh", last(snapshots), "/app", "1"), 0, "/app", "children: ");
        assertPrints(run("zkSnapshotRecursiveSummaryToolkit.sh"), 2, "USAGE:");
    }

    @Test
    public void cleanup_keepsTheNewestSnapshotsAndTheirLogs() throws Exception {
        ProcessBuilder builder = Scripts.command(ensemble.server(1).directory(), "zkCleanup.sh", "-n", "3");
        builder.environment().put("ZOOCFGDIR", ensemble.server(1).directory().toString());
        Path output = ensemble.server(1).directory().resolve("cleanup.out");
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertEquals(Files.readString(output), 0, process.waitFor());
        assertEquals(snapshots.subList(snapshots.size() - 3, snapshots.size()), names("snapshot."));
        assertFalse(names("log.").contains(logs.get(0)));
        assertTrue(names("log.").contains(logs.get(logs.size() - 1)));
        assertPrints(run("zkCleanup.sh"), 1, "dataDir");
    }
}
