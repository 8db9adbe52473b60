package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.Scripts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Test;

/** The unpacked archive in a read-only directory that belongs to another user. */
public class ReadOnlyInstallationTest extends UnpackedArchive {
    private static final long DEMO_LIMIT_SECONDS = 240;
    private static final Duration READY_LIMIT = Duration.ofSeconds(60);

    /** What a JVM returns that a signal has ended. */
    private static final int TERMINATED = 143;

    /** Writes what comes in through a datagram socket to a file: the end of systemd. */
    private static final String LISTENER = "use Socket; socket(S, PF_UNIX, SOCK_DGRAM, 0) or die;"
            + " bind(S, sockaddr_un($ARGV[0])) or die; chmod 0777, $ARGV[0];"
            + " while (defined(recv(S, my $m, 4096, 0))) { open(F, '>>', $ARGV[1]); print F $m, qq(\n); close(F) }";

    private List<Path> before;

    @Before
    public void takeAwayTheRightToWrite() throws Exception {
        ReleaseArchive.run(root, "chmod", "-R", "a-w", ".");
        before = installed();
    }

    @After
    public void giveBackTheRightToWrite() throws Exception {
        ReleaseArchive.run(root, "chmod", "-R", "u+w", ".");
    }

    private ProcessBuilder asStranger(String script, String... arguments) throws Exception {
        ProcessBuilder command = Scripts.commandOf(root, own, script, arguments);
        ReleaseArchive.asStranger(command, own);
        // the output is collected by this test's user
        return command.directory(folder.getRoot());
    }

    @Test
    public void demo_showsEverythingAndWritesNothingThere() throws Exception {
        Scripts.Result result = Scripts.run(
                DEMO_LIMIT_SECONDS, asStranger("zkEnsemble.sh", "demo", "--protocol", Ensemble.defaultProtocol()));
        assertSays("Every step succeeded", result);
        assertEquals(result.toString(), "", result.errors());
        assertEquals(before, installed());
    }

    @Test
    public void start_makesNoClassArchive() throws Exception {
        assertSays(
                "STARTED",
                Scripts.run(LIMIT_SECONDS, asStranger("zkServer.sh", "--config", config.toString(), "start")));
        assertFalse(hasMappedArchive());
        assertEquals(before, installed());
    }

    /** What the unit of the Debian package does. */
    @Test
    public void underSystemd_isReadyWhenItServes() throws Exception {
        Assume.assumeTrue("there is no systemd-notify here", ReleaseArchive.hasCommand("systemd-notify"));
        Assume.assumeTrue("there is no perl here", ReleaseArchive.hasCommand("perl"));
        Path socket = own.resolve("notify");
        Path received = Files.createFile(folder.getRoot().toPath().resolve("received"));
        Process listener = new ProcessBuilder("perl", "-e", LISTENER, socket.toString(), received.toString()).start();
        Process server = null;
        try {
            Await.until("listener", READY_LIMIT, () -> Files.exists(socket));
            ProcessBuilder foreground = asStranger("zkServer.sh", "--config", config.toString(), "start-foreground");
            foreground.environment().put("NOTIFY_SOCKET", socket.toString());
            server = foreground
                    .redirectErrorStream(true)
                    .redirectOutput(folder.newFile("output"))
                    .start();
            Process started = server;
            Await.until(
                    "READY=1", READY_LIMIT, () -> Files.readString(received).contains("READY=1") || !started.isAlive());
            Path output = folder.getRoot().toPath().resolve("output");
            assertEquals(Files.readString(output), true, server.isAlive());
            assertSays("Mode: leader", server("status"));
            server.destroy();
            server.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertEquals(TERMINATED, server.exitValue());
        } finally {
            listener.destroyForcibly().waitFor();
            if (server != null) {
                server.destroyForcibly().waitFor();
            }
        }
    }
}
