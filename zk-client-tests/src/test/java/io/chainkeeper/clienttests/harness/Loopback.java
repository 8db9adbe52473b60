package io.chainkeeper.clienttests.harness;

import java.nio.file.Path;
import java.util.List;

/** The servers share 127.0.0.1 and nothing stands between them. */
final class Loopback implements Network {
    static final String ADDRESS = "127.0.0.1";

    @Override
    public String memberHost(int server) {
        return ADDRESS;
    }

    @Override
    public String clientHost(int server) {
        return ADDRESS;
    }

    @Override
    public List<String> commandPrefix(int server) {
        return List.of();
    }

    @Override
    public List<String> jvmFlags(int server, Path directory) {
        return List.of();
    }

    @Override
    public void open(int server, int port) {}

    @Override
    public void cut(int from, int to) {
        throw new UnsupportedOperationException("build the ensemble with a network whose links can be cut");
    }

    @Override
    public void heal(int from, int to) {
        throw new UnsupportedOperationException("build the ensemble with a network whose links can be cut");
    }

    @Override
    public void close() {}
}
