package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;

import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class EnsembleTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3).startAll();
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
    }

    @Test
    public void writeAtOneReplica_isReadAtEveryOther() throws Exception {
        ZooKeeper first = ensemble.client(1);
        first.create("/a", "one".getBytes(StandardCharsets.UTF_8), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        for (int id = 2; id <= 3; id++) {
            assertArrayEquals(
                    "one".getBytes(StandardCharsets.UTF_8),
                    ensemble.client(id).getData("/a", false, null));
        }
        assertNotNull(first.exists("/a", false));
        assertEquals(1, first.getChildren("/", false).stream().filter("a"::equals).count());
    }
}
