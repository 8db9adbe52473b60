package io.chainkeeper.test.junit5;

import io.chainkeeper.test.ChainkeeperCluster;
import java.io.IOException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * An ensemble: for all tests of a class if the field with {@code @RegisterExtension} is static, or the class has
 * {@code @ExtendWith(ChainkeeperExtension.class)}; else for each test. It lets clients in before the test begins, and
 * is closed behind it. Tests may have it as a parameter of type {@link ChainkeeperCluster}.
 */
public final class ChainkeeperExtension
        implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private final ChainkeeperCluster.Builder builder;
    private ChainkeeperCluster cluster;
    /** The class whose tests share it; null if each has its own. */
    private Class<?> sharedIn;

    /** One server. */
    public ChainkeeperExtension() {
        this(1);
    }

    /** @param servers how many */
    public ChainkeeperExtension(int servers) {
        this(ChainkeeperCluster.builder().servers(servers));
    }

    /** @param builder says what ensemble */
    public ChainkeeperExtension(ChainkeeperCluster.Builder builder) {
        this.builder = builder;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        // Called for nested classes too, whose tests share what their outer class has.
        if (cluster == null) {
            cluster = builder.start();
            sharedIn = context.getRequiredTestClass();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        if (context.getRequiredTestClass() == sharedIn) {
            sharedIn = null;
            close();
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        if (sharedIn == null) {
            cluster = builder.start();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        if (sharedIn == null) {
            close();
        }
    }

    private void close() throws IOException {
        ChainkeeperCluster ended = cluster;
        cluster = null;
        if (ended != null) {
            ended.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == ChainkeeperCluster.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return cluster;
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
