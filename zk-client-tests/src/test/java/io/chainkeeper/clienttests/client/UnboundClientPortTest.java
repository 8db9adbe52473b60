package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.chainkeeper.FreePorts;
import io.chainkeeper.clienttests.harness.AdminClient;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** A {@code reconfig} gives a server a client port that another process holds: monitoring says so until it is free. */
public class UnboundClientPortTest {
    private static final String PROBLEM = "clients cannot connect: their address 127.0.0.1:";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Ensemble ensemble = Ensemble.named("unbound-client-port")
            .set("reconfigEnabled", "true")
            .set("admin.enableServer", "true")
            .set("admin.serverAddress", "127.0.0.1")
            .port(AdminClient.PORT)
            .superUser()
            .build();

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(240);

    private static HttpResponse<String> ready(ServerProcess server) throws Exception {
        return AdminClient.get(AdminClient.address(server, "/ready"));
    }

    private static boolean alarms(ServerProcess server) throws Exception {
        for (JsonNode alarm :
                AdminClient.json(AdminClient.address(server, "/status.json")).get("alarms")) {
            if (alarm.asText().contains(PROBLEM)) {
                return true;
            }
        }
        return false;
    }

    private static int unbound(ServerProcess server) throws Exception {
        return AdminClient.command(server, "monitor")
                .get("ordering_client_port_unbound")
                .asInt();
    }

    @Test
    public void portIsHeldByAnotherProcess_isSaidEverywhereUntilItIsFree() throws Exception {
        Assume.assumeFalse("Apache ZooKeeper has no /ready", ensemble.isStock());
        ensemble.start();
        ServerProcess moved = ensemble.server(3);
        assertEquals(200, ready(moved).statusCode());
        assertEquals(0, unbound(moved));
        int port = FreePorts.next();
        try (ServerSocket holder = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"));
                ZooKeeperAdmin admin = Clients.admin(ensemble.server(1).connectString())) {
            admin.addAuthInfo("digest", Ensemble.SUPER_USER.getBytes(StandardCharsets.UTF_8));
            String line = ensemble.serverLine(3, "participant").replaceFirst(";.*", ";127.0.0.1:" + port);
            admin.reconfigure(line, null, null, -1, null);
            Await.until("/ready says 503", LIMIT, () -> ready(moved).statusCode() == 503);
            assertTrue(ready(moved).body(), ready(moved).body().contains(PROBLEM + port));
            assertTrue("no alarm on /status", alarms(moved));
            assertEquals(1, unbound(moved));
            assertEquals("the others serve", 200, ready(ensemble.server(1)).statusCode());
            holder.close();
            Await.until("/ready says 200 again", LIMIT, () -> ready(moved).statusCode() == 200);
        }
        assertFalse(alarms(moved));
        assertEquals(0, unbound(moved));
        try (ZooKeeper client = Clients.connect("127.0.0.1:" + port)) {
            client.create("/there", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }
}
