package io.chainkeeper.server.admin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.background.Background;
import io.chainkeeper.server.guard.DiskSpaceGuard;
import io.chainkeeper.server.guard.HeapGuard;
import io.chainkeeper.server.guard.OrderSpaceGuard;
import io.chainkeeper.server.guard.ResourceGuards;
import io.chainkeeper.server.guard.TransactionSize;
import io.chainkeeper.server.guard.WatchLimit;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.zookeeper.OrderedDatabase;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What may become of a restore between its first request and its last; the order takes requests and executes none. */
public class OrderedRestoreTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final List<Runnable> looks = new ArrayList<>();
    private Map<String, Long> ofOrder = Map.of();
    private long agreedBytes = Long.MAX_VALUE;
    private int proposed;
    private Runnable afterFirst = () -> {};
    private TestEnsemble ensemble;
    private OrderedRestore restore;

    @Before
    public void startServer() throws Exception {
        ensemble = new TestEnsemble(folder.newFolder().toPath(), 1).startAll();
        OrderedZooKeeperServer server = ensemble.server(1);
        TotalOrder order = (TotalOrder) Proxy.newProxyInstance(
                TotalOrder.class.getClassLoader(), new Class<?>[] {TotalOrder.class}, (self, method, arguments) -> {
                    switch (method.getName()) {
                        case "streamCount":
                            return 1;
                        case "propose":
                            proposed++;
                            afterFirst.run();
                            return true;
                        default:
                            throw new AssertionError(method);
                    }
                });
        Proposer proposer = new Proposer(() -> 0);
        proposer.connect(order);
        restore = new OrderedRestore(server, proposer, guards(server));
    }

    private ResourceGuards guards(OrderedZooKeeperServer server) throws IOException {
        ResourceGuards guards = new ResourceGuards(
                new DiskSpaceGuard(List.of(folder.newFolder().toPath()), 1, 1),
                new HeapGuard(0, ((OrderedDatabase) server.getZKDatabase()).size()),
                new WatchLimit(WatchLimit.NONE, () -> 0, () -> 0),
                new OrderSpaceGuard(() -> ofOrder),
                new TransactionSize(() -> agreedBytes));
        guards.start(new Background() {
            @Override
            public boolean execute(Runnable task) {
                return true;
            }

            @Override
            public void everyMillis(long periodMillis, Runnable task) {
                looks.add(task);
            }

            @Override
            public void afterMillis(long delayMillis, Runnable task) {}

            @Override
            public void close() {}
        });
        return guards;
    }

    @After
    public void stopServer() throws Exception {
        ensemble.close();
    }

    /** More than one request holds. */
    private InputStream snapshot() throws Exception {
        DataTree wanted = OrderedDatabase.newTree();
        for (int i = 0; i < 30; i++) {
            wanted.createNode("/n" + i, new byte[10_000], Ids.OPEN_ACL_UNSAFE, 0, -1, 1, 1);
        }
        File file = new File(folder.newFolder(), "snapshot.1");
        new FileSnap(file.getParentFile()).serialize(wanted, new HashMap<>(), file, false);
        return new ByteArrayInputStream(Files.readAllBytes(file.toPath()));
    }

    private String refusal() {
        return assertThrows(IOException.class, () -> restore.restore(snapshot()))
                .getMessage();
    }

    private void fillRings() {
        ofOrder = Map.of("ring_low", 1L, "ring_held_by", 2L);
        looks.forEach(Runnable::run);
    }

    @Test
    public void ringsBecomeFullInTheMiddle_noMoreIsOrderedAndItSaysSo() {
        afterFirst = this::fillRings;
        String refusal = refusal();
        assertTrue(refusal, refusal.contains("server 2"));
        assertTrue(refusal, refusal.contains("a part of the snapshot is restored"));
        assertTrue(refusal, refusal.contains("restore the snapshot again"));
        assertEquals(1, proposed);
        proposed = 0;
        refusal = refusal();
        assertTrue("of this time, not of the former", refusal.contains("nothing was changed"));
        assertEquals(0, proposed);
    }

    /** While jute.maxbuffer is raised server by server. */
    @Test
    public void anotherServerCouldNotReadATransactionBack_nothingIsOrdered() {
        agreedBytes = 5_000;
        String refusal = refusal();
        assertTrue(refusal, refusal.startsWith("/n"));
        assertTrue(refusal, refusal.contains("5000"));
        assertTrue(refusal, refusal.contains("nothing was changed"));
        assertEquals(0, proposed);
    }

    @Test
    public void serverThatReadsLessStartsInTheMiddle_noMoreIsOrdered() {
        afterFirst = () -> agreedBytes = 5_000;
        String refusal = refusal();
        assertTrue(refusal, refusal.contains("a part of the snapshot is restored"));
        assertEquals(1, proposed);
    }
}
