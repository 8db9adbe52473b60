package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.config.NewClusterRequest;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.ThreadScheduler;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What a start may rely on. */
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

    private Start kind(ProposedCommand... accepted) throws IOException {
        OrderStart start = new OrderStart(config, ThreadScheduler.INSTANCE, false);
        try (AcceptorLog log = start.openLog(AcceptorLogSettings.defaults())) {
            long position = log.recovered(0).lastPosition();
            log.append(new LogRecord(position + 1, 2, ByteSlice.of(new byte[8]), BatchCodec.encode(List.of(accepted))));
            log.append(new LogRecord(
                    position + 2, 2, ByteSlice.of(new byte[8]), BatchCodec.encode(Membership.initial(0, List.of(1)))));
            log.sync();
            return start.kind(log, 0);
        }
    }

    private static ProposedCommand named(UUID clusterId) {
        Command formed =
                new Command.ClusterFormed(0, clusterId, 0, List.of(1), "", new UUID(0, 1), null, FeatureLevel.FIRST);
        return new ProposedCommand(1, 1, 0, 1, CommandCodec.encode(formed));
    }

    @Test
    public void requestToGoOnAlone_holdsUntilTheLogHasItsName() throws Exception {
        UUID newCluster = new UUID(1, 2);
        assertEquals(Start.ORDINARY, kind());
        new NewClusterRequest(1, newCluster, Instant.EPOCH).write(config.orderingDirectory());
        assertEquals(Start.SOLE_SURVIVOR, kind());
        assertEquals("of an earlier request", Start.SOLE_SURVIVOR, kind(named(new UUID(1, 1))));
        assertEquals(Start.ORDINARY, kind(named(newCluster)));
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
