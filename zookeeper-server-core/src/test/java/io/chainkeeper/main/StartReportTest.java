package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.Assume;
import org.junit.Test;

/** How a start is reported where the disk of the report is full, as that of the logs may be. */
public class StartReportTest extends DistributionScripts {
    @Test
    public void reportThatCannotBeWritten_isDeleted() throws Exception {
        Path full = Path.of("/dev/full");
        Assume.assumeTrue("there is no /dev/full here", Files.exists(full));
        Path report = Files.createSymbolicLink(folder.getRoot().toPath().resolve("report"), full);
        new StartReport(report.toString()).write(StartReport.STARTED);
        assertFalse(Files.exists(report, LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    public void reportThatNobodyWaitsFor_isNotMade() throws Exception {
        Path report = folder.getRoot().toPath().resolve("report");
        new StartReport(report.toString()).write(StartReport.STARTED);
        assertFalse(Files.exists(report));
        Files.createFile(report);
        new StartReport(report.toString()).write(StartReport.STARTED);
        assertEquals("started\n", Files.readString(report));
    }

    /** Else systemd would end a server that serves, when its time to start is over. */
    @Test
    public void reportIsDeleted_systemdIsToldWhenThePortAnswers() throws Exception {
        Path told = folder.getRoot().toPath().resolve("told");
        Path notify = folder.newFolder("commands").toPath().resolve("systemd-notify");
        Files.writeString(notify, "#!/bin/sh\necho \"$1\" >\"" + told + "\"\n");
        assertTrue(notify.toFile().setExecutable(true));
        environment.put("PATH", notify.getParent() + ":" + System.getenv("PATH"));
        environment.put("NOTIFY_SOCKET", "/nowhere");
        environment.put("STAND_IN_DELETES_REPORT", "true");
        try (ServerSocket port = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Files.writeString(
                    conf.resolve("zoo.cfg"),
                    "dataDir=" + data + "\nsecureClientPortAddress=127.0.0.1\nsecureClientPort=" + port.getLocalPort()
                            + "\n");
            Process server = start("zkServer.sh", "start-foreground");
            try {
                awaitReady();
                long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                while (!Files.exists(told) || Files.size(told) == 0) {
                    assertTrue("systemd is not told", System.nanoTime() < deadlineNanos);
                    TimeUnit.MILLISECONDS.sleep(10);
                }
                assertEquals("--ready\n", Files.readString(told));
            } finally {
                server.destroy();
                assertTrue(server.waitFor(60, TimeUnit.SECONDS));
            }
        }
    }
}
