package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.config.Safeguards;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.server.bootstrap.DrivenServer;
import io.chainkeeper.server.bootstrap.DrivenSettings;
import io.chainkeeper.server.bootstrap.OrderingFactory;
import io.chainkeeper.server.storage.CheckpointSchedule;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.server.transfer.TransferBounds;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.StateChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.server.ClientCnxnLimitException;
import org.apache.zookeeper.server.RequestRecord;

/**
 * A server with one connected client, driven by the benchmark's thread: the server's own router, executor, data tree,
 * sessions and transaction log, above an order that keeps what is proposed until {@link #execute} is called. Its
 * answers are encoded and then dropped. The transaction log lies in the system's temporary directory and is not forced,
 * as in a running server. Single-threaded.
 */
final class DrivenReplica implements AutoCloseable {
    /** Znodes below {@link #PARENT}. */
    static final int ZNODES = 1_000;

    private static final String PARENT = "/benchmark";
    private static final int ID = 1;
    private static final int PORT = 2888;
    private static final int PATIENCE_TICKS = 20;
    private static final int TICK_TIME_MILLIS = 2_000;
    private static final int SESSION_TIMEOUT_MILLIS = 40_000;

    /** More than the start and a session take. */
    private static final int MAX_STEPS = 100;

    private final Path directory;
    private final CallersScheduler scheduler = new CallersScheduler();
    private final Order order = new Order();
    private final DrivenServer server;
    private Application application;
    private SilentConnection connection;
    private long position;
    private int xid;

    private DrivenReplica(Path directory) throws IOException {
        this.directory = directory;
        System.setProperty("zookeeper.forceSync", "no"); // as the server sets it: durability rests on the order's log
        OrderingConfig ordering = new OrderingConfig(
                OrderingConfig.DEFAULT_PROTOCOL,
                Durability.SYNC,
                LogStore.SEGMENTED,
                ReadConsistency.LINEARIZABLE,
                ID,
                Map.of(ID, new PeerAddress("127.0.0.1", PORT)),
                Map.of(),
                directory.resolve(OrderingConfig.ORDERING_DIRECTORY),
                Map.of(),
                OrderingConfig.DEFAULT_LOG_RETENTION_BYTES,
                new Safeguards(0, 0, 0, 0),
                OrderingConfig.DEFAULT_STATE_TRANSFER_BYTES_PER_SECOND,
                OrderingConfig.MAX_CHECKPOINT_BYTES);
        DrivenSettings settings = new DrivenSettings(
                TICK_TIME_MILLIS,
                SESSION_TIMEOUT_MILLIS,
                SESSION_TIMEOUT_MILLIS,
                PATIENCE_TICKS,
                new CheckpointSchedule.Intervals(Integer.MAX_VALUE, 0, OrderingConfig.MAX_CHECKPOINT_BYTES),
                1,
                TransferBounds.DEFAULT);
        this.server = new DrivenServer(
                settings,
                ordering,
                new DataDirectories(directory, directory),
                scheduler,
                new Alone(),
                (recovered, offer, failureHandler) -> order,
                (message, cause) -> {
                    throw new IllegalStateException(message, cause);
                });
    }

    /**
     * Starts a server, connects its client and creates the znodes.
     *
     * @param valueBytes data of each znode
     * @return the server
     * @throws IOException if the temporary directory cannot be used
     */
    static DrivenReplica open(int valueBytes) throws IOException {
        DrivenReplica driven = new DrivenReplica(Files.createTempDirectory("chainkeeper-replica-benchmark-"));
        try {
            driven.start(valueBytes);
            return driven;
        } catch (IOException | RuntimeException e) {
            driven.close();
            throw e;
        }
    }

    private void start(int valueBytes) throws IOException {
        server.recover();
        application = server.application();
        server.open();
        connection = SilentConnection.of(server.server());
        for (int step = 0; !server.server().isRunning(); step++) {
            settle(step, "the server does not begin to serve");
        }
        ConnectRequest connect = new ConnectRequest(0, 0, SESSION_TIMEOUT_MILLIS, 0, new byte[16], false);
        try {
            server.server().processConnectRequest(connection, connect);
        } catch (ClientCnxnLimitException e) {
            throw new IllegalStateException("the only connection is one too many", e);
        }
        for (int step = 0; connection.replies() == 0; step++) {
            settle(step, "the client gets no session");
        }
        request(OpCode.create, new CreateRequest(PARENT, new byte[0], Ids.OPEN_ACL_UNSAFE, 0));
        for (int i = 0; i < ZNODES; i++) {
            request(OpCode.create, new CreateRequest(path(i), new byte[valueBytes], Ids.OPEN_ACL_UNSAFE, 0));
        }
        execute();
    }

    private void settle(int step, String otherwise) {
        if (step == MAX_STEPS) {
            throw new IllegalStateException(otherwise);
        }
        scheduler.pass(TICK_TIME_MILLIS);
        execute();
        releaseReads();
    }

