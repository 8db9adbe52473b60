package io.chainkeeper.clienttests.recipes;

import io.chainkeeper.clienttests.harness.Await;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.CuratorCache;

/**
 * A cache of the same znodes at every client, while all clients create, set and delete them. When the changes end, all
 * caches hold what the servers hold.
 */
final class CacheRecipe implements Recipe {
    private static final String ROOT = "/recipes/cached";
    private static final int KEYS = 7;
    private static final int DELETE_EVERY = 3;

    private final List<CuratorFramework> clients;
    private final List<CuratorCache> caches = new ArrayList<>();
    private final RepeatedSteps steps;

    CacheRecipe(List<CuratorFramework> clients) {
        this.clients = clients;
        this.steps = new RepeatedSteps("cache", clients.size());
    }

    @Override
    public void start() throws Exception {
        clients.get(0).create().orSetData().creatingParentsIfNeeded().forPath(ROOT, new byte[0]);
        for (CuratorFramework client : clients) {
            CuratorCache cache = CuratorCache.build(client, ROOT);
            cache.start();
            caches.add(cache);
        }
        steps.start((participant, round) -> {
            CuratorFramework client = clients.get(participant);
            String path = ROOT + "/" + participant + "-" + round % KEYS;
            if (round % DELETE_EVERY == 0) {
                client.delete().quietly().forPath(path);
            } else {
                client.create().orSetData().forPath(path, Long.toString(round).getBytes(StandardCharsets.US_ASCII));
            }
        });
    }

    @Override
    public void awaitProgress() throws Exception {
        steps.awaitProgress();
    }

    @Override
    public void finish() throws Exception {
        steps.finish();
        Map<String, String> tree = treeOfTheServers();
        for (int i = 0; i < caches.size(); i++) {
            CuratorCache cache = caches.get(i);
            Await.until(
                    "the cache of client " + i + " holds " + tree,
                    LIMIT,
                    () -> contents(cache).equals(tree));
        }
    }

    private Map<String, String> treeOfTheServers() throws Exception {
        CuratorFramework client = clients.get(0);
        client.sync().forPath(ROOT);
        Map<String, String> tree = new TreeMap<>(Map.of(ROOT, ""));
        for (String child : client.getChildren().forPath(ROOT)) {
            String path = ROOT + "/" + child;
            tree.put(path, text(client.getData().forPath(path)));
        }
        return tree;
    }

    private static Map<String, String> contents(CuratorCache cache) {
        Map<String, String> contents = new TreeMap<>();
        cache.stream().forEach(znode -> contents.put(znode.getPath(), text(znode.getData())));
        return contents;
    }

    private static String text(byte[] data) {
        return new String(data, StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        steps.close();
        caches.forEach(CuratorCache::close);
    }
}
