package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * How the servers of an ensemble reach each other and how their clients reach them; and the faults of the links between
 * servers. Clients reach every server at all times.
 */
public interface Network extends AutoCloseable {
    /** Returns the host of a server's {@code server.N} line, the same in every server's file. */
    String memberHost(int server);

    /** Returns the address at which clients, and the tests, reach a server. */
    String clientHost(int server);

    /** Returns the words that stand before the command that starts a server. */
    List<String> commandPrefix(int server);

    /**
     * Returns the JVM flags that a server needs to live in this network.
     *
     * @param directory of the server, where files that the flags name may be written
     */
    List<String> jvmFlags(int server, Path directory) throws IOException;

    /** From now on this server may listen at this port for the other servers. Before the servers start. */
    void open(int server, int port) throws Exception;

    /**
     * From now on nothing that one server sends reaches the other one. What is sent meanwhile arrives after
     * {@link #heal} as TCP would bring it; nobody is told.
     */
    void cut(int from, int to) throws Exception;

    /** Ends {@link #cut}. */
    void heal(int from, int to) throws Exception;

    /** Ends whatever this network consists of, after the servers have ended. */
    @Override
    void close() throws Exception;

    /** Cuts both directions between two servers. */
    default void cutBoth(int one, int other) throws Exception {
        cut(one, other);
        cut(other, one);
    }

    /** Heals both directions between two servers. */
    default void healBoth(int one, int other) throws Exception {
        heal(one, other);
        heal(other, one);
    }
}
