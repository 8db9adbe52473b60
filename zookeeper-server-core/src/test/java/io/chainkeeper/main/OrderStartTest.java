package io.chainkeeper.main;

import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.ThreadScheduler;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** State without anything in the acceptor log: it is lost, or a protocol with shared disks never fills it. */
public final class OrderStartTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private OrderingConfig config;

    @Before
    public void writeFiles() throws Exception {
        config = new OrderingConfigParser(List.of(new NamedProtocol("chain")))
                .parse(new ServerFiles(folder.getRoot().toPath()).zooCfg)
                .orElseThrow()
                .ordering();
    }

    private void prepareWithState(boolean sharesDisks) throws IOException {
        Application application = (Application) Proxy.newProxyInstance(
                Application.class.getClassLoader(),
                new Class<?>[] {Application.class},
                (proxy, method, arguments) -> method.getName().equals("recoveredPosition") ? 7L : null);
        OrderStart start = new OrderStart(config, ThreadScheduler.INSTANCE, sharesDisks);
        try (AcceptorLog log = start.openLog(AcceptorLogSettings.defaults())) {
            start.prepare(log, application);
        }
    }

    @Test
    public void emptyLog_isRefused() {
        IOException e = assertThrows(IOException.class, () -> prepareWithState(false));
        assertTrue(e.getMessage(), e.getMessage().contains("has forgotten what it promised"));
    }

    /** Without a link a server writes nothing there, and takes the order from the disks. */
    @Test
    public void emptyLogOfAServerThatSharesDisks_isAsItShouldBe() throws Exception {
        prepareWithState(true);
        prepareWithState(true);
    }
}
