package io.chainkeeper.benchmarks.host;

import java.io.IOException;
import java.util.List;

/** Where the servers of an ensemble find each other and the clients find them. */
public interface ServerNetwork extends AutoCloseable {
    /** Everything on one address of this machine. */
    ServerNetwork LOOPBACK = new ServerNetwork() {
        @Override
        public String host(int id) {
            return "127.0.0.1";
        }

        @Override
        public List<String> commandPrefix(int id) {
            return List.of();
        }

        @Override
        public void close() {
            // Nothing was made.
        }
    };

    /**
     * @param id a server's id, from 1
     * @return its address
     */
    String host(int id);

    /**
     * @param id a server's id, from 1
     * @return what has to stand before its command line
     */
    List<String> commandPrefix(int id);

    @Override
    void close() throws IOException;
}
