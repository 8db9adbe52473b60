package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.config.StartupConfig;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What is said of a start that fails behind the checks of its zoo.cfg. */
public class StartFailureTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    /** As where another user has put a file there, while a copy was brought back for instance. */
    @Test
    public void fileOfTheOrderMayNotBeRead_refusalSaysSo() throws Exception {
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        Files.delete(files.dataDirectory.resolve("version-2/snapshot.0"));
        StartupConfig config = new OrderingConfigParser(List.of(new NamedProtocol("chain")))
                .parse(files.zooCfg)
                .orElseThrow();
        ChainkeeperServer server =
                new ChainkeeperServer(config.peerConfig(), config.ordering(), (application, offer, failures) -> {
                    throw new AccessDeniedException("/data/ordering/0000000001.log");
                });
        IOException refused = assertThrows(IOException.class, server::start);
        assertEquals(
                "/data/ordering/0000000001.log: permission denied; give this user access, or run this as the user who"
                        + " has it",
                refused.getMessage());
    }
}
