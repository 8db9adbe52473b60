package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.CreatedNodes;
import io.chainkeeper.clienttests.harness.Pods;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.rules.Timeout;

/** The pods of the Helm chart as processes: the ensemble grows and shrinks with them by their hooks, under load. */
public class PodScalingTest {
    private static final int[] FOUNDERS = {0, 1, 2};
    private static final int SOME = 100;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Pods pods = new Pods("pods", FOUNDERS.length);

    @Rule(order = 0)
    public final TestRule processes = pods;

    @Rule(order = 1)
    public final TestRule limit = Timeout.seconds(400);

    private CreatedNodes startUnderLoad() throws Exception {
        for (int pod : FOUNDERS) {
            pods.create(pod);
        }
        pods.awaitReady(FOUNDERS);
        String founders = pods.connectString(FOUNDERS);
        CreatedNodes load = new CreatedNodes(List.of(founders, founders, founders, pods.connectString(0, 1, 2, 3, 4)));
        load.awaitProgress(SOME);
        return load;
    }

    private String config() throws Exception {
        try (ZooKeeper client = Clients.connect(pods.connectString(FOUNDERS))) {
            client.sync("/zookeeper/config");
            return new String(client.getConfig(false, null), StandardCharsets.UTF_8);
        }
    }

    private Set<String> members() throws Exception {
        Set<String> members = new TreeSet<>();
        for (String line : config().split("\n")) {
            if (line.startsWith("server.")) {
                members.add(line.substring("server.".length(), line.indexOf('=')));
            }
        }
        return members;
    }

    private void finish(CreatedNodes load, int... left) throws Exception {
        load.awaitProgress(SOME);
        load.stop();
        for (int pod : left) {
            load.check(pods.connectString(pod));
        }
    }

    @Test
    public void fivePodsAndThreeAgain_membersFollowAndNothingIsLost() throws Exception {
        try (CreatedNodes load = startUnderLoad()) {
            pods.api().replicas(5);
            pods.create(3);
            pods.create(4);
            pods.awaitReady(3, 4);
            assertEquals(Set.of("1", "2", "3", "4", "5"), members());
            load.awaitProgress(SOME);

            // made anew, as by a rolling update: nothing changes
            String before = config();
            pods.endAfter(pods.beginLeaving(4), 4);
            pods.create(4);
            pods.endAfter(pods.beginLeaving(1), 1);
            pods.create(1);
            pods.awaitReady(1, 4);
            assertEquals(before, config());

            pods.api().replicas(3);
            Process fourth = pods.beginLeaving(3);
            Process fifth = pods.beginLeaving(4);
            pods.endAfter(fourth, 3);
            pods.endAfter(fifth, 4);
            assertEquals(Set.of("1", "2", "3"), members());
            load.awaitProgress(SOME);

            // with the volumes that they had
            pods.api().replicas(5);
            pods.create(3);
            pods.create(4);
            pods.awaitReady(3, 4);
            assertEquals(Set.of("1", "2", "3", "4", "5"), members());
            finish(load, 0, 1, 2, 3, 4);
        }
    }

    @Test
    public void podsAndHooksAreKilled_membersFollowAndNothingIsLost() throws Exception {
        try (CreatedNodes load = startUnderLoad()) {
            pods.api().replicas(5);
            pods.create(3);
            pods.create(4);
            pods.kill(3);
            pods.killJoining(4);
            pods.kill(leader());
            for (int pod : FOUNDERS) {
                restartIfKilled(pod);
            }
            pods.startContainer(3);
            pods.kill(4);
            pods.startContainer(4);
            pods.awaitReady(0, 1, 2, 3, 4);
            assertEquals(Set.of("1", "2", "3", "4", "5"), members());
            load.awaitProgress(SOME);

            pods.api().replicas(3);
            // the node of one has failed: no hook; and the leader fails while the other one leaves
            pods.beginLeaving(4).destroyForcibly().waitFor();
            pods.kill(4);
            Process leaving = pods.beginLeaving(3);
            int leader = leader();
            pods.kill(leader);
            if (leader < FOUNDERS.length) {
                pods.startContainer(leader);
            }
            pods.endAfter(leaving, 3);
            pods.awaitReady(FOUNDERS);
            assertEquals(Set.of("1", "2", "3"), members());
            finish(load, FOUNDERS);
        }
    }

    @Test
    public void joinerThatIsNotWantedAnyMore_doesNotBecomeAMemberLater() throws Exception {
        try (CreatedNodes load = startUnderLoad()) {
            pods.api().replicas(4);
            pods.create(3);
            pods.api().replicas(3);
            pods.endAfter(pods.beginLeaving(3), 3);
            assertEquals(Set.of("1", "2", "3"), members());
            load.awaitProgress(SOME);
            assertEquals(Set.of("1", "2", "3"), members());
            pods.api().replicas(0);
            for (int pod : FOUNDERS) {
                pods.beginLeaving(pod).waitFor();
            }
            assertEquals(Set.of("1", "2", "3"), members());
            finish(load, FOUNDERS);
        }
    }

    private int leader() throws Exception {
        int[] leader = {-1};
        Await.until("a pod leads", LIMIT, () -> {
            leader[0] = pods.leader();
            return leader[0] >= 0;
        });
        return leader[0];
    }

    private void restartIfKilled(int pod) throws Exception {
        if (!pods.isRunning(pod)) {
            pods.startContainer(pod);
        }
    }
}
