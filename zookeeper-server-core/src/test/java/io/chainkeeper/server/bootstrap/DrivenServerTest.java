package io.chainkeeper.server.bootstrap;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.AccessRules;
import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.storage.CheckpointSchedule.Intervals;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.CreateRequest;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Servers that one caller drives recover, take snapshots and fetch states as those of production do. */
public class DrivenServerTest {
    private static final int PROPOSER = 9;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final StepScheduler time = new StepScheduler();
    private final SteppedOrder order = new SteppedOrder();
    private final Map<Integer, StepScheduler.OfProcess> processes = new TreeMap<>();
    private final Map<Integer, DrivenServer> servers = new TreeMap<>();
    private Intervals intervals = DrivenServers.NEVER;
    private int writes;

    @Before
    public void startAll() throws IOException {
        for (int id = 1; id <= 3; id++) {
            start(id);
        }
        awaitExecuted();
        time.until(
                "the cluster is formed",
                10,
                () -> servers.values().stream()
                        .allMatch(server -> server.replicatedState().clusterId() != null));
    }

    private void start(int id) throws IOException {
        StepScheduler.OfProcess process = time.new OfProcess(id + 10L * servers.size());
        processes.put(id, process);
        Path data = folder.getRoot().toPath().resolve("server" + id);
        Process surroundings = new Process();
        DrivenServer server = DrivenServers.of(
                id, 3, data, intervals, process, surroundings, order.factory(id, process), (message, cause) -> {
                    throw new AssertionError(message, cause);
                });
        servers.put(id, server);
        surroundings.server = server;
        surroundings.start();
    }

    private void crash(int id) {
        processes.get(id).crash();
        order.crash(id);
        servers.remove(id);
    }

    private void write(int count) {
        write(count, 100);
    }

    private void write(int count, int dataBytes) {
        for (int i = 0; i < count; i++) {
            writes++;
            CreateRequest create = new CreateRequest("/n" + writes, new byte[dataBytes], Ids.OPEN_ACL_UNSAFE, 0);
            Command request = new Command.ClientRequest(
                    writes,
                    PROPOSER,
                    writes,
                    OpCode.create,
                    List.of(),
                    bytes(create),
                    Command.ClientRequest.QUOTA_KEPT,
                    true,
                    0,
                    AccessRules.ALL_LISTS_HOLD);
            order.append(new ProposedCommand(PROPOSER, 1, 0, writes, CommandCodec.encode(request)));
        }
        awaitExecuted();
    }

