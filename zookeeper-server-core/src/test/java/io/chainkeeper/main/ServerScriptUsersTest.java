package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.TestEnsemble;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.Test;

/** zkServer.sh where another user than the server's runs it. */
public class ServerScriptUsersTest extends DistributionScripts {
    @Test
    public void requestToDrain_canBeReadWhateverTheUmask() throws Exception {
        launcher = List.of("bash", "-c", "umask 077; exec \"$@\"", "bash");
        Path ordering = Files.createDirectory(data.resolve("ordering"));
        FutureTask<Result> drain = new FutureTask<>(() -> run("drain"));
        new Thread(drain, "drain").start();
        Path request = ordering.resolve("drain");
        TestEnsemble.await("the request", () -> Files.exists(request));
        assertEquals("rw-r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(request)));
        Files.writeString(ordering.resolve("drain-answer"), "refused: because\n");
        assertEnd(drain.get(), 1, "Draining zookeeper ... NOT DRAINED\n");
        assertTrue(drain.get().err(), drain.get().err().endsWith("\nError: because\n"));
    }

    @Test
    public void otherRequests_canBeReadWhateverTheUmask() throws Exception {
        launcher = List.of("bash", "-c", "umask 077; exec \"$@\"", "bash");
        assertEnd(run("feature-level", "2"), 0, "0022\n");
        assertEnd(run("force-new-cluster", "--yes"), 0, "0022\n");
    }
}
