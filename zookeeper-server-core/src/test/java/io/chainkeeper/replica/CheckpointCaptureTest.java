package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.bootstrap.DrivenServer;
import io.chainkeeper.server.bootstrap.DrivenServers;
import io.chainkeeper.server.execution.OrderedApplication;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * A snapshot that somebody asks for while the apply thread is at work, at whatever moment: its checkpoint belongs to
 * one position. If it held a command as applied that its tree lacks, whoever starts from it would never execute that
 * one.
 */
public final class CheckpointCaptureTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Failures failures = new Failures();
    private final Map<Long, ByteSlice> tableAt = new ConcurrentHashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private long hash = PrefixHash.EMPTY;
    private int captures;
    private int asked;
    private OrderedApplication application;
    private ApplyThread applyThread;

    @Before
    public void open() throws Exception {
        DrivenServer server = DrivenServers.of(
                1,
                1,
                folder.getRoot().toPath(),
                DrivenServers.NEVER,
                ThreadScheduler.INSTANCE,
                new NoSurroundings(),
                (recovered, offer, handler) -> {
                    throw new AssertionError("not opened");
                },
                failures);
        server.recover();
        application = server.application();
        Watched watched = new Watched(application);
        tableAt.put(0L, watched.proposerTable().encode());
        ThreadScheduler threads = ThreadScheduler.INSTANCE;
        applyThread = new ApplyThread(
                watched,
                new OwnCommands(1, 1, 1, ReplicaLimits.DEFAULT, threads),
                new PositionTimes(),
                () -> {},
                failures,
                threads);
    }

    @After
    public void close() throws Exception {
        applyThread.close();
    }

    private void deliver(long position, ProposedCommand... commands) {
        ByteSlice value = BatchCodec.encode(List.of(commands));
        hash = PrefixHash.next(hash, position, value);
        applyThread.deliver(position, value, hash);
    }

    private static ProposedCommand command(long sequence) {
        return new ProposedCommand(2, 7, 0, sequence, CommandCodec.encode(new Command.NoOp(1)));
    }

    private void execute(long last) throws Exception {
        applyThread.start();
        applyThread.close();
        assertEquals(List.of(), failures.messages());
        assertEquals(last, applyThread.appliedPosition());
        assertEquals(List.of(), wrong);
        assertEquals(asked, captures);
    }

    @Test
    public void capturedBeforeACommandIsExecuted_doesNotCallItApplied() throws Exception {
        deliver(1, command(1), command(2));
        deliver(2, command(3));
        execute(2);
    }

    /** Such as what an initial leader leaves empty in ISS, or a member that joins. */
    @Test
    public void capturedAtPositionsWithoutCommands_hasTheHashOfItsPosition() throws Exception {
        deliver(1);
        deliver(2, command(1));
        deliver(3, command(1));
        deliver(4);
        execute(4);
    }

    /** The replica's application; somebody asks for a snapshot at each of the apply thread's calls. */
    private final class Watched implements Application {
        private final OrderedApplication application;

        Watched(OrderedApplication application) {
            this.application = application;
        }

        private void capture(String when) {
            asked++;
            application.captureCheckpoint(captured -> {
                if (!captured.proposers().equals(tableAt.get(captured.position()))) {
                    wrong.add("captured " + when + ": not the table of position " + captured.position());
                }
                if (captured.position() != application.position()) {
                    wrong.add("captured " + when + ": something is executed before it is queued");
                }
                captures++;
            });
        }

        @Override
        public void positionBegins(long position) {
            capture("before position " + position);
            application.positionBegins(position);
        }

        @Override
        public void apply(long position, ProposedCommand command, Proposal own) {
            capture("in position " + position);
            application.apply(position, command, own);
        }

        @Override
        public void membershipChanged(long position, Membership membership) {
            application.membershipChanged(position, membership);
        }

        @Override
        public void positionApplied(long position) {
            tableAt.put(position, proposerTable().encode());
            capture("at the end of position " + position);
            application.positionApplied(position);
            capture("behind position " + position);
        }

        @Override
        public long recoveredPosition() {
            return application.recoveredPosition();
        }

        @Override
        public ProposerTable proposerTable() {
            return application.proposerTable();
        }

        @Override
        public Membership recoveredMembership() {
            return application.recoveredMembership();
        }

        @Override
        public void batchBegin() {
            application.batchBegin();
        }

        @Override
        public void batchEnd() {
            application.batchEnd();
        }

        @Override
        public void statusChanged(OrderingStatus status) {}

        @Override
        public void memberSilent(int member, boolean silent) {}

        @Override
        public void superseded(long incarnation) {}

        @Override
        public void stateNeeded(int fromPeer, long position) {}
    }

    /** Nothing is started here. */
    private static final class NoSurroundings implements DrivenServer.Surroundings {
        @Override
        public void serverStarts(OrderedZooKeeperServer server) {}

        @Override
        public void lifeEnded() {}

        @Override
        public void answerLeavesLater(long nanos) {}
    }
}
