package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.GetDataResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Reads that come while many commands are executed one after the other wait for one of them, not for all. */
public class ReadsDuringBatchTest {
    private static final int MULTIS = 60;
    private static final int OPERATIONS = 3_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private ZooKeeper writer;
    private ZooKeeper reader;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 1, ReadConsistency.SEQUENTIAL, Map.of()).startAll();
        writer = ensemble.client(1);
        reader = ensemble.client(1);
        for (String path : List.of("/first", "/between", "/last")) {
            writer.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
    }

    @Test
    public void manyLongMultisAtHand_readsSeeTheStatesBetweenThemAndNoneInside() throws Exception {
        List<Op> multi = new ArrayList<>();
        multi.add(Op.setData("/first", null, -1));
        for (int i = 0; i < OPERATIONS; i++) {
            multi.add(Op.setData("/between", null, -1));
        }
        multi.add(Op.setData("/last", null, -1));
        CountDownLatch executed = new CountDownLatch(MULTIS);
        for (int i = 0; i < MULTIS; i++) {
            writer.multi(multi, (rc, path, context, results) -> executed.countDown(), null);
        }
        Set<Integer> seen = new TreeSet<>();
        List<Op> reads = List.of(Op.getData("/first"), Op.getData("/between"), Op.getData("/last"));
        int last = 0;
        while (last < MULTIS) {
            List<OpResult> results = reader.multi(reads);
            int first = ((GetDataResult) results.get(0)).getStat().getVersion();
            int between = ((GetDataResult) results.get(1)).getStat().getVersion();
            last = ((GetDataResult) results.get(2)).getStat().getVersion();
            assertEquals(first, last);
            assertEquals(first * OPERATIONS, between);
            seen.add(last);
        }
        assertTrue(executed.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertTrue("of " + MULTIS + " states reads have seen " + seen, seen.size() >= MULTIS / 6);
    }
}
