import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.apache.solr.client.solrj.SolrQuery;
import org.apache.solr.client.solrj.impl.CloudSolrClient;
import org.apache.solr.client.solrj.request.CollectionAdminRequest;
import org.apache.solr.common.SolrInputDocument;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** Creates collections, indexes, queries, deletes collections. Work SERVERS DONE_FILE DIRECTORY CONFIGURATION */
public final class Work {
    private static final int DOCUMENTS = 100;
    private static final int NODES = 2;
    private static final long LIMIT_NANOS = 120_000_000_000L;

    private int collections;
    private int indexed;
    private int found;
    private int deleted;

    public static void main(String[] args) throws Exception {
        upload(args[0], Path.of(System.getProperty("configuration")));
        new Work().run(args[0], Path.of(args[1]), Path.of(args[2], "working"));
        System.exit(0);
    }

    private static void upload(String servers, Path configuration) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        try (ZooKeeper client = new ZooKeeper(servers, 15_000, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        })) {
            connected.await();
            for (String path : List.of("/configs", "/configs/work")) {
                if (client.exists(path, false) == null) {
                    client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                }
            }
            for (String file : List.of("schema.xml", "solrconfig.xml")) {
                client.create(
                        "/configs/work/" + file,
                        Files.readAllBytes(configuration.resolve(file)),
                        Ids.OPEN_ACL_UNSAFE,
                        CreateMode.PERSISTENT);
            }
        }
    }

    /** A request that may come while a node or a replica has just lost its connection: it is tried again. */
    private interface Request {
        void run() throws Exception;
    }

    private static void again(Request request) throws Exception {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (true) {
            try {
                request.run();
                return;
            } catch (Exception e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                System.err.println("again: " + e);
                Thread.sleep(500);
            }
        }
    }

    private void run(String servers, Path done, Path working) throws Exception {
        List<String> addresses = List.of(servers.split(","));
        try (CloudSolrClient client = new CloudSolrClient.Builder(addresses, Optional.empty()).build()) {
            again(() -> {
                if (client.getClusterState().getLiveNodes().size() < NODES) {
                    throw new IllegalStateException("not all nodes are there");
                }
            });
            Set<String> left = new TreeSet<>();
            while (!Files.exists(done)) {
                String name = "collection-" + collections;
                again(() -> {
                    if (!CollectionAdminRequest.listCollections(client).contains(name)) {
                        CollectionAdminRequest.createCollection(name, "work", 1, NODES).process(client);
                    }
                });
                collections++;
                index(client, name);
                query(client, name);
                Files.write(working, new byte[0]);
                if (collections % 3 == 0) {
                    again(() -> {
                        if (CollectionAdminRequest.listCollections(client).contains(name)) {
                            CollectionAdminRequest.deleteCollection(name).process(client);
                        }
                    });
                    deleted++;
                } else {
                    left.add(name);
                }
            }
            for (String name : left) {
                query(client, name);
            }
        }
        System.out.printf(
                "2 nodes: %d collections of two replicas created, %d documents indexed, %d found, "
                        + "%d collections deleted%n",
                collections, indexed, found, deleted);
    }

    private void index(CloudSolrClient client, String name) throws Exception {
        List<SolrInputDocument> documents = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            documents.add(new SolrInputDocument("id", name + " " + i, "value", name));
        }
        again(() -> {
            client.add(name, documents);
            client.commit(name);
        });
        indexed += DOCUMENTS;
    }

    private void query(CloudSolrClient client, String name) throws Exception {
        again(() -> {
            long count = client.query(name, new SolrQuery("value:\"" + name + "\"")).getResults().getNumFound();
            if (count != DOCUMENTS) {
                throw new IllegalStateException(name + " has " + count + " documents");
            }
        });
        found += DOCUMENTS;
    }
}
