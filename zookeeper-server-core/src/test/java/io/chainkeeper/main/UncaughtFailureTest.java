package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What nobody has expected, thrown in a thread of a server that runs. */
public class UncaughtFailureTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    /** Runs a server, and fails in a thread once its client port is open. */
    public static void main(String[] args) {
        Thread failing = new Thread(
                () -> {
                    awaitOpen(Integer.parseInt(args[1]));
                    throw new AssertionError("nobody\nexpected this");
                },
                "a-thread-of-the-server");
        failing.setDaemon(true);
        failing.start();
        ChainkeeperMain.main(new String[] {args[0]});
    }

    private static void awaitOpen(int port) {
        while (true) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                if (socket.isConnected()) {
                    return;
                }
            } catch (IOException notYet) {
                Thread.onSpinWait();
            }
        }
    }

    @Test(timeout = 120_000)
    public void errorInAThread_serverStopsWithALineThatSaysWhichAndWhy() throws Exception {
        DiskFiles disks = new DiskFiles(folder.getRoot().toPath());
        disks.list(disks.disks, "disk.regionBytes=" + (64 << 20));
        assertEquals(disks.err(), 0, disks.run("format", "--yes"));
        ServerFiles files = disks.server;
        Files.delete(files.dataDirectory.resolve("version-2/snapshot.0"));
        Process server = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dzookeeper.admin.enableServer=false",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        UncaughtFailureTest.class.getName(),
                        files.zooCfg.toString(),
                        String.valueOf(files.ports.get(0))))
                .redirectErrorStream(true)
                .redirectOutput(folder.getRoot().toPath().resolve("out").toFile())
                .start();
        try {
            boolean ended = server.waitFor(90, TimeUnit.SECONDS);
            String printed = Files.readString(folder.getRoot().toPath().resolve("out"), StandardCharsets.UTF_8);
            assertTrue(printed, ended);
            assertEquals(printed, 1, server.exitValue());
            assertTrue(
                    printed,
                    printed.contains("Thread a-thread-of-the-server failed, so this server stops:"
                            + " java.lang.AssertionError: nobody expected this\n"));
        } finally {
            server.destroyForcibly();
        }
    }
}
