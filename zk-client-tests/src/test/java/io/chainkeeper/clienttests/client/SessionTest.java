package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.RawConnection;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.junit.After;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Sessions that move, end and expire, and what becomes of their ephemeral znodes. */
public class SessionTest {
    private static final int TIMEOUT_MILLIS = 2_000;
    private static final int LONG_TIMEOUT_MILLIS = 10_000;

    /** Of a client that keeps its session: it must not lose its connection when the machine is busy. */
    private static final int KEPT_TIMEOUT_MILLIS = 6_000;

    /** What a busy machine adds is not what is measured, so the least of a few counts. */
    private static final int MEASUREMENTS = 3;

    /** What a busy machine may add to the two ticks within which a dead session has to be noticed. */
    private static final int SCHEDULING_ALLOWANCE_MILLIS = 1_500;

    /** The owner's death has to be noticed first, then its sessions get a fresh timeout. */
    private static final Duration DEAD_OWNER_LIMIT = Duration.ofSeconds(30);

    @ClassRule
    public static final Ensemble ensemble =
            Ensemble.named("sessions").memberSilenceMillis(3_000).build();

    @Rule
    public final TestRule limit = ensemble.testLimit(90);

    @After
    public void restartKilledServers() throws Exception {
        ensemble.startAll();
    }

    @Test
    public void serverIsKilled_sessionMovesWithItsIdAndItsEphemeral() throws Exception {
        for (ServerProcess victim : ensemble.servers()) {
            String path = "/moving-from-" + victim.id();
            long sessionId;
            byte[] password;
            try (RawConnection connection = RawConnection.open(victim, LONG_TIMEOUT_MILLIS)) {
                sessionId = connection.sessionId();
                password = connection.password();
                createEphemeral(connection, path);
                victim.kill();
            }
            ServerProcess other = ensemble.server(victim.id() % 3 + 1);
            try (ZooKeeper moved = Clients.attach(other.connectString(), LONG_TIMEOUT_MILLIS, sessionId, password)) {
                assertEquals(sessionId, moved.getSessionId());
                assertEquals(sessionId, moved.exists(path, false).getEphemeralOwner());
                assertEquals(1, moved.setData(path, null, 0).getVersion());

                victim.start();
                victim.awaitServing();
                try (ZooKeeper observer = Clients.connect(victim.connectString())) {
                    TreeDump.sync(observer, path);
                    assertEquals(sessionId, observer.exists(path, false).getEphemeralOwner());
                }
            }
        }
    }

    @Test
    public void sessionIsContinuedElsewhere_lateWriteOfTheOldConnectionIsRefused() throws Exception {
        for (ServerProcess first : ensemble.servers()) {
            String path = "/late-write-" + first.id();
            ServerProcess second = ensemble.server(first.id() % 3 + 1);
            try (RawConnection old = RawConnection.open(first, LONG_TIMEOUT_MILLIS)) {
                createEphemeral(old, path);
                try (ZooKeeper moved =
                        Clients.attach(second.connectString(), LONG_TIMEOUT_MILLIS, old.sessionId(), old.password())) {
                    assertNotEquals("the old connection's write", Code.OK.intValue(), lateWrite(old, path));
                    old.awaitClosedByServer();
                    assertEquals(0, moved.exists(path, false).getVersion());
                    assertEquals(1, moved.setData(path, null, 0).getVersion());
                }
            }
        }
    }

    @Test
    public void clientIsSilent_ephemeralGoesWithinTheTimeoutAndTwoTicks() throws Exception {
        int most = TIMEOUT_MILLIS + 2 * Ensemble.TICK_MILLIS + SCHEDULING_ALLOWANCE_MILLIS;
        for (ServerProcess server : ensemble.servers()) {
            long least = Long.MAX_VALUE;
            for (int i = 0; i < MEASUREMENTS && least > most; i++) {
                least = Math.min(least, millisUntilExpired(server));
            }
            assertTrue("expired only after " + least + " ms", least <= most);
        }
    }

    private static long millisUntilExpired(ServerProcess server) throws Exception {
        String path = "/silent-at-" + server.id();
        ServerProcess other = ensemble.server(server.id() % 3 + 1);
        try (ZooKeeper observer = Clients.connect(other.connectString());
                RawConnection silent = RawConnection.open(server, TIMEOUT_MILLIS)) {
            long lastHeard = System.nanoTime();
            createEphemeral(silent, path);
            TreeDump.sync(observer, path);
            boolean seen = observer.exists(path, false) != null;
            // On a busy machine the timeout may be over before anybody has looked.
            assertTrue(
                    "not there",
                    seen || Duration.ofNanos(System.nanoTime() - lastHeard).toMillis() >= TIMEOUT_MILLIS);

            awaitGone(observer, path, Duration.ofMillis(LONG_TIMEOUT_MILLIS));

            long elapsedMillis = Duration.ofNanos(System.nanoTime() - lastHeard).toMillis();
            assertTrue("expired after only " + elapsedMillis + " ms", elapsedMillis >= TIMEOUT_MILLIS);
            assertExpiredEverywhere(silent);
            return elapsedMillis;
        }
    }

