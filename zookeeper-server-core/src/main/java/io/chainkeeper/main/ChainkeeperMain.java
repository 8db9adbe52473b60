package io.chainkeeper.main;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.ServiceLoader;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.apache.zookeeper.util.ServiceUtils;

/**
 * The server's main program, in the place of ZooKeeper's QuorumPeerMain: same arguments, same exit codes. A file that
 * says {@code ordering.protocol=zab} or describes no ensemble is handed to QuorumPeerMain unread.
 */
public final class ChainkeeperMain {
    private ChainkeeperMain() {}

    /**
     * Runs a server until it ends, then ends the process.
     *
     * @param args path of a zoo.cfg
     */
    public static void main(String[] args) {
        ServiceUtils.requestSystemExit(run(args));
    }

    /**
     * Runs a server until it ends.
     *
     * @param args path of a zoo.cfg
     * @return exit code: 0 ended as asked, 1 could not start or failed, 2 wrong configuration, 3 directory not
     *     accessible
     */
    public static int run(String[] args) {
        return new ServerLauncher(
                        ServiceLoader.load(OrderingProtocolFactory.class),
                        new ReplicaStarter(),
                        QuorumPeerMain::main,
                        System.err)
                .run(args);
    }
}
