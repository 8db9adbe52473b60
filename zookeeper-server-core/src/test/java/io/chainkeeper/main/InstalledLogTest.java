package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.Replica;
import io.chainkeeper.server.bootstrap.OrderingFactory.RunningOrder;
import io.chainkeeper.server.transfer.InstalledState;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** What a protocol finds in the acceptor log behind an installation, in the product's own start and on its files. */
@RunWith(Parameterized.class)
public final class InstalledLogTest {
    private static final long INSTALLED = 7;
    private static final long LAST = 10;
    private static final ByteSlice PROMISE = ByteSlice.of(new byte[] {3, 1, 4});
    private static final OrderingStatus NOBODY = new OrderingStatus(Role.LOOKING, OrderingStatus.NO_LEADER, 0);

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final String store;
    private OrderingConfig config;

    /** By the start before. */
    private volatile LogRecord promiseFound;

    public InstalledLogTest(String store) {
        this.store = store;
    }

    @Parameters(name = "{0}")
    public static List<String> stores() {
        return List.of("segmented", "lmdb");
    }

    @Before
    public void writeFiles() throws Exception {
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        files.addLine("ordering.logStore=" + store);
        config = new OrderingConfigParser(List.of(new NamedProtocol("chain")))
                .parse(files.zooCfg)
                .orElseThrow()
                .ordering();
        try (AcceptorLog log = openLog()) {
            ByteSlice incarnation =
                    ByteSlice.of(ByteBuffer.allocate(Long.BYTES).putLong(1).array());
            log.append(new LogRecord(LogRecord.METADATA, Replica.INCARNATION, incarnation, ByteSlice.EMPTY));
            for (long position = 1; position <= LAST; position++) {
                log.append(new LogRecord(position, 2, ByteSlice.EMPTY, ByteSlice.of(new byte[] {1})));
            }
            log.sync();
        }
    }

    private AcceptorLog openLog() throws IOException {
        return AcceptorLogs.open(
                config.orderingDirectory(), config.logStore(), config.durability(), AcceptorLogSettings.defaults());
    }

    private static <T> T stub(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object answer = answers.get(method.getName());
                    return answer instanceof Answer computed ? computed.to(arguments) : answer;
                }));
    }

    private interface Answer {
        Object to(Object[] arguments) throws Exception;
    }

    /** Starts the order as a server does; returns the positions that the protocol has found. */
    private List<Long> positionsFoundByAStart() throws Exception {
        CompletableFuture<List<Long>> found = new CompletableFuture<>();
        OrderingProtocol protocol = stub(
                OrderingProtocol.class,
                Map.of("quietTicks", 0, "gauges", Map.of(), "status", NOBODY, "onStart", (Answer) arguments -> {
                    List<Long> positions = new ArrayList<>();
                    promiseFound = ((RecoveredState) arguments[0]).metadata(LogRecord.PROMISE_OF_STATE_KIND);
                    ((RecoveredState) arguments[0]).forEachHead(1, record -> positions.add(record.position()));
                    found.complete(positions);
                    return null;
                }));
        OrderingProtocolFactory factory = stub(
                OrderingProtocolFactory.class,
                Map.of(
                        "name",
                        "chain",
                        "streamCount",
                        1,
                        "codec",
                        stub(MessageCodec.class, Map.of()),
                        "create",
                        protocol,
                        "promiseKind",
                        OrderingProtocolFactory.NO_KIND));
        Application application =
                stub(Application.class, Map.of("recoveredPosition", INSTALLED, "proposerTable", new ProposerTable()));
        ReplicatedOrdering ordering = new ReplicatedOrdering(
                config,
                factory,
                1,
                () -> 1,
                () -> FeatureLevel.NONE,
                false,
                null,
                null,
                null,
                ReplicaPlatform.OF_SYSTEM);
        ordering.prepare();
        try (RunningOrder running = ordering.start(
                application,
                null,
                (message, cause) -> found.completeExceptionally(new AssertionError(message, cause)))) {
            return found.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    public void stateWasInstalled_nothingUpToItIsFoundByAnyStart() throws Exception {
        new InstalledState(INSTALLED, false, PROMISE).write(config.orderingDirectory());
        for (int start = 1; start <= 3; start++) {
            assertEquals("start " + start, List.of(8L, 9L, 10L), positionsFoundByAStart());
            assertEquals("start " + start, PROMISE, promiseFound.head());
        }
        try (AcceptorLog log = openLog()) {
            assertEquals(List.of(), log.read(INSTALLED, 1000));
            assertEquals(3, log.read(INSTALLED + 1, 1000).size());
        }
    }

    @Test
    public void noStateWasInstalled_everythingIsFound() throws Exception {
        assertEquals(LAST, positionsFoundByAStart().size());
    }
}
