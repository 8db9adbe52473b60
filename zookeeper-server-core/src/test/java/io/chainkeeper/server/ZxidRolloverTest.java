package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * The counter in the low half of a zxid is used up. ZooKeeper lets its leader resign then; here the next epoch begins
 * without anybody noticing.
 */
public class ZxidRolloverTest {
    private static final long EPOCH = 2;
    private static final long COUNTER_MASK = 0xffffffffL;
    private static final long LAST_ZXID = EPOCH << 32 | 0xfffffff0L;
    private static final long FIRST_OF_NEXT_EPOCH = EPOCH + 1 << 32 | 1;
    private static final int REPLICAS = 3;
    private static final int WRITES = 40;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startWithAnOldTree() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), REPLICAS);
        for (int id = 1; id <= REPLICAS; id++) {
            Path directory = Files.createDirectories(ensemble.dataDirectory(id));
            DataTree tree = new DataTree();
            tree.lastProcessedZxid = LAST_ZXID;
            FileTxnSnapLog files = new FileTxnSnapLog(directory.toFile(), directory.toFile());
            files.save(tree, new ConcurrentHashMap<>(), true);
            files.close();
            for (String name : List.of("acceptedEpoch", "currentEpoch")) {
                Files.writeString(directory.resolve("version-2").resolve(name), Long.toString(EPOCH));
            }
        }
        ensemble.startAll();
    }

    @After
    public void stop() throws Exception {
        ensemble.close();
    }

    private String epochFile(int id, String name) throws Exception {
        return Files.readString(ensemble.dataDirectory(id).resolve("version-2").resolve(name));
    }

    /** Writes from all replicas in turn; returns the zxids. */
    private List<Long> write(String prefix, int count) throws Exception {
        List<ZooKeeper> clients = new ArrayList<>();
        for (int id = 1; id <= REPLICAS; id++) {
            clients.add(ensemble.client(id));
        }
        List<Long> zxids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Stat stat = new Stat();
            clients.get(i % REPLICAS)
                    .create(
                            prefix + i,
                            prefix.getBytes(StandardCharsets.UTF_8),
                            Ids.OPEN_ACL_UNSAFE,
                            CreateMode.PERSISTENT,
                            stat);
            zxids.add(stat.getCzxid());
        }
        return zxids;
    }

    @Test
    public void counterIsUsedUp_nextEpochBeginsAndNothingElseChanges() throws Exception {
        ZooKeeper watching = ensemble.client(2);
        String ephemeral = watching.create("/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        CountDownLatch fired = new CountDownLatch(1);
        watching.exists("/n" + (WRITES - 1), event -> fired.countDown());

        List<Long> zxids = write("/n", WRITES);

        assertTrue("begins in the old epoch", zxids.get(0) < FIRST_OF_NEXT_EPOCH);
        for (int i = 1; i < WRITES; i++) {
            long before = zxids.get(i - 1);
            boolean rolled = before >>> 32 != zxids.get(i) >>> 32;
            assertEquals(rolled ? FIRST_OF_NEXT_EPOCH : before + 1, (long) zxids.get(i));
            assertTrue("ZooKeeper never uses the last one", (before & COUNTER_MASK) < COUNTER_MASK);
        }
        assertTrue("ends in the new epoch", zxids.get(WRITES - 1) > FIRST_OF_NEXT_EPOCH);
        assertTrue(fired.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertNotNull(watching.exists(ephemeral, false));
        EnsembleChecks.assertReplicasEqual(ensemble, REPLICAS);
        for (int id = 1; id <= REPLICAS; id++) {
            assertEquals("3", epochFile(id, "currentEpoch"));
            assertEquals("3", epochFile(id, "acceptedEpoch"));
        }
    }

    @Test
    public void replicasRestartAroundTheRollover_allHaveEverything() throws Exception {
        List<Long> before = write("/before", 6);
        assertTrue(before.get(5) < FIRST_OF_NEXT_EPOCH);
        ensemble.stop(3);
        ensemble.server(2).takeSnapshot(true, false);
        ZooKeeper client = ensemble.client(1);
        Stat stat = new Stat();
        for (int i = 0; stat.getCzxid() < FIRST_OF_NEXT_EPOCH + 3; i++) {
            client.create("/across" + i, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT, stat);
        }
        ensemble.start(3);
        ensemble.awaitServing(3);
        for (int id : new int[] {1, 2}) {
            ensemble.stop(id);
            ensemble.start(id);
            ensemble.awaitServing(id);
        }
        List<Long> after = write("/after", 6);
        assertTrue(after.get(0) > stat.getCzxid());
        EnsembleChecks.assertReplicasEqual(ensemble, REPLICAS);

        ensemble.close();
        Path directory = ensemble.dataDirectory(2);
        DataTree loaded = new DataTree();
        FileTxnSnapLog files = new FileTxnSnapLog(directory.toFile(), directory.toFile());
        long last = files.restore(loaded, new ConcurrentHashMap<>(), (header, txn, digest) -> {});
        files.close();
        assertTrue("Apache ZooKeeper reads the files", last >= after.get(5));
        assertNotNull(loaded.getNode("/after5"));
        assertNotNull(loaded.getNode("/before0"));
    }
}
