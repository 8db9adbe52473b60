package example;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.test.junit4.ChainkeeperRule;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.junit.ClassRule;
import org.junit.Test;

public class ConfigurationWithJUnit4 {
    @ClassRule
    public static final ChainkeeperRule ZOOKEEPER = new ChainkeeperRule();

    @Test
    public void configuration_outlivesARestart() throws Exception {
        try (CuratorFramework client =
                CuratorFrameworkFactory.newClient(ZOOKEEPER.connectString(), new ExponentialBackoffRetry(100, 5))) {
            client.start();
            client.create().forPath("/config", new byte[] {1});
            ZOOKEEPER.cluster().server(1).restart();
            assertEquals(1, client.getData().forPath("/config")[0]);
        }
    }
}
