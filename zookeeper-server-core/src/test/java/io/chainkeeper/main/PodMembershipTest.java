package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What the pods' hooks say when they cannot do their work. Their work itself is tested with server processes. */
public class PodMembershipTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Map<String, String> variables = new TreeMap<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path account;

    @Before
    public void layOut() throws IOException {
        account = folder.newFolder("account").toPath();
        Files.writeString(account.resolve("token"), "token");
        Files.writeString(account.resolve("namespace"), "test");
        Files.writeString(account.resolve("ca.crt"), "");
        variables.put("POD_NAME", "keeper-3");
        variables.put("POD_DOMAIN", "keeper-headless.test.svc");
        variables.put("POD_FOUNDERS", "3");
        variables.put("POD_ACCOUNT", account.toString());
        variables.put("KUBERNETES_SERVICE_HOST", "127.0.0.1");
    }

    private int run(String... arguments) {
        out.reset();
        err.reset();
        return new PodMembership(variables, new PrintStream(out, true), new PrintStream(err, true)).run(arguments);
    }

    private void assertSays(String message, int exitCode, String... arguments) {
        assertEquals(err.toString(StandardCharsets.UTF_8), exitCode, run(arguments));
        String said = err.toString(StandardCharsets.UTF_8);
        assertTrue(said, said.contains(message));
        assertEquals(said, 1, said.lines().count());
        assertEquals("", out.toString(StandardCharsets.UTF_8));
    }

    @Test
    public void wrongCalls_areAnsweredWithTheUsage() {
        assertSays("Usage: ", 2);
        assertSays("Usage: ", 2, "join");
        assertSays("Usage: ", 2, "join", "keeper-3:2888:3888");
        assertSays("Usage: ", 2, "stay");
    }

    @Test
    public void founder_staysWithoutAskingAnybody() {
        variables.put("POD_NAME", "keeper-2");
        variables.remove("KUBERNETES_SERVICE_HOST");
        assertEquals(0, run("leave"));
        assertEquals("", err.toString(StandardCharsets.UTF_8));
    }

    @Test
    public void noServiceAccount_isSaid() throws IOException {
        variables.remove("KUBERNETES_SERVICE_HOST");
        assertSays("this pod has no service account", 1, "leave");
        variables.put("KUBERNETES_SERVICE_HOST", "127.0.0.1");
        Files.delete(account.resolve("token"));
        assertSays("this pod has no service account", 1, "leave");
    }

    @Test
    public void apiServerThatIsNotThere_isNamed() throws IOException {
        try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            variables.put("KUBERNETES_SERVICE_PORT", Integer.toString(nobody.getLocalPort()));
        }
        assertSays(
                "https://127.0.0.1:" + variables.get("KUBERNETES_SERVICE_PORT")
                        + "/apis/apps/v1/namespaces/test/statefulsets/keeper/scale does not answer",
                1,
                "leave");
    }

    private SortedSet<Integer> podsBeyond(int last, boolean joining, String... servers) {
        SortedMap<Integer, String> members = new TreeMap<>();
        for (String server : servers) {
            String[] parts = server.split("=");
            members.put(Integer.parseInt(parts[0]), parts[1] + ":2888:3888:participant;0.0.0.0:2181");
        }
        return new PodMembership(variables, new PrintStream(out), new PrintStream(err))
                .podsBeyond(last, members, joining);
    }

    @Test
    public void fewerPods_membersThatAreNoneStay() {
        String domain = ".keeper-headless.test.svc";
        assertEquals(
                Set.of(4, 6),
                podsBeyond(
                        3,
                        false,
                        "1=keeper-0" + domain,
                        "4=keeper-3" + domain,
                        "5=elsewhere.example",
                        "6=keeper-5" + domain,
                        "7=keeper-6.keeper-headless.other.svc",
                        "8=keeper-6" + domain,
                        "100=10.0.0.7"));
    }

    @Test
    public void joinerWhoseIdAnotherServerHas_thatOneStays() {
        assertEquals(Set.of(4), podsBeyond(3, true, "1=keeper-0.keeper-headless.test.svc"));
        assertEquals(Set.of(), podsBeyond(3, true, "4=elsewhere.example"));
    }

    @Test
    public void passwordThatIsNotThere_isNamed() {
        Path password = account.resolve("password");
        variables.put("POD_SUPER_FILE", password.toString());
        assertSays(password + ": there is no such file or directory", 1, "join", "server.4=keeper-3:2888:3888");
    }
}
