package io.chainkeeper.clienttests.recipes;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/** An ephemeral znode that the first client keeps in being, while the last one deletes it over and over. */
final class PersistentNodeRecipe implements Recipe {
    private static final String PATH = "/recipes/persistent-node";
    private static final byte[] DATA = "here".getBytes(StandardCharsets.US_ASCII);

    private final CuratorFramework owner;
    private final CuratorFramework other;
    private final PersistentNode node;
    private final RepeatedSteps steps = new RepeatedSteps("persistent node", 1);

    PersistentNodeRecipe(List<CuratorFramework> clients) {
        owner = clients.get(0);
        other = clients.get(clients.size() - 1);
        node = new PersistentNode(owner, CreateMode.EPHEMERAL, false, PATH, DATA, true);
    }

    @Override
    public void start() throws Exception {
        node.start();
        assertTrue("the persistent node is created", node.waitForInitialCreate(LIMIT.toSeconds(), TimeUnit.SECONDS));
        steps.start((participant, round) -> {
            Stat before = other.checkExists().forPath(PATH);
            other.delete().quietly().forPath(PATH);
            Await.until("the znode that was deleted is there again", LIMIT, () -> {
                Stat now = other.checkExists().forPath(PATH);
                return now != null && (before == null || now.getCzxid() > before.getCzxid());
            });
        });
    }

    @Override
    public void awaitProgress() throws Exception {
        steps.awaitProgress();
    }

    @Override
    public void finish() throws Exception {
        steps.finish();
        Stat stat = new Stat();
        assertArrayEquals(DATA, other.getData().storingStatIn(stat).forPath(PATH));
        assertEquals(
                "owner of the ephemeral znode",
                owner.getZookeeperClient().getZooKeeper().getSessionId(),
                stat.getEphemeralOwner());
    }

    @Override
    public void close() throws Exception {
        steps.close();
        node.close();
    }
}