    @Test
    public void clientKeepsItsSession_ephemeralStaysBeyondTheTimeout() throws Exception {
        try (ZooKeeper owner = Clients.connect(ensemble.server(1).connectString(), KEPT_TIMEOUT_MILLIS);
                RawConnection silent = RawConnection.open(ensemble.server(1), 2 * KEPT_TIMEOUT_MILLIS);
                ZooKeeper observer = Clients.connect(ensemble.server(2).connectString())) {
            owner.create("/kept", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            createEphemeral(silent, "/twice-the-timeout");
            awaitGone(observer, "/twice-the-timeout", Duration.ofMillis(5 * KEPT_TIMEOUT_MILLIS));
            TreeDump.sync(observer, "/kept");
            assertNotNull(observer.exists("/kept", false));
        }
    }

    @Test
    public void ownerAndClientDieTogether_ephemeralGoes() throws Exception {
        for (ServerProcess victim : List.of(ensemble.leader(), anyFollower())) {
            String path = "/orphan-of-" + victim.id();
            RawConnection orphan = RawConnection.open(victim, TIMEOUT_MILLIS);
            createEphemeral(orphan, path);
            victim.kill();
            orphan.close();
            ServerProcess other = ensemble.server(victim.id() % 3 + 1);
            try (ZooKeeper observer = Clients.connect(other.connectString())) {
                awaitGone(observer, path, DEAD_OWNER_LIMIT);
            }
            ensemble.startAll();
            assertExpiredEverywhere(orphan);
        }
    }

    @Test
    public void allServersAreKilled_liveSessionsContinueAndDeadOnesExpire() throws Exception {
        try (ZooKeeper live = Clients.connect(ensemble.connectString(), LONG_TIMEOUT_MILLIS);
                RawConnection dead = RawConnection.open(ensemble.server(1), TIMEOUT_MILLIS)) {
            long sessionId = live.getSessionId();
            live.create("/of-live-session", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            createEphemeral(dead, "/of-dead-session");

            ensemble.killAll();
            ensemble.startAll();

            try (ZooKeeper observer = Clients.connect(ensemble.server(2).connectString())) {
                awaitGone(observer, "/of-dead-session", DEAD_OWNER_LIMIT);
                Await.until(
                        "the live session is connected again",
                        DEAD_OWNER_LIMIT,
                        () -> live.getState().isConnected());
                assertEquals(sessionId, live.getSessionId());
                Stat stat = live.exists("/of-live-session", false);
                assertNotNull(stat);
                assertEquals(sessionId, stat.getEphemeralOwner());
            }
            assertExpiredEverywhere(dead);
        }
    }

    @Test
    public void wrongPassword_sessionIsNotContinued() throws Exception {
        try (RawConnection owner = RawConnection.open(ensemble.server(1), LONG_TIMEOUT_MILLIS)) {
            byte[] wrong = owner.password().clone();
            wrong[0] ^= 1;
            for (ServerProcess server : ensemble.servers()) {
                try (RawConnection thief =
                        RawConnection.attach(server, LONG_TIMEOUT_MILLIS, owner.sessionId(), wrong)) {
                    assertFalse("attached at server " + server.id(), thief.isAttached());
                }
            }
            try (RawConnection again = RawConnection.attach(
                    ensemble.server(2), LONG_TIMEOUT_MILLIS, owner.sessionId(), owner.password())) {
                assertTrue("attached with the right password", again.isAttached());
            }
        }
    }

    @Test
    public void sessionsOpenedAtAllServers_haveDifferentIds() throws Exception {
        try (RawConnection one = RawConnection.open(ensemble.server(1), TIMEOUT_MILLIS);
                RawConnection two = RawConnection.open(ensemble.server(2), TIMEOUT_MILLIS);
                RawConnection three = RawConnection.open(ensemble.server(3), TIMEOUT_MILLIS)) {
            assertNotEquals(one.sessionId(), two.sessionId());
            assertNotEquals(two.sessionId(), three.sessionId());
            assertNotEquals(three.sessionId(), one.sessionId());
        }
    }

    /** Returns the answer's error code; a connection that is closed instead of answered counts as lost. */
    private static int lateWrite(RawConnection old, String path) {
        try {
            return old.request(OpCode.setData, new SetDataRequest(path, new byte[] {1}, -1))
                    .getErr();
        } catch (IOException e) {
            return Code.CONNECTIONLOSS.intValue();
        }
    }

    private static void createEphemeral(RawConnection connection, String path) throws IOException {
        CreateRequest request = new CreateRequest(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL.toFlag());
        assertEquals(
                Code.OK.intValue(), connection.request(OpCode.create, request).getErr());
    }

    private static ServerProcess anyFollower() throws Exception {
        ServerProcess leader = ensemble.leader();
        return ensemble.server(leader.id() % 3 + 1);
    }

    private static void awaitGone(ZooKeeper observer, String path, Duration within) throws Exception {
        Await.until(path + " is gone", within, () -> observer.exists(path, false) == null);
    }

    /** A server that is about to execute the expiry closes the connection then, instead of answering. */
    private static void assertExpiredEverywhere(RawConnection expired) throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            Await.until("server " + server.id() + " answers", Duration.ofMillis(LONG_TIMEOUT_MILLIS), () -> {
                try (RawConnection again =
                        RawConnection.attach(server, TIMEOUT_MILLIS, expired.sessionId(), expired.password())) {
                    assertFalse("still a session for server " + server.id(), again.isAttached());
                    return true;
                } catch (EOFException e) {
                    return false;
                }
            });
        }
    }
}
