package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.storage.StoredFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The same order gives the same state, whenever, wherever and from whatever point it is executed. */
public class DeterminismTest {
    private static final int OPERATIONS = 600;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Locale locale = Locale.getDefault();
    private final TimeZone timeZone = TimeZone.getDefault();
    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3, ReadConsistency.SEQUENTIAL, Map.of()).startAll();
        ensemble.order().elect(1);
    }

    @After
    public void stopEnsemble() throws Exception {
        Locale.setDefault(locale);
        TimeZone.setDefault(timeZone);
        ensemble.close();
    }

    @Test
    public void wholeOrderExecutedLaterElsewhere_givesEqualTreeSessionsAndCheckpoint() throws Exception {
        operate(new Random(20261121));
        ensemble.awaitEqualPositions();
        ensemble.stop(3);
        deleteTree(ensemble.dataDirectory(3));
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Kiritimati"));
        ensemble.start(3);
        ensemble.awaitServing(3);
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
        assertEquals(replicatedState(1), replicatedState(3));
        assertEquals(replicatedState(2), replicatedState(3));
    }

    /** What a checkpoint of this moment holds beside the tree. */
    private List<Object> replicatedState(int id) throws Exception {
        ensemble.server(id).takeSnapshot(false, false);
        return StoredFiles.newestReplicatedState(ensemble.orderingDirectory(id).resolve("checkpoints"));
    }

    private static void deleteTree(Path root) throws Exception {
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private void operate(Random random) throws Exception {
        ZooKeeper[] clients = {ensemble.client(1), ensemble.client(2), ensemble.client(3)};
        clients[1].addAuthInfo("digest", "u:p".getBytes(StandardCharsets.UTF_8));
        int failed = 0;
        for (int i = 0; i < OPERATIONS; i++) {
            try {
                operate(clients[random.nextInt(3)], random, "/n" + random.nextInt(20));
            } catch (KeeperException e) {
                failed++;
            }
            if (i % 150 == 149) {
                RawClient silent = new RawClient(ensemble.clientPort(1 + random.nextInt(3)), 400);
                assertTrue(silent.closedByServer());
                silent.close();
            }
        }
        assertTrue("some fail, some do not", failed > 20 && failed < OPERATIONS - 20);
        // The one whose server is to stop: it would come back at any time, and what is compared would change.
        clients[2].close();
    }

    private static void operate(ZooKeeper client, Random random, String path) throws Exception {
        byte[] data = new byte[random.nextInt(50)];
        random.nextBytes(data);
        CreateMode[] modes = {
            CreateMode.PERSISTENT, CreateMode.EPHEMERAL, CreateMode.PERSISTENT_SEQUENTIAL, CreateMode.CONTAINER
        };
        CreateMode mode = modes[random.nextInt(modes.length)];
        switch (random.nextInt(7)) {
            case 0, 1 -> client.create(path, data, Ids.OPEN_ACL_UNSAFE, mode);
            case 2 -> client.create(path + "/c", data, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
            case 3 -> client.setData(path, data, random.nextInt(3) - 1);
            case 4 -> client.delete(path, -1);
            case 5 -> client.setACL(path, Ids.OPEN_ACL_UNSAFE, -1);
            default ->
                client.multi(List.of(
                        Op.create(path, data, Ids.OPEN_ACL_UNSAFE, mode),
                        Op.setData(path, data, -1),
                        Op.check("/n1", random.nextInt(2))));
        }
    }
}
