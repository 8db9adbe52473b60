package io.chainkeeper.benchmarks.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.benchmarks.server.ZooCfg.Ports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.Test;

/** How etcd is started and what its answers mean; that it runs takes the program, which a build does not have. */
public final class EtcdServersTest {
    private static final List<Ports> PORTS = List.of(new Ports("127.0.0.1", 1, 2, 3), new Ports("127.0.0.1", 4, 5, 6));

    @Test
    public void secondServer_listensAtItsPortsAndKnowsAll() {
        List<String> arguments = EtcdServers.arguments(1, 1, PORTS, Path.of("/data"));
        assertEquals(List.of("env", "GOMAXPROCS=1", "etcd"), arguments.subList(0, 3));
        assertTrue(arguments.containsAll(List.of(
                "--name=s2",
                "--data-dir=/data",
                "--listen-client-urls=http://127.0.0.1:4",
                "--listen-peer-urls=http://127.0.0.1:5",
                "--initial-cluster=s1=http://127.0.0.1:2,s2=http://127.0.0.1:5")));
        assertEquals(
                "etcd", EtcdServers.arguments(0, 1, PORTS, Path.of("/data")).get(0));
    }

    private static ServerStatus status(String answer) throws IOException {
        return EtcdServers.status(new ObjectMapper().readTree(answer));
    }

    @Test
    public void answer_tellsRoleAndRevision() throws IOException {
        ServerStatus leader = status("{\"header\":{\"member_id\":\"8\",\"revision\":\"7\"},\"leader\":\"8\"}");
        assertEquals(new ServerStatus("leader", 7), leader);
        ServerStatus follower = status("{\"header\":{\"member_id\":\"9\",\"revision\":\"7\"},\"leader\":\"8\"}");
        assertEquals(new ServerStatus("follower", 7), follower);
        assertFalse(status("{\"header\":{\"member_id\":\"9\"}}").isServing());
        assertFalse(
                status("{\"header\":{\"member_id\":\"9\"},\"leader\":\"0\"}").isServing());
    }
}