    /**
     * @param index of a znode, any number
     * @return its path
     */
    static String path(int index) {
        return PARENT + "/" + index % ZNODES;
    }

    /** @return the client's session */
    long sessionId() {
        return connection.getSessionId();
    }

    /** @return answers given to the client so far, the session's included */
    long replies() {
        return connection.replies();
    }

    DrivenServer server() {
        return server;
    }

    /**
     * The client's next request arrives, as the connection's parser gives it to the server. A write is encoded and
     * proposed; a read waits until {@link #releaseReads}.
     *
     * @param type one of {@link OpCode}
     * @param record its body
     * @throws IOException if the server refuses it
     */
    void request(int type, Record record) throws IOException {
        packet(type, bytes(record));
    }

    /**
     * As {@link #request}, with a body that is encoded already.
     *
     * @param type one of {@link OpCode}
     * @param body its bytes
     * @throws IOException if the server refuses it
     */
    void packet(int type, byte[] body) throws IOException {
        server.server()
                .processPacket(
                        connection, new RequestHeader(++xid, type), RequestRecord.fromBytes(ByteBuffer.wrap(body)));
    }

    /**
     * @param record a request's body
     * @return its bytes
     */
    static byte[] bytes(Record record) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            record.serialize(BinaryOutputArchive.getArchive(bytes), "request");
        } catch (IOException e) {
            throw new UncheckedIOException("a request cannot be encoded in memory", e);
        }
        return bytes.toByteArray();
    }

    /** Executes and answers what the client has proposed, as one position. */
    void execute() {
        position++;
        application.positionBegins(position);
        for (Proposal own = order.proposals.poll(); own != null; own = order.proposals.poll()) {
            application.apply(position, command(own.command()), own);
        }
        application.positionApplied(position);
        application.batchEnd();
    }

    /**
     * Executes batches as another replica's, which is answered there.
     *
     * @param values encoded batches, each of one position; the executor finds them all at hand
     * @throws MalformedMessageException if one does not decode
     */
    void executeForeign(List<ByteSlice> values) throws MalformedMessageException {
        for (ByteSlice value : values) {
            position++;
            application.positionBegins(position);
            for (ProposedCommand command : BatchCodec.decode(value)) {
                application.apply(position, command, null);
            }
            application.positionApplied(position);
        }
        application.batchEnd();
    }

    private ProposedCommand command(ByteSlice bytes) {
        return new ProposedCommand(ID, 1, 0, position, bytes);
    }

    /** The order shows that reads which wait may be answered; answers them. */
    void releaseReads() {
        List<TotalOrder.ReadWaiter> waiters = order.waiters;
        order.waiters = new ArrayList<>();
        waiters.forEach(TotalOrder.ReadWaiter::barrierReached);
        application.batchEnd();
    }

    /**
     * Begins a new file of the transaction log and deletes the others, so that the disk does not fill up.
     *
     * @throws IOException if that fails
     */
    void dropOldLogs() throws IOException {
        server.server().getZKDatabase().rollLog();
        for (Path log : DataFiles.logs(directory.resolve(DataDirectories.VERSION_DIRECTORY), 0)) {
            Files.delete(log);
        }
    }

    @Override
    public void close() throws IOException {
        if (connection != null) {
            connection.close();
        }
        server.close();
        List<Path> innermostFirst;
        try (Stream<Path> all = Files.walk(directory)) {
            innermostFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : innermostFirst) {
            Files.delete(path);
        }
    }

    /** Keeps what is proposed. */
    private static final class Order implements TotalOrder, OrderingFactory.RunningOrder {
        private final Deque<Proposal> proposals = new ArrayDeque<>();
        private List<ReadWaiter> waiters = new ArrayList<>();

        @Override
        public boolean propose(Proposal proposal) {
            return proposal.enter(() -> proposals.add(proposal));
        }

        @Override
        public boolean offer(Proposal proposal) {
            return propose(proposal);
        }

        @Override
        public void readBarrier(ReadWaiter waiter) {
            waiters.add(waiter);
        }

        @Override
        public OrderingStatus status() {
            return new OrderingStatus(Role.LEADER, ID, 1);
        }

        @Override
        public Map<String, Long> gauges() {
            return Map.of();
        }

        @Override
        public int streamCount() {
            return 1;
        }

        @Override
        public void checkpointTaken(long covered) {}

        @Override
        public void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses) {}

        @Override
        public TotalOrder totalOrder() {
            return this;
        }

        @Override
        public StateChannel openStateChannel(int peer) throws IOException {
            throw new IOException("there is no server " + peer);
        }

        @Override
        public void close() {}
    }

    /** The benchmark brings the only connection, and no other server. */
    private static final class Alone implements DrivenServer.Surroundings {
        @Override
        public void serverStarts(OrderedZooKeeperServer started) {}

        @Override
        public void lifeEnded() {
            throw new IllegalStateException("the server wants to start again");
        }

        @Override
        public void answerLeavesLater(long nanos) {
            throw new IllegalStateException("the server answers another one");
        }
    }
}
