package io.chainkeeper.main;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.security.Security;
import java.util.ServiceLoader;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.apache.zookeeper.util.ServiceUtils;

/**
 * The server's main program, in the place of ZooKeeper's QuorumPeerMain: same arguments, same exit codes. A file that
 * says {@code ordering.protocol=zab} or describes no ensemble is handed to QuorumPeerMain unread.
 */
public final class ChainkeeperMain {
    private static final int ADDRESS_CACHE_SECONDS = 2;
    private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

    private ChainkeeperMain() {}

    /**
     * Runs a server until it ends, then ends the process.
     *
     * @param args path of a zoo.cfg
     */
    public static void main(String[] args) {
        // Peers may move: without these the JVM holds on to an address for half a minute, to a failed look-up for ten.
        Security.setProperty("networkaddress.cache.ttl", Integer.toString(ADDRESS_CACHE_SECONDS));
        Security.setProperty("networkaddress.cache.negative.ttl", Integer.toString(ADDRESS_CACHE_SECONDS));
        // Netty follows one buffer in a hundred to where it is forgotten. That is for tests, and costs a server CPU.
        if (System.getProperty(LEAK_DETECTION) == null) {
            System.setProperty(LEAK_DETECTION, "disabled");
        }
        UncaughtFailures failures =
                new UncaughtFailures(System.err, code -> Runtime.getRuntime().halt(code));
        ServiceUtils.requestSystemExit(run(args, failures::takeOver));
    }

    /**
     * Runs a server until it ends.
     *
     * @param args path of a zoo.cfg
     * @return exit code: 0 ended as asked, 1 could not start or failed, 2 wrong configuration, 3 directory not
     *     accessible
     */
    public static int run(String[] args) {
        return run(args, () -> {});
    }

    private static int run(String[] args, Runnable beforeReplica) {
        StartReport report = new StartReport(System.getenv(StartReport.VARIABLE));
        ServerStarter replicas = config -> {
            beforeReplica.run();
            return new ReplicaStarter().start(config);
        };
        return new ServerLauncher(
                        ServiceLoader.load(OrderingProtocolFactory.class),
                        report.reporting(replicas),
                        stockArgs -> {
                            report.write(StartReport.STOCK);
                            QuorumPeerMain.main(stockArgs);
                        },
                        System.err)
                .run(args);
    }
}
