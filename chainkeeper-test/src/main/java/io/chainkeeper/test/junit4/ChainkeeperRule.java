package io.chainkeeper.test.junit4;

import io.chainkeeper.test.ChainkeeperCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.rules.ExternalResource;

/**
 * An ensemble for each test, as a {@code @Rule}, or for all tests of a class, as a static {@code @ClassRule}. It lets
 * clients in before the test begins, and is closed behind it.
 */
public final class ChainkeeperRule extends ExternalResource {
    private final ChainkeeperCluster.Builder builder;
    private ChainkeeperCluster cluster;

    /** One server. */
    public ChainkeeperRule() {
        this(1);
    }

    /** @param servers how many */
    public ChainkeeperRule(int servers) {
        this(ChainkeeperCluster.builder().servers(servers));
    }

    /** @param builder says what ensemble */
    public ChainkeeperRule(ChainkeeperCluster.Builder builder) {
        this.builder = builder;
    }

    @Override
    protected void before() throws IOException {
        cluster = builder.start();
    }

    @Override
    protected void after() {
        try {
            cluster.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return the ensemble; while a test runs */
    public ChainkeeperCluster cluster() {
        return cluster;
    }

    /** @return what a client needs to connect; while a test runs */
    public String connectString() {
        return cluster.connectString();
    }
}
