package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.NewClusterRequest;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.CheckpointStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What the user is told, and what is written. */
public class ForceNewClusterTest {
    private static final UUID CLUSTER = new UUID(3, 4);

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private ServerFiles files;
    private Path ordering;

    @Before
    public void writeFiles() throws IOException {
        files = new ServerFiles(folder.getRoot().toPath());
        ordering = files.dataDirectory.resolve("ordering");
    }

    private AcceptorLog openLog() throws IOException {
        return AcceptorLogs.open(ordering, LogStore.SEGMENTED, Durability.SYNC, AcceptorLogSettings.defaults());
    }

    private void writeData() throws IOException {
        new ClusterIdentity(1, CLUSTER, "chain").write(ordering);
        try (AcceptorLog log = openLog()) {
            log.append(new LogRecord(1, 1, ByteSlice.EMPTY, ByteSlice.EMPTY));
            log.sync();
        }
    }

    private int run(String... args) {
        out.reset();
        err.reset();
        return new ForceNewCluster(
                        List.of(new NamedProtocol("chain")),
                        Clock.fixed(Instant.ofEpochSecond(5), ZoneOffset.UTC),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8))
                .run(args);
    }

    private void assertPrinted(ByteArrayOutputStream stream, String... expected) {
        String text = stream.toString(StandardCharsets.UTF_8);
        for (String part : expected) {
            assertTrue(text, text.contains(part));
        }
    }

    @Test
    public void withoutConsent_isExplainedAndNotDone() throws Exception {
        writeData();
        assertEquals(1, run(files.zooCfg.toString()));
        assertPrinted(
                out,
                "Server 1 of cluster " + CLUSTER,
                "accepted up to position 1 of the order",
                "every write that only server.2, server.3 held",
                "Nothing has been changed");
        assertNull(NewClusterRequest.read(ordering));
    }

    /** As a server leaves it that has fetched a state, or was restored from a backup, when nobody has written since. */
    @Test
    public void snapshotWithoutTransactionsBehindIt_countsAsExecuted() throws Exception {
        writeData();
        ByteSlice state = ReplicatedState.initial(0x1c2f3).encode();
        new CheckpointStore(ordering.resolve(CheckpointStore.DIRECTORY))
                .write(new Checkpoint(7, 0x1c2f3, 0x1c2f3, 0x1c2f3, new ProposerTable().encode(), state));
        assertEquals(1, run(files.zooCfg.toString()));
        assertPrinted(out, "accepted up to position 7 of the order, executed at least up to zxid 0x1c2f3.");
    }

    @Test
    public void withConsent_isWrittenOnce() throws Exception {
        writeData();
        assertEquals(0, run("--yes", files.zooCfg.toString()));
        NewClusterRequest request = NewClusterRequest.read(ordering);
        assertEquals(1, request.replicaId());
        assertEquals(Instant.ofEpochSecond(5), request.requestedAt());
        assertPrinted(out, "new cluster " + request.clusterId(), "Done");
        assertEquals(0, run(files.zooCfg.toString(), "--yes"));
        assertPrinted(out, "asked for at 1970-01-01T00:00:05Z already");
        assertEquals(request, NewClusterRequest.read(ordering));
        assertEquals(new ClusterIdentity(1, CLUSTER, "chain"), ClusterIdentity.read(ordering));
    }

    @Test
    public void serverRuns_isRefused() throws Exception {
        writeData();
        AcceptorLog running = openLog();
        try {
            assertEquals(1, run("--yes", files.zooCfg.toString()));
            assertPrinted(err, "is in use: another server is running on it");
            assertNull(NewClusterRequest.read(ordering));
        } finally {
            running.close();
        }
    }

    @Test
    public void directoryWithoutData_isRefused() throws Exception {
        assertEquals(1, run("--yes", files.zooCfg.toString()));
        assertPrinted(err, ordering + " holds no data of a cluster");
        assertNull(NewClusterRequest.read(ordering));
    }

    @Test
    public void wrongArguments_areRefused() throws Exception {
        assertEquals(2, run());
        assertPrinted(err, "Usage:");
        assertEquals(2, run("--force", files.zooCfg.toString()));
        assertEquals(2, run("--yes", files.root.resolve("none.cfg").toString()));
        assertPrinted(err, "none.cfg does not exist");
        files.replaceLine("server.2", null);
        files.addLine("ordering.durability=memory");
        assertEquals(2, run("--yes", files.zooCfg.toString()));
    }
}
