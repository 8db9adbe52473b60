package io.chainkeeper.main;

import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.config.StartupConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.apache.zookeeper.metrics.prometheus.PrometheusMetricsProvider;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The port of ZooKeeper's own metrics, which is opened by a class that the user names. */
public class MetricsPortTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void portTaken_refusalSaysWhatAndWhatToDo() throws Exception {
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            List<String> lines = files.rightLines();
            lines.add("metricsProvider.className=" + PrometheusMetricsProvider.class.getName());
            lines.add("metricsProvider.httpHost=127.0.0.1");
            lines.add("metricsProvider.httpPort=" + taken.getLocalPort());
            files.writeCfg(lines);
            StartupConfig config = new OrderingConfigParser(List.of(new NamedProtocol("chain")))
                    .parse(files.zooCfg)
                    .orElseThrow();
            IOException refused = assertThrows(IOException.class, () -> ReplicaStarter.startReplica(config));
            String message = refused.getMessage();
            assertTrue(message, message.contains("PrometheusMetricsProvider: Address already in use"));
            assertTrue(message, message.contains("metricsProvider.*"));
        }
    }
}
