package io.chainkeeper.clienttests.access;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.AdminClient;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.NamespaceNetwork;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Servers whose links anybody may claim say so once, where somebody can come from elsewhere. */
public class UnauthenticatedLinksTest {
    private static final int SERVERS = 3;
    private static final int ALL_LINES = 100_000;
    private static final String WARNING = "Links between servers are not authenticated: whoever reaches ";

    @Rule
    public final Timeout limit = Timeout.seconds(240);

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static Ensemble.Builder builder(String name) {
        return Ensemble.named("unauthenticated-links-" + name)
                .set("admin.enableServer", "true")
                .port(AdminClient.PORT);
    }

    private static NamespaceNetwork network() throws Exception {
        Assume.assumeFalse(
                "Apache ZooKeeper says nothing of it",
                Ensemble.defaultProtocol().equals("zab"));
        NamespaceNetwork network = new NamespaceNetwork(SERVERS);
        boolean builtUp = network.tryBuildUp();
        if (!builtUp) {
            System.out.println("UnauthenticatedLinksTest is skipped: this user may not make network namespaces");
        }
        Assume.assumeTrue("this user may not make network namespaces", builtUp);
        return network;
    }

    private static List<String> warnings(ServerProcess server) throws Exception {
        return server.lastLogLines(ALL_LINES).stream()
                .filter(line -> line.contains(WARNING))
                .toList();
    }

    private static void assertSaid(String links, int warnings, Ensemble ensemble) throws Exception {
        ensemble.start();
        for (ServerProcess server : ensemble.servers()) {
            String shown = AdminClient.json(AdminClient.address(server, "/status.json"))
                    .path("links")
                    .asText();
            assertEquals("/status of server " + server.id(), links, shown);
            List<String> said = warnings(server);
            assertEquals(said.toString(), warnings, said.size());
            for (String line : said) {
                assertTrue(line, line.contains(server.clientHost()));
                assertTrue(line, line.contains("Set ordering.secretFile on all servers (docs/access.md)"));
            }
        }
    }

    @Test
    public void reachableFromElsewhere_isWarnedAboutOnceAtEachStart() throws Exception {
        try (Ensemble ensemble = builder("open").network(network()).build()) {
            assertSaid("unauthenticated", 1, ensemble);
            ServerProcess again = ensemble.server(2);
            again.terminate();
            again.start();
            again.awaitServing();
            assertEquals(2, warnings(again).size());
        }
    }

    @Test
    public void withASharedSecret_nothingIsWarnedAbout() throws Exception {
        Path secret = folder.newFile("link.secret").toPath();
        Files.writeString(secret, "0123456789abcdef0123456789abcdef\n");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        try (Ensemble ensemble = builder("secret")
                .network(network())
                .set("ordering.secretFile", secret.toString())
                .build()) {
            assertSaid("authenticated", 0, ensemble);
        }
    }

    @Test
    public void onLoopbackOnly_isShownButNotWarnedAbout() throws Exception {
        Assume.assumeFalse(
                "Apache ZooKeeper says nothing of it",
                Ensemble.defaultProtocol().equals("zab"));
        try (Ensemble ensemble = builder("loopback").build()) {
            assertSaid("unauthenticated", 0, ensemble);
        }
    }
}
