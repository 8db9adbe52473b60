package io.chainkeeper.clienttests.recipes;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.FourLetterWord;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryForever;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Servers are killed with SIGKILL and restarted while several of Curator's recipes work, each at three clients. */
public class RecipesUnderFaultsTest {
    private static final int CLIENTS = 3;
    private static final int SUSPICION_TIMEOUT_MILLIS = 1_000;
    private static final int CONNECTION_TIMEOUT_MILLIS = 30_000;
    private static final int RETRY_PAUSE_MILLIS = 100;

    /** So long that no session expires while a server is down, however slow the machine is. */
    private static final int SESSION_TIMEOUT_MILLIS = 120_000;

    @ClassRule
    public static final Ensemble ensemble = Ensemble.named("recipes-under-faults")
            .suspicionTimeoutMillis(SUSPICION_TIMEOUT_MILLIS)
            .set("maxSessionTimeout", Integer.toString(SESSION_TIMEOUT_MILLIS))
            .build();

    @Rule
    public final TestRule limit = ensemble.testLimit(300);

    private final List<CuratorFramework> clients = new ArrayList<>();
    private final List<Recipe> recipes = new ArrayList<>();
    private final AtomicInteger sessionsLost = new AtomicInteger();

    @Before
    public void startRecipes() throws Exception {
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(connect());
        }
        clients.get(0).delete().quietly().deletingChildrenIfNeeded().forPath("/recipes");
        recipes.add(new MutexRecipe(clients));
        recipes.add(new LeaderLatchRecipe(clients));
        recipes.add(new PersistentNodeRecipe(clients));
        recipes.add(new CounterRecipe(clients));
        recipes.add(new CacheRecipe(clients));
        recipes.add(new QueueRecipe(this::connect, CLIENTS));
        for (Recipe recipe : recipes) {
            recipe.start();
        }
    }

    private CuratorFramework connect() throws InterruptedException {
        CuratorFramework client = CuratorFrameworkFactory.newClient(
                ensemble.connectString(),
                SESSION_TIMEOUT_MILLIS,
                CONNECTION_TIMEOUT_MILLIS,
                new RetryForever(RETRY_PAUSE_MILLIS));
        client.getConnectionStateListenable().addListener((source, state) -> {
            if (state == ConnectionState.LOST) {
                sessionsLost.incrementAndGet();
            }
        });
        client.start();
        assertTrue(client.blockUntilConnected(CONNECTION_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS));
        return client;
    }

    @After
    public void stopRecipes() throws Exception {
        for (Recipe recipe : recipes) {
            recipe.close();
        }
        clients.forEach(CuratorFramework::close);
    }

    @Test
    public void serverThatAClientIsConnectedToIsKilledAndRestarted_recipesKeepTheirPromises() throws Exception {
        // The first client owns the persistent node, the last one deletes it.
        killAndRestart(() -> serverOf(clients.get(0)));
        killAndRestart(() -> serverOf(clients.get(CLIENTS - 1)));
        finishRecipes();
    }

    @Test
    public void leaderIsKilledAndRestarted_recipesKeepTheirPromises() throws Exception {
        killAndRestart(ensemble::leader);
        killAndRestart(ensemble::leader);
        finishRecipes();
    }

    private void killAndRestart(Callable<ServerProcess> choice) throws Exception {
        awaitProgress();
        ServerProcess victim = choice.call();
        victim.kill();
        awaitProgress();
        victim.start();
        ensemble.awaitCaughtUp();
    }

    private void awaitProgress() throws Exception {
        for (Recipe recipe : recipes) {
            recipe.awaitProgress();
        }
    }

    private void finishRecipes() throws Exception {
        awaitProgress();
        for (Recipe recipe : recipes) {
            recipe.finish();
        }
        assertEquals("sessions that were lost", 0, sessionsLost.get());
    }

    private static ServerProcess serverOf(CuratorFramework client) throws Exception {
        String session = "sid=0x"
                + Long.toHexString(client.getZookeeperClient().getZooKeeper().getSessionId()) + ",";
        ServerProcess[] found = new ServerProcess[1];
        Await.until("a server has the session " + session, Recipe.LIMIT, () -> {
            for (ServerProcess server : ensemble.servers()) {
                if (hasConnection(server, session)) {
                    found[0] = server;
                }
            }
            return found[0] != null;
        });
        return found[0];
    }

    private static boolean hasConnection(ServerProcess server, String session) {
        try {
            return FourLetterWord.ask(server, "cons").contains(session);
        } catch (IOException e) {
            return false;
        }
    }
}
