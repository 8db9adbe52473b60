package io.chainkeeper.main;

import static org.junit.Assume.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A right zoo.cfg on a machine that cannot run it. */
public class UnusableMachineTest {
    /** The kernel refuses writes to this directory whoever asks, which permission bits do not do for root. */
    private static final Path READ_ONLY = Path.of("/proc/sys/kernel");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private ServerFiles files;

    @Before
    public void createFiles() throws IOException {
        files = new ServerFiles(folder.getRoot().toPath());
    }

    @Test
    public void clientPortTaken_oneLineAndNothingModified() throws IOException {
        try (ServerSocket taken = listen(files.ports.get(0))) {
            BadInputTest.assertRefused(
                    files, 1, "zoo.cfg:7: clientPort=" + taken.getLocalPort(), "cannot listen on 127.0.0.1:");
        }
    }

    @Test
    public void linkPortTaken_oneLineAndNothingModified() throws IOException {
        try (ServerSocket taken = listen(files.ports.get(1))) {
            BadInputTest.assertRefused(
                    files, 1, "zoo.cfg:8: server.1=127.0.0.1:" + taken.getLocalPort(), "stop the process");
        }
    }

    @Test
    public void logDirectoryReadOnly_oneLineAndNothingModified() throws IOException {
        assumeTrue(Files.isDirectory(READ_ONLY));
        files.addLine("dataLogDir=" + READ_ONLY);
        BadInputTest.assertRefused(files, 3, "dataLogDir=" + READ_ONLY, "cannot be written", "change dataLogDir");
    }

    private static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"));
    }
}
