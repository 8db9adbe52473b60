package io.chainkeeper.server.execution;

import java.io.IOException;
import org.apache.zookeeper.server.ZooKeeperServer;

/** Puts in words that a transaction could not be logged. */
public final class LogFailure {
    private LogFailure() {}

    /**
     * @param server whose log it is
     * @param cause why
     * @return what happened where, and what to do
     */
    public static String message(ZooKeeperServer server, IOException cause) {
        return "transaction log in " + server.getTxnLogFactory().getDataLogDir() + " cannot be written ("
                + cause.getMessage() + "): check the disk and its free space, then start again";
    }
}
