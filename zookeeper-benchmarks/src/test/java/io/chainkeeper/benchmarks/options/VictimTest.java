package io.chainkeeper.benchmarks.options;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.benchmarks.server.ServerStatus;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.Test;

/** Which server is stopped, from what the servers say of themselves. */
public final class VictimTest {
    private static SortedMap<Integer, String> roles(int count, int leader) {
        SortedMap<Integer, String> roles = new TreeMap<>();
        for (int id = 1; id <= count; id++) {
            roles.put(id, id == leader ? "leader" : "follower");
        }
        return roles;
    }

    @Test
    public void threeReplicas_chainGoesRoundFromTheLeader() {
        assertEquals(2, Victim.LEADER.id(roles(3, 2)));
        assertEquals(3, Victim.MIDDLE.id(roles(3, 2)));
        assertEquals(1, Victim.TAIL.id(roles(3, 2)));
    }

    @Test
    public void fiveReplicas_middleIsHalfWay() {
        assertEquals(4, Victim.LEADER.id(roles(5, 4)));
        assertEquals(1, Victim.MIDDLE.id(roles(5, 4)));
        assertEquals(3, Victim.TAIL.id(roles(5, 4)));
        assertEquals(5, Victim.TAIL.id(roles(5, 1)));
    }

    @Test
    public void notOneLeader_isRefusedWithWhatTheySay() {
        IllegalArgumentException none = assertThrows(IllegalArgumentException.class, () -> Victim.TAIL.id(roles(3, 0)));
        assertTrue(none.getMessage(), none.getMessage().contains("3=follower"));
        assertThrows(
                IllegalArgumentException.class,
                () -> Victim.TAIL.id(new TreeMap<>(Map.of(1, "leader", 2, "leader", 3, "follower"))));
    }

    @Test
    public void answerOfAServer_givesRoleAndZxid() {
        ServerStatus status = ServerStatus.parse(
                "Zookeeper version: 3\nLatency min/avg/max: 0/0.0/0\nZxid: 0x1f\n" + "Mode: follower\nNode count: 5\n");
        assertEquals(new ServerStatus("follower", 31), status);
        assertTrue(status.isServing());
    }

    @Test
    public void serverThatDoesNotTakePart_doesNotServe() {
        assertFalse(ServerStatus.parse("").isServing());
        assertFalse(ServerStatus.parse("This ZooKeeper instance is not currently serving requests\n")
                .isServing());
        assertFalse(ServerStatus.parse("Zxid: 0x1f\nMode: looking\n").isServing());
        assertFalse(ServerStatus.parse("Zxid: 0x\nMode: follower\n").isServing());
    }
}
