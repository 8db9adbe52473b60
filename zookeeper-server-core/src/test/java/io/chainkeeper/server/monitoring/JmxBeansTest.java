package io.chainkeeper.server.monitoring;

import static org.junit.Assert.assertTrue;

import java.lang.management.ManagementFactory;
import javax.management.ObjectName;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public class JmxBeansTest {
    private final JmxBeans beans = new JmxBeans();
    private boolean digest;

    @Before
    public void register() throws Exception {
        digest = ZooKeeperServer.isDigestEnabled();
        ZooKeeperServer.setDigestEnabled(true);
        beans.register(new QuorumPeer());
    }

    @After
    public void unregister() {
        beans.unregister();
        ZooKeeperServer.setDigestEnabled(digest);
    }

    @Test
    public void digestsAreDisabled_theyStayEnabled() throws Exception {
        ObjectName bean = ManagementFactory.getPlatformMBeanServer()
                .queryNames(new ObjectName("org.apache.ZooKeeperService:name0=ReplicatedServer_id0"), null)
                .iterator()
                .next();
        ManagementFactory.getPlatformMBeanServer().invoke(bean, "disableDigest", new Object[0], new String[0]);
        assertTrue(ZooKeeperServer.isDigestEnabled());
    }
}
