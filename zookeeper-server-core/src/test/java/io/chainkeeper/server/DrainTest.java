package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.OrderingStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What may be wrong with the files by which {@code zkServer.sh drain} speaks with the server ends no server. */
public class DrainTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private Path request;
    private Path answer;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 1).startAll();
        request = ensemble.orderingDirectory(1).resolve("drain");
        answer = ensemble.orderingDirectory(1).resolve("drain-answer");
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void ask() throws IOException {
        Files.move(Files.writeString(folder.newFile().toPath(), "1\n"), request);
    }

    /** Nobody else is there. */
    private void assertGoesOnAndRefuses() throws Exception {
        ask();
        TestEnsemble.await("refused", () -> read(answer).startsWith("refused: this server is the only member"));
        ensemble.client(1).create("/still", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    /** A directory is what nobody can read, root neither. */
    @Test
    public void requestCannotBeRead_isRefusedAndTakenAway() throws Exception {
        Files.createDirectory(request);
        TestEnsemble.await("an answer", () -> !read(answer).isEmpty());
        assertTrue(read(answer), read(answer).startsWith("refused: " + request + " cannot be read and deleted: "));
        assertTrue(read(answer), read(answer).endsWith("; run zkServer.sh drain as the user of the server\n"));
        assertTrue(Files.notExists(request));
        assertGoesOnAndRefuses();
    }

    @Test
    public void requestCannotBeTakenAway_isRefusedAndHasNoEffect() throws Exception {
        Path inside = Files.createDirectory(folder.getRoot().toPath().resolve("full"));
        Files.createFile(inside.resolve("file"));
        Files.move(inside, request);
        TestEnsemble.await("an answer", () -> !read(answer).isEmpty());
        ensemble.stop(1);
        ensemble.start(1);
        ensemble.awaitServing(1);
        assertTrue(Files.exists(request.resolve("file")));
        Files.move(request, inside);
        assertGoesOnAndRefuses();
    }

    @Test
    public void refusalCannotBeWritten_serverGoesOn() throws Exception {
        Files.createDirectories(answer.resolve("file"));
        Files.writeString(request, "1\n");
        TestEnsemble.await("the request is taken", () -> Files.notExists(request));
        Files.writeString(request, "1\n");
        TestEnsemble.await("another one is taken", () -> Files.notExists(request));
    }

    @Test
    public void successCannotBeWritten_serverEndsAllTheSame() throws Exception {
        ensemble.close();
        ensemble = new TestEnsemble(folder.newFolder("three").toPath(), 3).startAll();
        answer = ensemble.orderingDirectory(1).resolve("drain-answer");
        Files.createDirectories(answer.resolve("file"));
        Files.writeString(ensemble.orderingDirectory(1).resolve("drain"), "1\n");
        assertEquals(0, TestEnsemble.awaitShutdown("drain", ensemble.replica(1)));
    }

    /** The server has started, which {@code zkServer.sh start} says, and its AdminServer has not. */
    @Test
    public void requestSoonAfterTheStart_isAnswered() throws Exception {
        ensemble.stop(1);
        ensemble.order().elect(OrderingStatus.NO_LEADER);
        ensemble.startClientsFirst(1);
        ask();
        TestEnsemble.await("refused", () -> read(answer).startsWith("refused: this server is the only member"));
    }

    @Test
    public void requestBeforeTheStart_isRefusedAndTakenAway() throws Exception {
        ensemble.stop(1);
        ask();
        ensemble.start(1);
        TestEnsemble.await(
                "refused",
                () -> read(answer).equals("refused: it was asked before the server had started;" + " ask again\n"));
        assertTrue(Files.notExists(request));
        assertGoesOnAndRefuses();
    }
}