    private static ByteSlice bytes(CreateRequest request) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            request.serialize(BinaryOutputArchive.getArchive(bytes), "request");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteSlice.of(bytes.toByteArray());
    }

    private long executed(DrivenServer server) {
        return server.application().position();
    }

    private void awaitExecuted() {
        time.until(
                "everything is executed",
                60,
                () -> servers.values().stream().allMatch(server -> executed(server) == order.lastPosition()));
    }

    private void assertEqualStates() {
        awaitExecuted();
        for (DrivenServer server : servers.values()) {
            assertEquals(digest(servers.get(1)), digest(server));
            assertEquals(
                    servers.get(1).replicatedState().encode(),
                    server.replicatedState().encode());
            assertTrue(server.treeIsOfThisPosition());
        }
    }

    private static long digest(DrivenServer server) {
        return server.server().getZKDatabase().getDataTree().getTreeDigest();
    }

    private Path dataFiles(int id) {
        return folder.getRoot().toPath().resolve("server" + id).resolve(DataDirectories.VERSION_DIRECTORY);
    }

    private void snapshot(int id) {
        CompletableFuture<Path> taken = servers.get(id).takeSnapshot();
        assertFalse("it is taken in pieces", taken.isDone());
        time.until("a snapshot", 1, taken::isDone);
        assertTrue(Files.exists(taken.join()));
    }

    @Test
    public void crashedBehindASnapshot_recoversItAndTheTransactionsBehindIt() throws Exception {
        write(20);
        snapshot(2);
        write(20);
        crash(2);
        write(5);
        start(2);
        long recovered = servers.get(2).server().getZKDatabase().getDataTreeLastProcessedZxid();
        assertTrue("from its own files: " + recovered, recovered >= 40);
        assertEqualStates();
    }

    /** Otherwise the next start would take what was written later for transactions of somebody else. */
    @Test
    public void stoppedWhileALargeWriteIsUnderWay_markerSaysWhereTheLogEnds() throws Exception {
        write(1);
        write(1, 300_000);
        long executedZxid = servers.get(2).server().getZKDatabase().getDataTreeLastProcessedZxid();
        servers.get(2).close();
        Path ordering = folder.getRoot().toPath().resolve("server2").resolve("ordering");
        assertEquals(executedZxid, StopMarker.stopped(ordering).orElseThrow().zxid());
        crash(2);
        start(2);
        write(5);
        assertEqualStates();
    }

    @Test
    public void crashedWhileALargeWriteIsUnderWay_orderBringsItBack() throws Exception {
        write(3, 300_000);
        crash(2);
        start(2);
        write(5);
        assertEqualStates();
    }

    @Test
    public void crashedAtEachPieceOfASnapshot_recovers() throws Exception {
        for (int pieces = 1; pieces <= 7; pieces++) {
            write(3);
            servers.get(3).takeSnapshot();
            for (int piece = 0; piece < pieces; piece++) {
                time.step();
            }
            crash(3);
            write(2);
            start(3);
            assertEqualStates();
        }
    }

    @Test
    public void snapshotsAndCheckpointsAreDueInSmallIntervals_oldOnesAreDeleted() throws Exception {
        crash(3);
        intervals = new Intervals(10, 0, 500);
        start(3);
        for (int i = 0; i < 20; i++) {
            write(5);
        }
        assertTrue(DataFiles.snapshots(dataFiles(3)).size() <= 3);
        assertTrue(DataFiles.logs(dataFiles(3), 0).size() < 20);
        crash(3);
        start(3);
        assertEqualStates();
    }

    @Test
    public void orderHasForgottenWhatAServerLacks_itInstallsTheStateOfAnother() throws Exception {
        write(20);
        crash(3);
        write(30);
        snapshot(1);
        order.truncate();
        order.callsBeforeBreak = 6;
        start(3);
        DrivenServer behind = servers.get(3);
        OrderedZooKeeperServer before = behind.server();
        awaitExecuted();
        assertTrue("a new start inside", behind.server() != before);
        assertTrue("in small parts, and again after a break: " + order.calls, order.calls > 12);
        assertTrue(Files.exists(
                folder.getRoot().toPath().resolve("server3").resolve("ordering").resolve("installed")));
        write(5);
        assertEqualStates();
    }

    @Test
    public void crashedDuringAStateTransfer_goesOnWithIt() throws Exception {
        write(20);
        crash(3);
        write(60);
        snapshot(1);
        order.truncate();
        start(3);
        time.until("the transfer", 60, () -> order.calls == 10);
        crash(3);
        start(3);
        write(5);
        assertEqualStates();
    }

    /** It may have been on its way to let them in, and its order may take long to end. */
    @Test
    public void stopsAtEachPieceOfItsWayToServeClients_letsNobodyInAnyMore() throws Exception {
        for (int pieces = 0; pieces <= 60; pieces++) {
            OrderedZooKeeperServer stopping = servers.get(2).server();
            time.until("clients are served", 10, stopping::isServing);
            stopping.setServing(false);
            for (int piece = 0; piece < pieces; piece++) {
                time.step();
            }
            servers.get(2).close();
            assertNotServing(stopping, 1);
            crash(2);
            start(2);
        }
    }

    /** Somebody else leads, and the order goes on: nothing but its departure keeps clients out. */
    @Test
    public void departs_letsNobodyInAnyMore() {
        OrderedZooKeeperServer leaving = servers.get(2).server();
        time.until("clients are served", 10, leaving::isServing);
        leaving.drain();
        assertTrue("those that are there stay", leaving.isServing());
        leaving.setServing(false);
        assertNotServing(leaving, 1);
    }

    private void assertNotServing(OrderedZooKeeperServer server, long seconds) {
        long end = time.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        time.until("time passes", 2 * seconds, () -> {
            assertFalse("serves clients again", server.isServing());
            return time.nanoTime() >= end;
        });
    }

    /** Without clients; starts again whenever the server asks for it. */
    private static final class Process implements DrivenServer.Surroundings {
        private DrivenServer server;

        private void start() throws IOException {
            server.recover();
            server.open();
        }

        @Override
        public void serverStarts(OrderedZooKeeperServer started) {}

        @Override
        public void lifeEnded() {
            try {
                start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void answerLeavesLater(long nanos) {}
    }
}
